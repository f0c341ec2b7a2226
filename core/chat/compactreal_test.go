package chat_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/store/bolt"
)

// memoryModel answers at length, and asked for a summary it repeats each line with the word "fact".
type memoryModel struct {
	mu   sync.Mutex // guards reqs
	reqs []llm.Request
}

func (m *memoryModel) Ref() string    { return "fake/memory" }
func (m *memoryModel) Info() llm.Info { return llm.Info{Window: 10_000, Price: &llm.Price{}} }

func (m *memoryModel) Resolve(context.Context, string) (llm.Model, error) { return m, nil }

func (m *memoryModel) Stream(_ context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		m.mu.Lock()
		m.reqs = append(m.reqs, r)
		m.mu.Unlock()
		text := strings.Repeat("answer ", 500)
		if strings.HasPrefix(r.System[0].Text, "You keep the memory") {
			text = ""
			for line := range strings.Lines(r.Messages[0].Parts[0].Text) {
				if strings.Contains(line, "fact") {
					text += line
				}
			}
		}
		_ = yield(llm.Delta{Kind: llm.DeltaText, Text: text}, nil) &&
			yield(llm.Delta{Kind: llm.DeltaUsage, Usage: &core.Usage{In: 100, Out: 10}}, nil) &&
			yield(llm.Delta{Kind: llm.DeltaFinish, Finish: llm.FinishEnd}, nil)
	}
}

// last is the newest request's text.
func (m *memoryModel) last() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for _, msg := range m.reqs[len(m.reqs)-1].Messages {
		for _, p := range msg.Parts {
			b.WriteString(p.Text + "\n")
		}
	}
	return b.String()
}

// TestFactsOutliveSummaries: a fact goes through one summary after the other and through restarts, until a person takes the
// message with it out of the prompt.
func TestFactsOutliveSummaries(t *testing.T) {
	dir, m := t.TempDir(), &memoryModel{}
	var session core.SessionID
	var first core.Chain
	made, cost := 0, int64(0)
	for round := range 3 {
		s, _, stop := daemon(t, dir, m)
		for i := range 5 {
			text := fmt.Sprintf("round %d, question %d", round, i)
			if round == 0 && i == 0 {
				text = "a fact: the cat is called Mia"
			}
			c, err := s.Ask(t.Context(), core.Ask{User: core.Owner, Text: text, Session: session})
			if err != nil {
				t.Fatal(err)
			}
			if session = c.Session; first.ID == "" {
				first = c
			}
			for _, e := range read(t, s, c.ID, 0) {
				if e.Type == core.EventCompaction {
					made++
				}
				var d core.DoneData
				if e.Type == core.EventDone && e.Detail(&d) == nil {
					cost += d.Tokens.In
				}
			}
			if !strings.Contains(m.last(), "called Mia") {
				t.Fatalf("round %d, question %d: the fact is gone from\n%.600s", round, i, m.last())
			}
		}
		stop()
	}
	if want := int64(len(m.reqs)) * 100; made < 2 || cost != want {
		t.Errorf("%d summaries; %d tokens are counted, %d were used", made, cost, want)
	}

	st, err := bolt.Open(t.Context(), bolt.Options{Path: filepath.Join(dir, "jarvis.db")})
	if err != nil {
		t.Fatal(err)
	}
	sum, ok, err := st.Summary(t.Context(), session)
	if err != nil || !ok || sum.From != first.Pos || sum.First != first.ID || sum.Prev == 0 {
		t.Errorf("the last summary is %+v, %v", sum, err)
	}
	if _, err := st.HideMessage(t.Context(), core.Owner, core.MessageID(first.ID+".0"), true); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	s, _, stop := daemon(t, dir, m)
	defer stop()
	c, err := s.Ask(t.Context(), core.Ask{User: core.Owner, Text: "and now?", Session: session})
	if err != nil {
		t.Fatal(err)
	}
	read(t, s, c.ID, 0)
	if strings.Contains(m.last(), "Mia") {
		t.Error("a hidden message is told by a summary")
	}
}
