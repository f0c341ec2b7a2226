package storetest

import (
	"fmt"
	"slices"

	"jarvis/core"
)

func appendOnce(f fixture) {
	f.accept(f.ask(1, 1))
	f.accept(f.ask(1, 2))
	f.claim(1, "a")
	p := f.progress(1, 1, "a", message(1, 1, "call"), message(1, 2, "more"))
	for range 2 {
		if err := f.s.Append(f.ctx(), p); err != nil {
			f.t.Fatal(err)
		}
	}
	again := f.progress(1, 1, "a", message(1, 1, "rewritten"))
	if err := f.s.Append(f.ctx(), again); err != nil {
		f.t.Fatal(err)
	}
	if err := f.s.Append(f.ctx(), f.progress(1, 0, "a", message(1, 3, "result"))); err != nil {
		f.t.Fatal(err)
	}
	if err := f.s.Append(f.ctx(), f.progress(1, 2, "a", message(1, 4, "answer"))); err != nil {
		f.t.Fatal(err)
	}
	want := []string{"ask 1", "call", "more", "result", "answer", "ask 2"}
	if got := f.texts(1, core.Page{}); !slices.Equal(got, want) {
		f.t.Errorf("history is %q, want %q", got, want)
	}
	ms, _, err := f.s.History(f.ctx(), sessionID(1), core.Page{})
	if err != nil || ms[1].Pos != ms[0].Pos || ms[1].N != 1 || ms[1].ID != core.MessageID(chainID(1)+".1") {
		f.t.Errorf("message is %+v, %v", ms[1], err)
	}
}

func appendRefused(f fixture) {
	f.accept(f.ask(1, 1))
	p := f.progress(1, 1, "a", message(1, 1, "x"))
	wantCode(f.t, "append to a queued chain", f.s.Append(f.ctx(), p), core.Conflict)
	f.claim(1, "a")
	p.Owner = "b"
	wantCode(f.t, "append by another instance", f.s.Append(f.ctx(), p), core.Conflict)
	p.Owner = ""
	wantCode(f.t, "append by nobody", f.s.Append(f.ctx(), p), core.Conflict)
	unknown := f.progress(99, 1, "a")
	wantCode(f.t, "append to no chain", f.s.Append(f.ctx(), unknown), core.NotFound)
	f.finish(1, "a")
	p.Owner = "a"
	wantCode(f.t, "append to an ended chain", f.s.Append(f.ctx(), p), core.Conflict)
	if got := f.texts(1, core.Page{}); !slices.Equal(got, []string{"ask 1"}) {
		f.t.Errorf("history is %q", got)
	}
}

func finishOnce(f fixture) {
	f.accept(f.ask(1, 1))
	wantCode(f.t, "finish a queued chain", f.s.Finish(f.ctx(), f.ending(1, "a", clock(1))), core.Conflict)
	f.claim(1, "a")
	wantCode(f.t, "finish by another instance", f.s.Finish(f.ctx(), f.ending(1, "b", clock(1))), core.Conflict)
	e := f.ending(1, "a", clock(9), message(1, 1, "answer"))
	e.Step = &core.Step{N: 1, Model: "m"}
	if err := f.s.Finish(f.ctx(), e); err != nil {
		f.t.Fatal(err)
	}
	c, err := f.s.Chain(f.ctx(), chainID(1))
	if err != nil || c.State != core.Ended || c.Stop != core.EndTurn || c.Model != "m" || c.System != "sys" || c.Last != 7 ||
		c.Usage != e.Usage || c.Iterations != 1 || !c.Done.Equal(clock(9)) {
		f.t.Errorf("ended chain is %+v, %v", c, err)
	}
	if got := f.texts(1, core.Page{}); !slices.Equal(got, []string{"ask 1", "answer"}) {
		f.t.Errorf("history is %q", got)
	}
	if s, err := f.s.Session(f.ctx(), sessionID(1)); err != nil || !s.Modified.Equal(clock(9)) {
		f.t.Errorf("session is %+v, %v", s, err)
	}
	wantCode(f.t, "finish again", f.s.Finish(f.ctx(), e), core.Conflict)
	wantCode(f.t, "finish no chain", f.s.Finish(f.ctx(), f.ending(99, "a", clock(1))), core.NotFound)
}

func drop(f fixture) {
	for n := 1; n <= 3; n++ {
		f.accept(f.ask(1, n))
	}
	f.claim(1, "a")
	wantCode(f.t, "drop a running chain", f.s.Drop(f.ctx(), f.ending(1, "a", clock(1))), core.Conflict)
	e := f.ending(2, "", clock(8))
	e.Stop = core.Stopped
	if err := f.s.Drop(f.ctx(), e); err != nil {
		f.t.Fatal(err)
	}
	wantCode(f.t, "drop again", f.s.Drop(f.ctx(), e), core.Conflict)
	wantCode(f.t, "drop no chain", f.s.Drop(f.ctx(), f.ending(99, "", clock(1))), core.NotFound)
	if c, err := f.s.Chain(f.ctx(), chainID(2)); err != nil || c.State != core.Ended || c.Stop != core.Stopped {
		f.t.Errorf("dropped chain is %+v, %v", c, err)
	}
	f.finish(1, "a")
	if c := f.claim(1, "a"); c.ID != chainID(3) {
		f.t.Errorf("after the dropped one comes %s", c.ID)
	}
	if got := f.texts(1, core.Page{}); !slices.Equal(got, []string{"ask 1", "ask 2", "ask 3"}) {
		f.t.Errorf("history is %q: a dropped chain's message stays", got)
	}
}

func adopt(f fixture) {
	f.accept(f.ask(1, 1))
	f.claim(1, "dead")
	c, err := f.s.Adopt(f.ctx(), chainID(1), "me")
	if err != nil || c.Owner != "me" || c.State != core.Running {
		f.t.Fatalf("adopted %+v, %v", c, err)
	}
	wantCode(f.t, "append by the dead", f.s.Append(f.ctx(), f.progress(1, 1, "dead")), core.Conflict)
	wantCode(f.t, "finish by the dead", f.s.Finish(f.ctx(), f.ending(1, "dead", clock(1))), core.Conflict)
	if f.tryClaim(1, "me") {
		f.t.Error("the lane is free while its chain is open")
	}
	e := f.ending(1, "me", clock(1))
	e.Stop = core.Interrupted
	if err := f.s.Finish(f.ctx(), e); err != nil {
		f.t.Fatal(err)
	}
	_, err = f.s.Adopt(f.ctx(), chainID(1), "me")
	wantCode(f.t, "adopt an ended chain", err, core.Conflict)
	_, err = f.s.Adopt(f.ctx(), chainID(99), "me")
	wantCode(f.t, "adopt no chain", err, core.NotFound)
}

func unfinished(f fixture) {
	for n := 1; n <= 5; n++ {
		f.accept(f.ask(n, n))
	}
	f.claim(1, "me")
	f.claim(2, "dead")
	f.claim(3, "dead")
	e := f.ending(3, "dead", clock(3))
	if err := f.s.Finish(f.ctx(), e); err != nil {
		f.t.Fatal(err)
	}
	if err := f.s.Drop(f.ctx(), f.ending(4, "", clock(4))); err != nil {
		f.t.Fatal(err)
	}
	got := map[core.ChainID]core.ChainState{}
	for c, err := range f.s.Unfinished(f.ctx(), "me") {
		if err != nil {
			f.t.Fatal(err)
		}
		got[c.ID] = c.State
	}
	if len(got) != 2 || got[chainID(2)] != core.Running || got[chainID(5)] != core.Queued {
		f.t.Errorf("unfinished are %v", got)
	}
	for _, err := range f.s.Unfinished(f.ctx(), "me") {
		if err != nil {
			f.t.Fatal(err)
		}
		break // leaving early is allowed
	}
}

// writeMeanwhile writes while it iterates: an iterator that held a transaction would wait for itself.
func writeMeanwhile(f fixture) {
	const chains = 450
	for n := 1; n <= chains; n++ {
		f.accept(f.ask(n, n))
		f.claim(n, "dead")
	}
	n := 0
	for c, err := range f.s.Unfinished(f.ctx(), "me") {
		if err != nil {
			f.t.Fatal(err)
		}
		if _, err := f.s.Adopt(f.ctx(), c.ID, "me"); err != nil {
			f.t.Fatal(err)
		}
		if err := f.s.Finish(f.ctx(), core.Ending{Progress: core.Progress{Chain: c.ID, Owner: "me"}, Stop: core.Interrupted}); err != nil {
			f.t.Fatal(err)
		}
		n++
	}
	if n != chains {
		f.t.Errorf("%d of %d chains were found", n, chains)
	}
	for c, err := range f.s.Unfinished(f.ctx(), "me") {
		if err != nil {
			f.t.Fatal(err)
		}
		f.t.Errorf("chain %s is still open", c.ID)
	}
}

func many(f fixture, n int) []string {
	var all []string
	for i := 1; i <= n; i++ {
		f.accept(f.ask(1, i))
		f.claim(1, "a")
		if err := f.s.Finish(f.ctx(), f.ending(i, "a", clock(i), message(i, 1, fmt.Sprintf("answer %d", i)))); err != nil {
			f.t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("ask %d", i), fmt.Sprintf("answer %d", i))
	}
	return all
}
