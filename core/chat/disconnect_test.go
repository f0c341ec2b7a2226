package chat

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"jarvis/core"
	"jarvis/core/tool"
)

func TestDisconnect(t *testing.T) {
	for _, tc := range []struct {
		name   string
		rule   core.OnDisconnect
		away   time.Duration // a reader comes back after that; 0 = never
		reason core.StopReason
	}{
		{"cancel, nobody ever", core.Cancel, -1, core.ClientDisconnected},
		{"cancel, nobody comes back", core.Cancel, 0, core.ClientDisconnected},
		{"cancel, back in time", core.Cancel, 9 * time.Second, core.EndTurn},
		{"cancel, back too late", core.Cancel, 11 * time.Second, core.ClientDisconnected},
		{"continue", core.Continue, 0, core.EndTurn},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := fakeTool("slow", true, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
					select {
					case <-time.After(30 * time.Second):
					case <-ctx.Done():
					}
					return tool.Result{Text: "ok"}, nil
				})
				m := &model{ref: "fake/one", play: []script{calls(call("slow", `{}`)), answers("done")}}
				w := newWorld(t, deps(m, NewMemory(), slow)).serve()
				defer w.close()
				c := w.ask(core.Ask{Text: "go", OnDisconnect: tc.rule})
				var seen uint64
				if tc.away >= 0 {
					ctx, leave := context.WithTimeout(t.Context(), 5*time.Second)
					for e, err := range w.s.Events(ctx, core.Owner, c.ID, 0) {
						if err != nil {
							break
						}
						seen = e.Seq
					}
					leave()
				}
				if tc.away > 0 {
					time.Sleep(tc.away)
				} else {
					time.Sleep(time.Minute)
				}
				es := w.events(c.ID, seen)
				if d := doneOf(t, es); d.StopReason != tc.reason {
					t.Errorf("stop reason %s", d.StopReason)
				}
			})
		})
	}
}

func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := fakeTool("slow", true, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
			select {
			case <-time.After(3 * time.Second):
			case <-ctx.Done():
			}
			return tool.Result{Text: "ok"}, nil
		})
		m := &model{ref: "fake/one", play: []script{calls(call("slow", `{}`)), answers("finished")}}
		w := newWorld(t, deps(m, NewMemory(), slow)).serve()
		defer w.close()
		c := w.ask(core.Ask{Text: "one"})
		synctest.Wait()
		waiting := w.ask(core.Ask{Text: "two", Session: c.Session})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		if err := w.s.Drain(ctx); err != nil || time.Since(start) != 3*time.Second {
			t.Errorf("Drain: %v after %v", err, time.Since(start))
		}
		if es := w.events(c.ID, 0); es[len(es)-1].Text != "finished" {
			t.Errorf("events %s", kinds(es))
		}
		if _, err := w.s.Ask(t.Context(), core.Ask{User: core.Owner, Text: "three"}); core.CodeOf(err) != core.UpstreamUnavailable {
			t.Errorf("Ask while stopping: %v", err)
		}
		if q, err := w.s.Chain(t.Context(), core.Owner, waiting.ID); err != nil || q.State != core.Queued {
			t.Errorf("the queued chain: %+v %v", q, err)
		}
	})
}

func TestDrainInterruptsWhatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{hangs(text("half"))}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		c := w.ask(core.Ask{Text: "one"})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := w.s.Drain(ctx); err != nil {
			t.Errorf("Drain: %v", err)
		}
		w.close()
		es := w.events(c.ID, 0)
		if d := doneOf(t, es); d.StopReason != core.Interrupted || es[len(es)-1].Text != "half" {
			t.Errorf("done %+v", d)
		}
	})
}

func TestServeEndsInterruptsChains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{hangs(text("half"))}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		c := w.ask(core.Ask{Text: "one"})
		synctest.Wait()
		w.close()
		if d := doneOf(t, w.events(c.ID, 0)); d.StopReason != core.Interrupted {
			t.Errorf("done %+v", d)
		}
	})
}
