package chat

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/tool"
)

func TestStopWhileStreaming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{hangs(text("so "), text("far"))}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		defer w.close()
		c := w.ask(core.Ask{Text: "go"})
		synctest.Wait()
		if err := w.s.Stop(t.Context(), core.Owner, c.ID); err != nil {
			t.Fatal(err)
		}
		es := w.events(c.ID, 0)
		if d := doneOf(t, es); d.StopReason != core.Stopped || es[len(es)-1].Text != "so far" {
			t.Errorf("done %+v %q", d, es[len(es)-1].Text)
		}
		ms := w.messages(c.Session)
		if len(ms) != 2 || ms[1].Text != "so far" || !ms[1].Partial {
			t.Errorf("messages %+v", ms)
		}
		if err := w.s.Stop(t.Context(), core.Owner, c.ID); err != nil {
			t.Errorf("stopping an ended chain: %v", err)
		}
	})
}

func TestStopWhileQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{hangs(text("first")), answers("third")}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		defer w.close()
		first := w.ask(core.Ask{Text: "one"})
		synctest.Wait()
		second := w.ask(core.Ask{Text: "two", Session: first.Session})
		third := w.ask(core.Ask{Text: "three", Session: first.Session})
		if l := w.s.Running(); l.Running != 1 || l.Queued != 2 {
			t.Errorf("load %+v", l)
		}
		if err := w.s.Stop(t.Context(), core.Owner, second.ID); err != nil {
			t.Fatal(err)
		}
		es := w.events(second.ID, 0)
		if got := kinds(es); got != "message state:queued done" {
			t.Errorf("events %s", got)
		}
		if d := doneOf(t, es); d.StopReason != core.Stopped {
			t.Errorf("done %+v", d)
		}
		if err := w.s.Stop(t.Context(), core.Owner, first.ID); err != nil {
			t.Fatal(err)
		}
		if es := w.events(third.ID, 0); es[len(es)-1].Text != "third" {
			t.Errorf("third: %s", kinds(es))
		}
		// The messages of the stopped chains go to the model, joined so that roles alternate.
		r := m.requests()[1]
		if len(r.Messages) != 3 || len(r.Messages[2].Parts) != 2 || r.Messages[1].Parts[0].Text != "first" {
			t.Errorf("request %+v", r.Messages)
		}
	})
}

func TestStopInATool(t *testing.T) {
	for _, stubborn := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			defer close(release)
			m := &model{ref: "fake/one", play: []script{calls(call("wait", `{}`), call("wait", `{"n":2}`)), answers("next")}}
			wait := fakeTool("wait", false, func(ctx context.Context, c tool.Call) (tool.Result, error) {
				if !stubborn {
					<-ctx.Done()
					return tool.Result{Text: "killed", IsError: true}, nil
				}
				<-release
				c.Output([]byte("too late"))
				return tool.Result{Text: "late"}, nil
			})
			w := newWorld(t, deps(m, NewMemory(), wait)).serve()
			defer w.close()
			c := w.ask(core.Ask{Text: "go"})
			synctest.Wait()
			start := time.Now()
			if err := w.s.Stop(t.Context(), core.Owner, c.ID); err != nil {
				t.Fatal(err)
			}
			es := w.events(c.ID, 0)
			if d := doneOf(t, es); d.StopReason != core.Stopped {
				t.Errorf("done %+v", d)
			}
			if took := time.Since(start); took > stopGrace {
				t.Errorf("stopping took %v", took)
			}
			first := "killed"
			if stubborn {
				first = "stopped; it may or may not have run"
			}
			if got := join(es, core.EventToolResult); got != first+"stopped before it ran" {
				t.Errorf("results %q", got)
			}
			next := w.ask(core.Ask{Text: "and?", Session: c.Session})
			w.events(next.ID, 0)
			ms := m.requests()[1].Messages
			if len(ms) != 3 || len(ms[1].Parts) != 2 || len(ms[2].Parts) != 3 || !ms[2].Parts[1].IsError {
				t.Errorf("the next request: %+v", ms)
			}
		})
	}
}

func TestStopSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{hangs(text("a")), answers("must not run")}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		defer w.close()
		c := w.ask(core.Ask{Text: "one"})
		synctest.Wait()
		d := w.ask(core.Ask{Text: "two", Session: c.Session})
		if err := w.s.StopSession(t.Context(), 7, c.Session); core.CodeOf(err) != core.NotFound {
			t.Errorf("another user stops it: %v", err)
		}
		if err := w.s.StopSession(t.Context(), core.Owner, c.Session); err != nil {
			t.Fatal(err)
		}
		for _, id := range []core.ChainID{c.ID, d.ID} {
			if dn := doneOf(t, w.events(id, 0)); dn.StopReason != core.Stopped {
				t.Errorf("done %+v", dn)
			}
		}
		if n := len(m.requests()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{hangs(text("slow"))}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		defer w.close()
		start := time.Now()
		es := w.events(w.ask(core.Ask{Text: "go", Params: core.Params{TimeoutMS: 1500}}).ID, 0)
		if d := doneOf(t, es); d.StopReason != core.TimedOut || time.Since(start) != 1500*time.Millisecond || d.DurationMS != 1500 {
			t.Errorf("done %+v after %v", d, time.Since(start))
		}
	})
}

func TestOrderAndLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one"}
		either := func(ctx context.Context, r llm.Request, yield func(llm.Delta, error) bool) {
			if r.Messages[len(r.Messages)-1].Parts[0].Type == llm.PartToolResult {
				answers("ok")(ctx, r, yield)
				return
			}
			calls(call("slow", `{}`))(ctx, r, yield)
		}
		for range 12 {
			m.play = append(m.play, either)
		}
		slow := fakeTool("slow", true, func(context.Context, tool.Call) (tool.Result, error) {
			time.Sleep(time.Second)
			return tool.Result{Text: "ok"}, nil
		})
		w := newWorld(t, deps(m, NewMemory(), slow)).serve()
		defer w.close()
		start := time.Now()
		a := []core.Chain{w.ask(core.Ask{Text: "a1"})}
		b := []core.Chain{w.ask(core.Ask{Text: "b1"})}
		for i := range 2 {
			a = append(a, w.ask(core.Ask{Text: "a" + string(rune('2'+i)), Session: a[0].Session}))
			b = append(b, w.ask(core.Ask{Text: "b" + string(rune('2'+i)), Session: b[0].Session}))
		}
		for _, c := range append(a, b...) {
			w.events(c.ID, 0)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("two sessions with three messages each took %v, not 3 s", took)
		}
		for _, session := range []core.SessionID{a[0].Session, b[0].Session} {
			order := ""
			for _, msg := range w.messages(session) {
				if msg.Role == core.RoleUser && msg.Type == core.TypeText {
					order += msg.Text[1:]
				}
			}
			if order != "123" {
				t.Errorf("order %s", order)
			}
		}
		var d core.StateData
		es := w.events(a[2].ID, 0)
		if err := es[1].Detail(&d); err != nil || d.State != core.Queued || d.Position < 1 {
			t.Errorf("queued event %+v", d)
		}
		if !strings.HasPrefix(kinds(es), "message state:queued state:running start") {
			t.Errorf("events %s", kinds(es))
		}
	})
}

func TestTheSameChainIDTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{answers("once")}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		defer w.close()
		id := core.ChainID(newID())
		results := make(chan core.Chain, 8)
		for range 8 {
			go func() {
				c, err := w.s.Ask(context.Background(), core.Ask{Chain: id, User: core.Owner, Text: "go"})
				if err != nil {
					t.Error(err)
				}
				results <- c
			}()
		}
		session := (<-results).Session
		for range 7 {
			if c := <-results; c.ID != id || c.Session != session {
				t.Errorf("another chain: %+v", c)
			}
		}
		w.events(id, 0)
		c := w.ask(core.Ask{Chain: id, Text: "go"})
		if c.ID != id || c.Session != session || len(m.requests()) != 1 || len(w.messages(session)) != 2 {
			t.Errorf("asked again: %+v, %d requests", c, len(m.requests()))
		}
		if _, err := w.s.Ask(t.Context(), core.Ask{Chain: id, User: 2, Text: "go"}); core.CodeOf(err) != core.NotFound {
			t.Errorf("another user: %v", err)
		}
		for _, err := range w.s.Events(t.Context(), 2, id, 0) {
			if core.CodeOf(err) != core.NotFound {
				t.Errorf("another user reads: %v", err)
			}
		}
		if err := w.s.Stop(t.Context(), 2, id); core.CodeOf(err) != core.NotFound {
			t.Errorf("another user stops: %v", err)
		}
		a := w.ask(core.Ask{Text: "k", Origin: core.Origin{Kind: "telegram", Source: "telegram:x", Key: "9"}})
		b := w.ask(core.Ask{Text: "k", Origin: core.Origin{Kind: "telegram", Source: "telegram:x", Key: "9"}})
		if a.ID != b.ID {
			t.Errorf("the same dedupe key made two chains")
		}
		if _, ok := w.s.find(b.ID); ok && w.s.Running().Queued > 1 {
			t.Errorf("the second request left an entry: %+v", w.s.Running())
		}
	})
}

func TestASlowReaderDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := make([]script, 1)
		s[0] = answers(strings.Repeat("x", 100))
		m := &model{ref: "fake/one", play: s}
		w := newWorld(t, deps(m, NewMemory())).serve()
		defer w.close()
		start := time.Now()
		c := w.ask(core.Ask{Text: "go"})
		slow := make(chan int)
		go func() {
			n := 0
			for range w.s.Events(context.Background(), core.Owner, c.ID, 0) {
				time.Sleep(time.Hour)
				n++
			}
			slow <- n
		}()
		w.events(c.ID, 0)
		if time.Since(start) != 0 {
			t.Errorf("took %v", time.Since(start))
		}
		if n := <-slow; n != 7 {
			t.Errorf("the slow reader got %d events", n)
		}
	})
}

func TestTheClockJumpsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{calls(call("echo", `{}`)), answers("one"), answers("two")}}
		d := deps(m, NewMemory(), echo("echo"))
		n := 0
		d.Now = func() time.Time { n++; return time.Now().Add(-time.Duration(n) * time.Hour) }
		w := newWorld(t, d).serve()
		defer w.close()
		c := w.ask(core.Ask{Text: "first"})
		es := w.events(c.ID, 0)
		if d := doneOf(t, es); d.DurationMS != 0 {
			t.Errorf("duration %d", d.DurationMS)
		}
		w.events(w.ask(core.Ask{Text: "second", Session: c.Session}).ID, 0)
		ms := m.requests()[2].Messages
		if len(ms) != 5 || ms[0].Parts[0].Text != "first" || ms[4].Parts[0].Text != "second" {
			t.Errorf("order by clock: %+v", ms)
		}
	})
}
