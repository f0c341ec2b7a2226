package chat_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"jarvis/core"
	"jarvis/core/chat"
	"jarvis/core/llm"
	"jarvis/core/tool"
	"jarvis/core/tool/basic"
	"jarvis/store/bolt"
	"jarvis/store/journal"
)

// echoModel answers with what it was asked, a word at a time; after the word "hang" it waits for its end.
type echoModel struct {
	mu   sync.Mutex // guards reqs
	reqs []llm.Request
	hung chan struct{}
}

func (m *echoModel) Ref() string    { return "fake/echo" }
func (m *echoModel) Info() llm.Info { return llm.Info{Window: 100_000, Tools: true} }

func (m *echoModel) Resolve(context.Context, string) (llm.Model, error) { return m, nil }

func (m *echoModel) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		m.mu.Lock()
		m.reqs = append(m.reqs, r)
		m.mu.Unlock()
		last := r.Messages[len(r.Messages)-1].Parts
		for word := range strings.SplitSeq(last[len(last)-1].Text, " ") {
			if word == "hang" {
				close(m.hung)
				<-ctx.Done()
				yield(llm.Delta{}, ctx.Err())
				return
			}
			if !yield(llm.Delta{Kind: llm.DeltaText, Text: word + " "}, nil) {
				return
			}
		}
		yield(llm.Delta{Kind: llm.DeltaFinish, Finish: llm.FinishEnd}, nil)
	}
}

type journals struct{ *journal.Dir }

func (j journals) Open(id core.ChainID) (chat.Log, error) {
	l, err := j.Log(id)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// daemon is a service over a real store and real journals in dir.
func daemon(t testing.TB, dir string, m llm.Resolver) (s *chat.Service, j *journal.Dir, stop func()) {
	t.Helper()
	st, err := bolt.Open(t.Context(), bolt.Options{Path: filepath.Join(dir, "jarvis.db")})
	if err != nil {
		t.Fatal(err)
	}
	if j, err = journal.Open(filepath.Join(dir, "runs"), journal.Options{}); err != nil {
		t.Fatal(err)
	}
	reg := tool.NewRegistry()
	if err := reg.Add(basic.Tools()...); err != nil {
		t.Fatal(err)
	}
	id := func() string { return uuid.Must(uuid.NewV7()).String() }
	s = chat.New(chat.Deps{
		Store: st, Journal: journals{j}, Models: m, Tools: reg, Now: time.Now, NewID: id, Self: core.InstanceID(id()),
		After: func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop },
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	<-s.Ready()
	return s, j, func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := errors.Join(j.Close(), st.Close()); err != nil {
			t.Error(err)
		}
	}
}

func read(t *testing.T, s *chat.Service, id core.ChainID, after uint64) []core.Event {
	t.Helper()
	var out []core.Event
	for e, err := range s.Events(t.Context(), core.Owner, id, after) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	if len(out) == 0 || !out[len(out)-1].Type.Terminal() {
		t.Fatalf("%d events without an end", len(out))
	}
	return out
}

func TestOnARealStore(t *testing.T) {
	dir := t.TempDir()
	m := &echoModel{hung: make(chan struct{})}
	s, j, stop := daemon(t, dir, m)
	ask := func(text string, session core.SessionID) core.Chain {
		c, err := s.Ask(t.Context(), core.Ask{User: core.Owner, Text: text, Session: session})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := ask("one two three", "")
	if es := read(t, s, first.ID, 0); es[len(es)-1].Text != "one two three " {
		t.Errorf("answer %q", es[len(es)-1].Text)
	}
	var many []core.Chain
	for i := range 5 {
		many = append(many, ask(fmt.Sprint("message ", i), first.Session))
	}
	for i, c := range many {
		if es := read(t, s, c.ID, 0); es[len(es)-1].Text != fmt.Sprint("message ", i, " ") {
			t.Errorf("answer %d: %q", i, es[len(es)-1].Text)
		}
	}
	hanging := ask("then hang", first.Session)
	queued := ask("after the restart", first.Session)
	<-m.hung
	stop()

	// A journal of the first daemon goes missing; its chain is told from the store.
	if err := j.Remove(t.Context(), many[0].ID); err != nil {
		t.Fatal(err)
	}
	m2 := &echoModel{}
	s, _, stop = daemon(t, dir, m2)
	defer stop()
	if es := read(t, s, queued.ID, 0); es[len(es)-1].Text != "after the restart " {
		t.Errorf("queued: %q", es[len(es)-1].Text)
	}
	es := read(t, s, hanging.ID, 0)
	var d core.DoneData
	if err := es[len(es)-1].Detail(&d); err != nil || d.StopReason != core.Interrupted || es[len(es)-1].Text != "then " {
		t.Errorf("interrupted: %+v %q", d, es[len(es)-1].Text)
	}
	if es := read(t, s, many[0].ID, 0); len(es) != 3 || es[2].Text != "message 0 " {
		t.Errorf("snapshot: %+v", es)
	}
	whole := read(t, s, first.ID, 0)
	for after := range uint64(len(whole)) {
		rest := read(t, s, first.ID, after)
		if rest[len(rest)-1].Seq != whole[len(whole)-1].Seq || rest[0].Seq <= after {
			t.Errorf("after %d: %+v", after, rest)
		}
	}
	if n := len(m2.reqs[0].Messages); n != 15 {
		t.Errorf("the request after the restart has %d messages", n)
	}
}

func TestAPlainAskIsUnder4KB(t *testing.T) {
	m := &echoModel{}
	s, _, stop := daemon(t, t.TempDir(), m)
	defer stop()
	c, err := s.Ask(t.Context(), core.Ask{User: core.Owner, Text: "hi"})
	if err != nil {
		t.Fatal(err)
	}
	read(t, s, c.ID, 0)
	r := m.reqs[0]
	n := len("hi")
	for _, b := range r.System {
		n += len(b.Text)
	}
	for _, tl := range r.Tools {
		n += len(tl.Name) + len(tl.Description) + len(tl.Schema)
	}
	if len(r.Tools) == 0 || n > 4000 {
		t.Errorf("%d bytes with %d tools", n, len(r.Tools))
	}
	t.Logf("%d bytes", n)
}

// BenchmarkDelta is what one delta costs from the model to a reader, through the journal on disk.
func BenchmarkDelta(b *testing.B) {
	m := &echoModel{}
	s, _, stop := daemon(b, b.TempDir(), m)
	defer stop()
	b.ResetTimer()
	c, err := s.Ask(b.Context(), core.Ask{User: core.Owner, Text: strings.Repeat("word ", b.N)})
	if err != nil {
		b.Fatal(err)
	}
	for _, err := range s.Events(b.Context(), core.Owner, c.ID, 0) {
		if err != nil {
			b.Fatal(err)
		}
	}
}
