package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/tool"
)

// script is what a fake model does with one request.
type script func(ctx context.Context, r llm.Request, yield func(llm.Delta, error) bool)

// model plays one script a request and keeps the requests.
type model struct {
	ref  string
	info llm.Info

	mu   sync.Mutex // guards the rest
	play []script
	reqs []llm.Request
}

func (m *model) Ref() string    { return m.ref }
func (m *model) Info() llm.Info { return m.info }

func (m *model) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		m.mu.Lock()
		m.reqs = append(m.reqs, r)
		var s script
		if len(m.play) > 0 {
			s = m.play[0]
			m.play = m.play[1:]
		}
		m.mu.Unlock()
		if s == nil {
			yield(llm.Delta{}, errors.New("the test has no script for this request"))
			return
		}
		s(ctx, r, yield)
	}
}

func (m *model) requests() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reqs
}

// Resolve makes the model its own resolver.
// It prices what is played the way that daemon's models do.
func (m *model) Resolve(_ context.Context, name string) (llm.Model, error) {
	if name == "nowhere" {
		return nil, core.E(core.BadRequest, "there is no model nowhere", "jarvis model list", nil)
	}
	return llm.Announce(m), nil
}

func text(s string) llm.Delta { return llm.Delta{Kind: llm.DeltaText, Text: s} }
func finish(s string) llm.Delta {
	return llm.Delta{Kind: llm.DeltaFinish, Finish: s}
}

func usage(in, out int64) llm.Delta {
	return llm.Delta{Kind: llm.DeltaUsage, Usage: &core.Usage{In: in, Out: out}}
}

func call(name, args string) llm.Delta {
	return llm.Delta{Kind: llm.DeltaCall, Part: &llm.Part{Type: llm.PartToolUse, Call: "theirs", Name: name, Args: json.RawMessage(args)}}
}

// says plays deltas, behind the model's name.
func says(ds ...llm.Delta) script {
	return func(ctx context.Context, _ llm.Request, yield func(llm.Delta, error) bool) {
		if !yield(llm.Delta{Kind: llm.DeltaModel, Text: "fake/one"}, nil) {
			return
		}
		for _, d := range ds {
			if ctx.Err() != nil {
				yield(llm.Delta{}, ctx.Err())
				return
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

func answers(s string) script {
	return says(text(s), usage(10, 5), finish(llm.FinishEnd))
}

// hangs plays deltas and then waits for the end of its context.
func hangs(ds ...llm.Delta) script {
	return func(ctx context.Context, r llm.Request, yield func(llm.Delta, error) bool) {
		ok := true
		says(ds...)(ctx, r, func(d llm.Delta, err error) bool { ok = yield(d, err); return ok })
		if !ok {
			return
		}
		<-ctx.Done()
		yield(llm.Delta{}, ctx.Err())
	}
}

func fails(err error, ds ...llm.Delta) script {
	return func(ctx context.Context, r llm.Request, yield func(llm.Delta, error) bool) {
		ok := true
		says(ds...)(ctx, r, func(d llm.Delta, err error) bool { ok = yield(d, err); return ok })
		if ok {
			yield(llm.Delta{}, err)
		}
	}
}

// world is a service over a store in memory. It is used inside a synctest bubble, so its clock is the bubble's.
type world struct {
	t     *testing.T
	s     *Service
	m     *model
	store *Memory
	deps  Deps
	stop  context.CancelFunc
	done  chan error
}

var ids struct {
	sync.Mutex
	n int
}

func newID() string {
	ids.Lock()
	defer ids.Unlock()
	ids.n++
	return fmt.Sprintf("00000000-0000-7000-8000-%012x", ids.n)
}

func deps(m *model, st *Memory, tools ...tool.Tool) Deps {
	reg := tool.NewRegistry()
	if err := reg.Add(tools...); err != nil {
		panic(err)
	}
	return Deps{
		Store: st, Journal: st.Journal(), Models: m, Tools: reg, Now: time.Now,
		After: func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop },
		NewID: newID, Self: core.InstanceID(newID()),
	}
}

func newWorld(t *testing.T, d Deps) *world {
	w := &world{t: t, s: New(d), deps: d, done: make(chan error, 1)}
	w.m, _ = d.Models.(*model)
	w.store, _ = d.Store.(*Memory)
	return w
}

// serve starts the service and waits until it is ready; close ends it.
func (w *world) serve() *world {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	go func() { w.done <- w.s.Serve(ctx) }()
	select {
	case <-w.s.Ready():
	case err := <-w.done:
		w.t.Fatalf("Serve ended: %v", err)
	}
	return w
}

func (w *world) close() {
	w.t.Helper()
	w.stop()
	if err := <-w.done; !errors.Is(err, context.Canceled) {
		w.t.Errorf("Serve: %v", err)
	}
}

func (w *world) ask(a core.Ask) core.Chain {
	w.t.Helper()
	if a.User == 0 {
		a.User = core.Owner
	}
	c, err := w.s.Ask(context.Background(), a)
	if err != nil {
		w.t.Fatalf("Ask: %v", err)
	}
	return c
}

// events reads a chain to its end and checks what holds for every chain.
func (w *world) events(id core.ChainID, after uint64) []core.Event {
	w.t.Helper()
	var out []core.Event
	seq := after
	for e, err := range w.s.Events(context.Background(), core.Owner, id, after) {
		if err != nil {
			w.t.Fatalf("Events: %v (after %d events)", err, len(out))
		}
		if e.Seq <= seq {
			w.t.Errorf("event %s has number %d after %d", e.Type, e.Seq, seq)
		}
		seq = e.Seq
		if e.Chain != id || e.Session == "" || e.Time.IsZero() {
			w.t.Errorf("event %s lacks common fields: %+v", e.Type, e)
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		w.t.Fatalf("no events")
	}
	ends := 0
	for _, e := range out {
		if e.Type.Terminal() {
			ends++
		}
	}
	if ends != 1 || !out[len(out)-1].Type.Terminal() {
		w.t.Fatalf("terminal events: %d, last is %s", ends, out[len(out)-1].Type)
	}
	if after == 0 {
		if shown := join(out, core.EventText); shown != out[len(out)-1].Text {
			w.t.Errorf("terminal text is %q, the text events are %q", out[len(out)-1].Text, shown)
		}
	}
	return out
}

func join(es []core.Event, typ core.EventType) string {
	s := ""
	for _, e := range es {
		if e.Type == typ {
			s += e.Text
		}
	}
	return s
}

func kinds(es []core.Event) string {
	s := ""
	for i, e := range es {
		if i > 0 {
			s += " "
		}
		s += string(e.Type)
		if e.Type == core.EventState {
			var d core.StateData
			_ = e.Detail(&d)
			s += ":" + string(d.State)
		}
	}
	return s
}

func doneOf(t *testing.T, es []core.Event) core.DoneData {
	t.Helper()
	last := es[len(es)-1]
	if last.Type != core.EventDone {
		t.Fatalf("the chain ended with %s: %s", last.Type, last.Data)
	}
	var d core.DoneData
	if err := last.Detail(&d); err != nil {
		t.Fatal(err)
	}
	return d
}

func errorOf(t *testing.T, es []core.Event) core.ErrorData {
	t.Helper()
	last := es[len(es)-1]
	if last.Type != core.EventError {
		t.Fatalf("the chain ended with %s: %s %q", last.Type, last.Data, last.Text)
	}
	var d core.ErrorData
	if err := last.Detail(&d); err != nil {
		t.Fatal(err)
	}
	return d
}

// messages gives a session's messages as "role type text" lines.
func (w *world) messages(id core.SessionID) []core.Message {
	w.t.Helper()
	ms, _, err := w.deps.Store.History(context.Background(), id, core.Page{Limit: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	return ms
}
