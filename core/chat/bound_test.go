package chat

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"jarvis/core"
	"jarvis/core/llm"
)

// TestAnAnswerHasABound plays answers that are over the limit only together: in one piece, in many, as control characters
// that JSON writes six times as long, as reasoning, and over several requests.
func TestAnAnswerHasABound(t *testing.T) {
	mib := strings.Repeat("x", 1<<20)
	many := func(d llm.Delta, n int) []llm.Delta {
		out := make([]llm.Delta, 0, n+1)
		for range n {
			out = append(out, d)
		}
		return append(out, finish(llm.FinishEnd))
	}
	opaque := llm.Delta{Kind: llm.DeltaOpaque, Part: &llm.Part{Opaque: &core.Opaque{Provider: "fake", Data: json.RawMessage(`"` + mib + `"`)}}}
	for _, tc := range []struct {
		name string
		play []script
		text int // bytes of text at the end
		fits bool
	}{
		{"10 MB in one piece", []script{says(text(strings.Repeat("x", 10_000_000)), finish(llm.FinishEnd))}, 10_000_000, true},
		{"one piece", []script{says(text(strings.Repeat("x", maxAnswer+1)), finish(llm.FinishEnd))}, maxAnswer, false},
		{"many pieces", []script{says(many(text(mib), 100)...)}, maxAnswer, false},
		{"control characters", []script{says(text(strings.Repeat("\x01", 12_000_000)), finish(llm.FinishEnd))}, maxAnswer / 6, false},
		{"reasoning", []script{says(many(llm.Delta{Kind: llm.DeltaReasoning, Text: mib}, 100)...)}, 0, false},
		{"signatures", []script{says(append([]llm.Delta{text("a")}, many(opaque, 100)...)...)}, 1, false},
		{"several requests", []script{
			says(text(strings.Repeat(mib, 10)), call("echo", `{}`), finish(llm.FinishToolUse)),
			says(text(strings.Repeat(mib, 10)), finish(llm.FinishEnd)),
		}, maxAnswer, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{ref: "fake/one", play: tc.play}
				w := newWorld(t, deps(m, NewMemory(), echo("echo"))).serve()
				defer w.close()
				c := w.ask(core.Ask{Text: "go"})
				es := w.events(c.ID, 0)
				last := es[len(es)-1]
				if len(last.Text) != tc.text {
					t.Errorf("%d bytes of text, want %d", len(last.Text), tc.text)
				}
				if tc.fits {
					doneOf(t, es)
				} else if e := errorOf(t, es); e.Code != core.TooLarge || !strings.Contains(e.Message, "limit of 16 MiB") {
					t.Errorf("error %+v", e)
				}
				if b, err := json.Marshal(last); err != nil || len(b) > maxAnswer+4096 {
					t.Errorf("the last event has %d bytes (%v)", len(b), err)
				}
				kept := 0
				for _, m := range w.messages(c.Session) {
					if m.Type == core.TypeText && m.Role == core.RoleAssistant {
						kept += len(m.Text)
					}
				}
				if kept != tc.text {
					t.Errorf("%d bytes are kept, want %d", kept, tc.text)
				}
			})
		})
	}
}

// TestFitCountsWhatJSONWrites holds the count against encoding/json, which may never write more.
func TestFitCountsWhatJSONWrites(t *testing.T) {
	for r := range rune(0x3000) {
		if !utf8.ValidRune(r) {
			continue
		}
		b, err := json.Marshal(string(r))
		if err != nil || runeSize(r) < len(b)-2 {
			t.Errorf("%U is counted as %d, JSON writes %s (%v)", r, runeSize(r), b, err)
		}
	}
	for s, want := range map[string]string{"": "", "abcdef": "abcd", "äöü": "äö", "a\x01b": "a", "\n\n\n": "\n\n", "😀😀": "😀"} {
		if got, n := fit(s, 4); got != want || n > 4 {
			t.Errorf("%q: %q, %d", s, got, n)
		}
	}
}
