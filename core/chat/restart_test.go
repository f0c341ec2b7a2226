package chat

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/prompt"
)

func TestQueuedChainsRunAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := NewMemory()
		m := &model{ref: "fake/one", play: []script{hangs(text("a"))}}
		w := newWorld(t, deps(m, st)).serve()
		first := w.ask(core.Ask{Text: "one"})
		synctest.Wait()
		second := w.ask(core.Ask{Text: "two", Session: first.Session})
		gone := w.ask(core.Ask{Text: "three", Session: first.Session, OnDisconnect: core.Cancel})
		kept := w.ask(core.Ask{Text: "four", Session: first.Session, OnDisconnect: core.Cancel})
		w.close()
		time.Sleep(time.Hour)
		m2 := &model{ref: "fake/one", play: []script{
			func(ctx context.Context, r llm.Request, yield func(llm.Delta, error) bool) {
				time.Sleep(30 * time.Second)
				answers("b")(ctx, r, yield)
			},
			answers("d"),
		}}
		w2 := newWorld(t, deps(m2, st)).serve()
		defer w2.close()
		time.Sleep(5 * time.Second)
		if es := w2.events(kept.ID, 2); es[len(es)-1].Text != "d" {
			t.Errorf("re-attached in time: %s", kinds(es))
		}
		if d := doneOf(t, w2.events(gone.ID, 0)); d.StopReason != core.ClientDisconnected {
			t.Errorf("nobody came back: %+v", d)
		}
		if es := w2.events(second.ID, 0); es[len(es)-1].Text != "b" {
			t.Errorf("queued: %s", kinds(es))
		}
		if d := doneOf(t, w2.events(first.ID, 0)); d.StopReason != core.Interrupted {
			t.Errorf("running: %+v", d)
		}
	})
}

func TestASnapshotWhenTheJournalIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := NewMemory()
		m := &model{ref: "fake/one", play: []script{calls(call("echo", `{}`)), answers("the answer"), fails(errors.New("x"), text("half")), hangs()}}
		w := newWorld(t, deps(m, st, echo("echo"))).serve()
		defer w.close()
		c := w.ask(core.Ask{Text: "go"})
		es := w.events(c.ID, 0)
		bad := w.ask(core.Ask{Text: "go on", Session: c.Session})
		bes := w.events(bad.ID, 0)
		synctest.Wait()
		st.Journal().remove(c.ID)
		st.Journal().remove(bad.ID)
		again := w.events(c.ID, 0)
		if kinds(again) != "message text done" || again[2].Seq != es[len(es)-1].Seq || string(again[2].Data) != string(es[len(es)-1].Data) {
			t.Errorf("snapshot %s, %s", kinds(again), again[len(again)-1].Data)
		}
		hung := w.ask(core.Ask{Text: "hang", Session: c.Session})
		synctest.Wait()
		dropped := w.ask(core.Ask{Text: "drop", Session: c.Session})
		if err := w.s.StopSession(t.Context(), core.Owner, c.Session); err != nil {
			t.Error(err)
		}
		des := w.events(dropped.ID, 0)
		w.events(hung.ID, 0)
		synctest.Wait()
		st.Journal().remove(dropped.ID)
		if again := w.events(dropped.ID, 0); kinds(again) != "message done" || string(again[1].Data) != string(des[2].Data) {
			t.Errorf("snapshot of a dropped one: %s, %s", again[len(again)-1].Data, des[2].Data)
		}
		if rest := w.events(c.ID, 3); kinds(rest) != "done" || rest[0].Text != "the answer" {
			t.Errorf("for one who has seen a part: %s", kinds(rest))
		}
		if again := w.events(bad.ID, 0); string(again[len(again)-1].Data) != string(bes[len(bes)-1].Data) || again[len(again)-1].Text != "half" {
			t.Errorf("snapshot of an error: %s", again[len(again)-1].Data)
		}
	})
}

func TestAnInterruptedCallGetsTheJournalsResult(t *testing.T) {
	own := []core.Message{
		{N: 0, Role: core.RoleUser, Type: core.TypeText, Text: "go"},
		{N: 1, Role: core.RoleAssistant, Type: core.TypeToolUse, Tool: "a", Call: "1"},
		{N: 2, Role: core.RoleAssistant, Type: core.TypeToolUse, Tool: "a", Call: "2"},
	}
	st := NewMemory()
	log, _ := st.Journal().Open("x")
	s := New(deps(&model{}, st))
	tn := &turn{s: s, own: own, next: 3, w: &writer{log: log, now: time.Now}}
	l := &left{used: map[core.CallID]core.ToolUseData{"2": {}}, results: map[core.CallID]core.Message{
		"1": {Role: core.RoleUser, Type: core.TypeToolResult, Call: "1", Text: "ran"},
	}}
	tn.closeCalls(l)
	if len(tn.pending) != 2 || tn.pending[0].Text != "ran" || tn.pending[1].Text != prompt.Interrupted || !tn.pending[1].IsError {
		t.Errorf("results %+v", tn.pending)
	}
}

func TestAStoreOlderThanItsJournals(t *testing.T) {
	for _, fail := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			st := NewMemory()
			m := &model{ref: "fake/one", play: []script{calls(call("echo", `{}`)), answers("whole")}}
			if fail {
				m.play[1] = fails(&llm.Error{Kind: llm.KindAuth, Provider: "fake", Message: "no key"}, text("whole"))
			}
			w := newWorld(t, deps(m, st, echo("echo"))).serve()
			c := w.ask(core.Ask{Text: "go"})
			es := w.events(c.ID, 0)
			w.close()
			// As a backup has it whose store was copied first.
			kept := st.chains[c.ID]
			kept.chain.State, kept.chain.Owner, kept.chain.Stop, kept.chain.Last = core.Running, "somebody", "", 0
			kept.msgs = kept.msgs[:2]
			w = newWorld(t, deps(m, st)).serve()
			defer w.close()
			again := w.events(c.ID, 0)
			if kinds(again) != kinds(es) {
				t.Errorf("events %s, before %s", kinds(again), kinds(es))
			}
			got, err := st.Chain(t.Context(), c.ID)
			want := core.EndTurn
			if fail {
				want = core.Failed
			}
			if err != nil || got.State != core.Ended || got.Stop != want || got.Last != es[len(es)-1].Seq {
				t.Errorf("stored %+v %v", got, err)
			}
			ms := w.messages(c.Session)
			if len(ms) < 4 || ms[2].Type != core.TypeToolResult || ms[2].Text != "echo{}" || ms[3].Text != "whole" || (len(ms) == 5) != fail {
				t.Errorf("messages %+v", ms)
			}
		})
	}
}
