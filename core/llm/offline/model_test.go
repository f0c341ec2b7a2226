package offline

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
)

var _ llm.Model = (*Model)(nil)

func TestInfo(t *testing.T) {
	i := shared().Info()
	if i.Ref != "builtin/offline" || i.Ref != shared().Ref() || i.Price == nil || *i.Price != (llm.Price{}) || !i.Tools || !i.Local || !i.Installed || i.Window < 1<<20 {
		t.Errorf("%+v", i)
	}
}

func TestFirstLineHoldsTheAnswer(t *testing.T) {
	for _, c := range []struct{ lang, ask, want string }{
		{"en", "What is 17% of 2,400?", "17% of 2,400 = 408"},
		{"de", "What is 17% of 2,400?", "17% of 2,400 = 408"}, // the sentence decides, not the caller
		{"de", "Was sind 17% von 2.400?", "17% von 2.400 = 408"},
		{"en", "Was sind 17% von 2,400?", "17% von 2,4 = 0,408"},
		{"en", "2,400 * 2", "2,400 * 2 = 4,800"},
		{"de", "2,400 * 2", "2,4 * 2 = 4,8"},
		{"en", "What time is it in Tokyo?", "Tokyo: 22:05"},
		{"de", "Wie spät ist es in Tokio?", "Tokio: 22:05 Uhr"},
		{"fr", "what is 9^9^9", "That has no result: the number is too large to calculate."},
		{"de", "was ist 1/0", "Das hat kein Ergebnis: durch null kann man nicht teilen."},
	} {
		got := newWorld(t, c.lang).ask(c.ask)
		if first, _, _ := strings.Cut(got.text, "\n"); !strings.Contains(first, c.want) {
			t.Errorf("%s %q: first line %q, want %q in it", c.lang, c.ask, first, c.want)
		}
	}
}

func TestNotUnderstoodIsAdmitted(t *testing.T) {
	for _, c := range []struct{ lang, ask, want string }{
		{"en", "xyzzy", "not understood"},
		{"de", "xyzzy", "nicht verstanden"},
		{"de", "what is the meaning of life", "not understood"},
		{"en", "was ist der Sinn des Lebens", "nicht verstanden"},
		{"en", "set a timer for 5 minutes", "timers and reminders are not possible yet"},
		{"de", "erinnere mich an die Milch", "Timer und Erinnerungen sind noch nicht möglich"},
		{"en", "search my notes", "not possible yet"},
		{"en", "and 20% of that?", "not understood"},
		{"en", "convert 100 dollars to euros", "exchange rate"},
		{"de", "rechne 5 Pfund Sterling in Euro um", "jarvis setup"},
	} {
		got := newWorld(t, c.lang).ask(c.ask)
		if !strings.Contains(got.text, c.want) {
			t.Errorf("%s %q = %q, want %q in it", c.lang, c.ask, got.text, c.want)
		}
		if strings.Contains(got.text, "\n") || !strings.Contains(got.text, "jarvis setup") {
			t.Errorf("%s %q = %q: one line that says how to connect a model", c.lang, c.ask, got.text)
		}
	}
}

func TestMatches(t *testing.T) {
	w := newWorld(t, "en")
	for ask, want := range map[string]bool{
		"what is 2+2": true, "what time is it": true, "add milk to my todo list": true, "what can you do?": true, "5 km in miles": true,
		"hello": false, "tell me a joke": false, "summarize this\n\nOne. Two. Three.": false, "": false, "what is 2+2 and why": false,
	} {
		if got := w.model.Matches(w.request(ask)); got != want {
			t.Errorf("Matches(%q) = %v", ask, got)
		}
	}
	r := w.request("what is 2+2")
	r.Schema = json.RawMessage(`{}`)
	if w.model.Matches(r) {
		t.Error("matches a request with a schema")
	}
	r = w.request("what is 2+2")
	r.Choice = "none"
	if w.model.Matches(r) {
		t.Error("matches where no tool may be called")
	}
	r = w.request("what is 2+2")
	r.Messages[0].Parts = append(r.Messages[0].Parts, llm.Part{Type: llm.PartBlob, MediaType: "image/png"})
	if w.model.Matches(r) {
		t.Error("matches a message with an image")
	}
	if w.model.Matches(llm.Request{}) {
		t.Error("matches an empty request")
	}
}

func TestWithoutTools(t *testing.T) {
	w := newWorld(t, "en")
	w.off = true
	if got := w.ask("what is 2+2"); !strings.Contains(got.text, "calculate") || len(got.calls) > 0 {
		t.Errorf("got %+v", got)
	}
	w.lang = "de"
	if got := w.ask("wie spät ist es"); !strings.Contains(got.text, "Werkzeug") {
		t.Errorf("got %+v", got)
	}
	if got := w.ask("was kannst du?"); !strings.Contains(got.text, "Todo-Liste") {
		t.Errorf("help needs no tool, got %+v", got)
	}
}

func TestSchemaIsRefused(t *testing.T) {
	w := newWorld(t, "en")
	r := w.request("what is 2+2")
	r.Schema = json.RawMessage(`{"type":"object"}`)
	for _, err := range w.model.Stream(t.Context(), r) {
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindBadRequest {
			t.Errorf("got %v", err)
		}
	}
}

func TestContextPartAndHistoryAreNoRequest(t *testing.T) {
	w := newWorld(t, "en")
	r := w.request("what is 2+2")
	r.Messages = append([]llm.Message{
		{Role: core.RoleUser, Parts: []llm.Part{{Type: llm.PartText, Text: "what time is it"}}},
		{Role: core.RoleAssistant, Parts: []llm.Part{{Type: llm.PartToolUse, Call: "offline_1", Name: "time", Args: json.RawMessage(`{}`)}}},
		{Role: core.RoleUser, Parts: []llm.Part{{Type: llm.PartToolResult, Call: "offline_1", Text: "date: 2026-12-02\ntime: 14:05"}}},
		{Role: core.RoleAssistant, Parts: []llm.Part{{Type: llm.PartText, Text: "It is 14:05."}}},
	}, r.Messages...)
	r.Messages[4].Parts = append([]llm.Part{{Type: llm.PartText, Text: "<jarvis-context>\ndate: today\n</jarvis-context>"}}, r.Messages[4].Parts...)
	var call *llm.Part
	for d, err := range w.model.Stream(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Kind == llm.DeltaCall {
			call = d.Part
		}
	}
	if call == nil || call.Name != "calculate" || call.Call != "offline_2" {
		t.Errorf("call %+v, want a calculate with an id of its own", call)
	}
}

func TestOnlyTheNewestQuestionCounts(t *testing.T) {
	const ctx = "<jarvis-context>\ndate: today\n</jarvis-context>"
	w := newWorld(t, "en")
	for _, tc := range []struct {
		name  string
		parts []string
		want  bool
	}{
		{"behind one without an answer", []string{"write a poem", ctx, "what is 2+2"}, true},
		{"alone", []string{"what is 2+2"}, true},
		{"what looks like a note", []string{ctx}, false},
		{"with a file", []string{"File a.txt:\n\nhello", "what is 2+2"}, false},
	} {
		r := w.request("")
		r.Messages[0].Parts = nil
		for _, s := range tc.parts {
			r.Messages[0].Parts = append(r.Messages[0].Parts, llm.Part{Type: llm.PartText, Text: s})
		}
		if got := w.model.Matches(r); got != tc.want {
			t.Errorf("%s: matches %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestStreamsInPiecesAndStops(t *testing.T) {
	w := newWorld(t, "de")
	n := 0
	for d := range w.model.Stream(t.Context(), w.request("was kannst du?")) {
		if d.Kind == llm.DeltaText {
			n++
			if len(d.Text) > deltaSize+4 || strings.ToValidUTF8(d.Text, "") != d.Text {
				t.Errorf("delta %q", d.Text)
			}
		}
	}
	if n < 10 {
		t.Errorf("%d deltas", n)
	}
	n = 0
	for range w.model.Stream(t.Context(), w.request("was kannst du?")) {
		if n++; n == 2 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range w.model.Stream(ctx, w.request("hallo")) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	}
}

func TestSummary(t *testing.T) {
	const text = "The bridge is closed. A bird sang. The bridge over the river has cracks in the bridge deck. It rained. Cars must avoid the bridge until May."
	w := newWorld(t, "en")
	for _, ask := range []string{"summarize this", "Please summarize the following text in 2 sentences:", "tl;dr", "fasse das zusammen", "sumarize this"} {
		got := w.ask(ask + "\n\n" + text)
		if !strings.Contains(got.text, "bridge") || strings.Contains(got.text, "bird") || len(got.text) > len(text)+100 {
			t.Errorf("%q: %q", ask, got.text)
		}
	}
	for _, ask := range []string{"translate this to German", "write the commit message", "summarize this in French", "summarize this as a poem"} {
		if got := w.ask(ask + "\n\n" + text); !strings.Contains(got.text, "not understood") {
			t.Errorf("%q: %q", ask, got.text)
		}
	}
}

func TestHugeInputIsCheap(t *testing.T) {
	w := newWorld(t, "en")
	sentence := "The quick brown fox jumps over the lazy dog near the river bank. "
	for name, s := range map[string]string{
		"summary of 10 MiB":        "summarize this\n\n" + strings.Repeat(sentence, 10<<20/len(sentence)),
		"one line of 10 MiB":       "summarize this\n\n" + strings.Repeat("x", 10<<20),
		"a request of 10 MiB":      strings.Repeat("what is 2+2 ", 1<<20),
		"many operators":           "what is " + strings.Repeat("1 + ", 140) + "1",
		"many parentheses":         strings.Repeat("(", 300) + "1",
		"many words":               strings.Repeat("in ", 59) + "km",
		"number words":             strings.Repeat("hundert ", 50),
		"list":                     "sum of " + strings.Repeat("1, ", 50) + "1",
		"invalid UTF-8":            "what is \xff\xfe + 2",
		"NUL":                      "what is 2\x00+2",
		"todo of many words":       "add " + strings.Repeat("to my list ", 18),
		"percent signs":            strings.Repeat("% ", 59),
		"blank":                    strings.Repeat(" \n", 1000),
		"conversion of everything": strings.Repeat("1 km in ", 12) + "km",
	} {
		start := time.Now()
		got := w.ask(s)
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s took %v", name, d)
		}
		if got.text == "" || len(got.text) > 4096 {
			t.Errorf("%s: answer of %d bytes", name, len(got.text))
		}
	}
}

func TestTodoListKeepsEverything(t *testing.T) {
	w := newWorld(t, "en")
	for _, s := range []string{"one [x] two", "three", "drei: ä"} {
		w.ask("todo: " + s)
	}
	w.ask("mark todo 2 as done")
	var got []string
	for _, e := range w.store.list {
		got = append(got, e.Status+" "+e.Content)
	}
	if want := "pending one [x] two|completed three|pending drei: ä"; strings.Join(got, "|") != want {
		t.Errorf("list %q, want %q", strings.Join(got, "|"), want)
	}
	if got := w.ask("mark todo 9 as done"); !strings.Contains(got.text, "no todo 9") {
		t.Errorf("got %q", got.text)
	}
}

func FuzzUnderstand(f *testing.F) {
	for _, s := range []string{"what is 17% of 2,400?", "wie spät ist es in Tokio", "add x to my list", "summarize\n\na. b. c.", "20% off 80", "mark 1 as done", "\xff", "welcher tag ist der 31.12.", "tip 10% 5"} {
		f.Add(s, "en")
		f.Add(s, "de")
	}
	f.Fuzz(func(t *testing.T, s, lang string) {
		w := newWorld(t, lang)
		if got := w.ask(s); got.text == "" {
			t.Errorf("%q: no answer", s)
		}
	})
}

func FuzzPattern(f *testing.F) {
	for _, s := range []string{"a (b|c) [d] <x>", "((", "<", "@m", "[a|"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := parsePattern(s, map[string]*pnode{"m": {kind: pWord, word: "m"}}); err == nil && n == nil {
			t.Errorf("%q: no pattern", s)
		}
	})
}
