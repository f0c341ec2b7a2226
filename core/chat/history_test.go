package chat

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/prompt"
)

// talk runs one message in a session to its end.
func (w *world) talk(session core.SessionID, text string) (core.Chain, []core.Event) {
	w.t.Helper()
	c := w.ask(core.Ask{Text: text, Session: session})
	return c, w.events(c.ID, 0)
}

func TestTwoTurnsShareEverythingUpToThePreviousChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one"}
		w := newWorld(t, deps(m, NewMemory(), echo("echo"), echo("also"))).serve()
		defer w.close()
		var session core.SessionID
		var firsts []llm.Request
		for i := range 6 {
			m.mu.Lock()
			m.play = []script{calls(call("echo", fmt.Sprintf(`{"n":%d}`, i))), answers(fmt.Sprintf("answer %d", i))}
			before := len(m.reqs)
			m.mu.Unlock()
			c, _ := w.talk(session, fmt.Sprintf("question %d", i))
			session = c.Session
			firsts = append(firsts, m.requests()[before])
			valid(t, m.requests()[before+1].Messages)
		}
		for i := 1; i < len(firsts); i++ {
			a, b := firsts[i-1], firsts[i]
			if !reflect.DeepEqual(a.System, b.System) || !reflect.DeepEqual(a.Tools, b.Tools) {
				t.Fatalf("turn %d: system prompt or tools moved", i)
			}
			// The chains that both turns have as text: all but the last one of the earlier turn.
			shared := max(0, 2*(i-2))
			x, _ := json.Marshal(a.Messages[:shared])
			y, _ := json.Marshal(b.Messages[:shared])
			if string(x) != string(y) {
				t.Errorf("turn %d: the prefix moved\n%s\n%s", i, x, y)
			}
			if shared > 0 && a.CacheAfter[0] != shared-1 {
				t.Errorf("turn %d: cache points %v, %d messages are shared", i-1, a.CacheAfter, shared)
			}
			if last := len(b.Messages) - 1; b.CacheAfter[len(b.CacheAfter)-1] != last {
				t.Errorf("turn %d: the last message is no cache point: %v", i, b.CacheAfter)
			}
		}
		// The last chain goes whole, older ones as text.
		got := firsts[3].Messages
		if len(got) != 9 || len(got[1].Parts) != 1 || got[5].Parts[0].Type != llm.PartToolUse || got[6].Parts[0].Type != llm.PartToolResult {
			t.Errorf("request of the fourth turn: %+v", got)
		}
	})
}

func TestHistoryFillsTheWindow(t *testing.T) {
	const long = 3500 // bytes, so about 1,000 tokens
	for _, tc := range []struct {
		name    string
		window  int
		chains  int
		omitted bool
		want    int // messages of the last request
	}{
		{"everything fits", 200_000, 40, false, 81},
		{"the newest fit", 40_000, 40, true, 0},
		{"unknown window", 0, 40, true, 0},
		{"no real window", 16 << 20, 40, true, 0},
		{"only the message itself", 2400, 3, true, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{ref: "fake/one", info: llm.Info{Window: 200_000}}
				for range tc.chains {
					m.play = append(m.play, answers(strings.Repeat("a", long)))
				}
				w := newWorld(t, deps(m, NewMemory())).serve()
				defer w.close()
				var session core.SessionID
				for i := range tc.chains {
					c, _ := w.talk(session, fmt.Sprintf("%03d", i)+strings.Repeat("q", 20))
					session = c.Session
				}
				m.mu.Lock()
				m.info.Window = tc.window
				m.play = []script{answers("ok")}
				if tc.omitted && tc.window <= largestWindow { // what cannot be summarised is left out
					m.play = []script{fails(errors.New("no")), answers("ok")}
				}
				m.mu.Unlock()
				_, es := w.talk(session, "now")
				doneOf(t, es)
				r := m.requests()[len(m.requests())-1]
				valid(t, r.Messages)
				if got := strings.Contains(kinds(es), "notice"); got != tc.omitted {
					t.Errorf("events %s", kinds(es))
				}
				if tc.want > 0 && len(r.Messages) != tc.want {
					t.Errorf("%d messages, want %d", len(r.Messages), tc.want)
				}
				limit := tc.window - r.MaxTokens
				if tc.window == 0 || tc.window > largestWindow {
					limit = unknownWindow + 1000
				}
				size := prompt.Size(r.Messages)
				if size > limit {
					t.Errorf("%d tokens do not fit %d", size, limit)
				}
				if tc.want == 0 && size < limit-4000 {
					t.Errorf("%d tokens of %d are used", size, limit)
				}
				if n := len(r.Messages); n > 1 {
					newest := r.Messages[n-3].Parts[0].Text
					if !strings.HasPrefix(newest, fmt.Sprintf("%03d", tc.chains-1)) {
						t.Errorf("the newest chain is %.10s", newest)
					}
				}
			})
		})
	}
}

func TestAMessageThatDoesNotFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", info: llm.Info{Window: 2048}, play: []script{answers("short")}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		defer w.close()
		_, es := w.talk("", strings.Repeat("x ", 4000))
		if e := errorOf(t, es); e.Code != core.TooLarge || !strings.Contains(e.Message, "fake/one takes 2048") {
			t.Errorf("error %+v", e)
		}
		// One that leaves less room than an answer may have gets a shorter answer.
		_, es = w.talk("", strings.Repeat("x ", 2200))
		doneOf(t, es)
		if r := m.requests()[0]; r.MaxTokens >= 1024 || r.MaxTokens < leastAnswer {
			t.Errorf("max tokens %d", r.MaxTokens)
		}
	})
}

func TestAChainThatOutgrowsTheWindowLosesItsPast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", info: llm.Info{Window: 20_000, Tools: true}, play: []script{answers(strings.Repeat("a", 7000))}}
		for i := range 4 {
			m.play = append(m.play, calls(call("echo", fmt.Sprintf(`{"n":%d,"x":"%s"}`, i, strings.Repeat("x", 9000)))))
		}
		m.play = append(m.play, answers("done"))
		w := newWorld(t, deps(m, NewMemory(), echo("echo"))).serve()
		defer w.close()
		c, _ := w.talk("", "first")
		_, es := w.talk(c.Session, "second")
		if e := errorOf(t, es); e.Code != core.TooLarge || strings.Count(kinds(es), "notice") != 1 {
			t.Errorf("%+v %s", e, kinds(es))
		}
		for _, r := range m.requests() {
			valid(t, r.Messages)
		}
	})
}

func TestPromptIsWhatIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{answers("ok")}}
		w := newWorld(t, deps(m, NewMemory(), echo("echo"))).serve()
		defer w.close()
		c, _ := w.talk("", "hi")
		blocks, err := w.s.Prompt(t.Context(), core.Owner, c.Session)
		if err != nil {
			t.Fatal(err)
		}
		if got := prompt.System(blocks); !reflect.DeepEqual(got, m.requests()[0].System) {
			t.Errorf("shown %+v, sent %+v", got, m.requests()[0].System)
		}
		if _, err := w.s.Prompt(t.Context(), 2, c.Session); core.CodeOf(err) != core.NotFound {
			t.Errorf("another user: %v", err)
		}
	})
}

func TestSchemasAreCanonical(t *testing.T) {
	for in, want := range map[string]string{
		`{"b": 1e3, "a": [ {"z":1,"y":2} ]}`: `{"a":[{"y":2,"z":1}],"b":1e3}`,
		`not JSON`:                           `not JSON`,
	} {
		if got := string(canonical(json.RawMessage(in))); got != want {
			t.Errorf("%s gives %s", in, got)
		}
	}
}

func TestTheRecorderWritesEachPartOnce(t *testing.T) {
	r := recorder{seen: map[string]bool{}}
	req := llm.Request{
		System:   []llm.Block{{Text: "system"}},
		Tools:    []llm.Tool{{Name: "t", Schema: json.RawMessage(`{}`)}},
		Messages: []llm.Message{{Role: "user", Parts: []llm.Part{{Type: llm.PartText, Text: "old"}}}, {Role: "user", Parts: []llm.Part{{Type: llm.PartText, Text: "new"}}}},
	}
	a, _ := json.Marshal(r.manifest(1, "m", core.Message{}.Created, req, 1))
	b, _ := json.Marshal(r.manifest(2, "m", core.Message{}.Created, req, 1))
	if s := string(a); !strings.Contains(s, `"system"`) || !strings.Contains(s, `"new"`) || strings.Contains(s, `"old"`) || strings.Count(s, "sha256") != 1 ||
		!strings.Contains(s, `"past":{"messages":1,`) {
		t.Errorf("first manifest %s", s)
	}
	if s := string(b); strings.Contains(s, `"new"`) || strings.Count(s, "sha256") != 4 {
		t.Errorf("second manifest %s", s)
	}
}

var update = flag.Bool("update", false, "write the golden files anew")

// TestTheAssembledRequestIsGolden shows a whole request: nothing may be injected twice, and nothing may move, unseen.
func TestTheAssembledRequestIsGolden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", info: llm.Info{Window: 100_000, Tools: true}, play: []script{
			answers("Hello."), calls(call("echo", `{"n":1}`)), answers("It said 1."), answers("Bye."),
		}}
		w := newWorld(t, deps(m, NewMemory(), echo("echo"))).serve()
		defer w.close()
		var session core.SessionID
		for i, text := range []string{"hi", "use the tool", "bye"} {
			c := w.ask(core.Ask{
				Chain: core.ChainID(fmt.Sprintf("00000000-0000-7000-8000-00000000abc%d", i)), Text: text, Session: session,
				Params: core.Params{Lang: "en", TZ: "Europe/Berlin"},
			})
			session = c.Session
			w.events(c.ID, 0)
		}
		got, err := json.MarshalIndent(m.requests()[3], "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "request.json")
		if *update {
			if err := os.WriteFile(path, append(got, '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != strings.TrimSuffix(string(want), "\n") {
			t.Errorf("the request differs (go test -update writes it anew):\n%s", got)
		}
	})
}

// TestATooLargeQuestionTakesNothingWithIt: it is refused, and the next question still has what was said before it.
func TestATooLargeQuestionTakesNothingWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", info: llm.Info{Window: 4096, MaxOutput: 256}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		defer w.close()
		m.play = []script{answers("mangoes are in season"), answers("still they are")}
		c, _ := w.talk("", "what is in season?")
		large, _ := w.talk(c.Session, strings.Repeat("word ", 20_000))
		if got, err := w.s.Chain(t.Context(), core.Owner, large.ID); err != nil || got.Stop == core.EndTurn {
			t.Fatalf("the large one ended with %+v, %v", got.Stop, err)
		}
		w.talk(c.Session, "and now?")
		reqs := m.requests()
		b, err := json.Marshal(reqs[len(reqs)-1].Messages)
		if err != nil || len(reqs) != 2 || !strings.Contains(string(b), "mangoes are in season") || strings.Contains(string(b), "word word") {
			t.Errorf("%d requests, the last one is %.300s", len(reqs), b)
		}
	})
}
