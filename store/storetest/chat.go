package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"jarvis/core"
)

// RunChat tests what core/chat needs of a store.
func RunChat(t *testing.T, open func(t *testing.T) Chats) {
	for name, f := range map[string]func(fixture){
		"accept":          accept,
		"accept again":    acceptAgain,
		"dedupe key":      dedupeKey,
		"accept refused":  acceptRefused,
		"lane bound":      laneBound,
		"place":           place,
		"claim in order":  claimInOrder,
		"claim one":       claimOne,
		"append":          appendOnce,
		"append refused":  appendRefused,
		"finish":          finishOnce,
		"drop":            drop,
		"adopt":           adopt,
		"unfinished":      unfinished,
		"write meanwhile": writeMeanwhile,
		"history pages":   historyPages,
		"history through": historyThrough,
		"history bounds":  historyBounds,
		"accept race":     acceptRace,
		"claim race":      claimRace,
	} {
		t.Run(name, func(t *testing.T) { f(fixture{t, open(t)}) })
	}
}

func accept(f fixture) {
	in := f.ask(1, 1)
	in.Chain.Params = core.Params{Model: "m", Tools: []string{}}
	c, place, err := f.s.Accept(f.ctx(), in)
	if err != nil {
		f.t.Fatal(err)
	}
	if c.State != core.Queued || c.Pos == 0 || c.Owner != "" || place != 1 {
		f.t.Errorf("accepted %+v at place %d", c, place)
	}
	got, err := f.s.Chain(f.ctx(), c.ID)
	if err != nil || got.Pos != c.Pos || got.Params.Model != "m" || got.Params.Tools == nil {
		f.t.Errorf("stored %+v, %v", got, err)
	}
	ms, _, err := f.s.History(f.ctx(), c.Session, core.Page{})
	if err != nil || len(ms) != 1 || ms[0].Text != "ask 1" || ms[0].Pos != c.Pos || ms[0].ID != core.MessageID(c.ID+".0") {
		f.t.Errorf("message is %+v, %v", ms, err)
	}
	s, err := f.s.Session(f.ctx(), c.Session)
	if err != nil || s.User != alice {
		f.t.Errorf("session is %+v, %v", s, err)
	}
	_, err = f.s.Chain(f.ctx(), chainID(99))
	wantCode(f.t, "unknown chain", err, core.NotFound)
	_, err = f.s.Session(f.ctx(), sessionID(99))
	wantCode(f.t, "unknown session", err, core.NotFound)
}

func acceptAgain(f fixture) {
	first := f.accept(f.ask(1, 1))
	again := f.ask(1, 1)
	again.Message.Text = "other text"
	again.Chain.Created = clock(5)
	c, place, err := f.s.Accept(f.ctx(), again)
	if err != nil || place != 0 || c.ID != first.ID || c.Pos != first.Pos || !c.Created.Equal(first.Created) {
		f.t.Errorf("again: %+v, place %d, %v", c, place, err)
	}
	if got := f.texts(1, core.Page{}); !slices.Equal(got, []string{"ask 1"}) {
		f.t.Errorf("history is %q", got)
	}
	f.claim(1, "a")
	if c, _, err = f.s.Accept(f.ctx(), again); err != nil || c.State != core.Running {
		f.t.Errorf("again while running: %+v, %v", c, err)
	}
	_, _, err = f.s.Accept(f.ctx(), askOf(bob, 2, 1))
	wantCode(f.t, "another user's chain id", err, core.NotFound)
	_, err = f.s.Session(f.ctx(), sessionID(2))
	wantCode(f.t, "session of a refused intake", err, core.NotFound)
}

func dedupeKey(f fixture) {
	in := f.ask(1, 1)
	in.Chain.Origin = core.Origin{Kind: "telegram", Source: "telegram:bot", Key: "77", Cursor: "78"}
	first := f.accept(in)
	again := f.ask(1, 2)
	again.Chain.Origin = in.Chain.Origin
	c, place, err := f.s.Accept(f.ctx(), again)
	if err != nil || place != 0 || c.ID != first.ID {
		f.t.Errorf("same key: %s at %d, %v; want %s", c.ID, place, err, first.ID)
	}
	_, err = f.s.Chain(f.ctx(), chainID(2))
	wantCode(f.t, "chain of a repeated key", err, core.NotFound)
	other := f.ask(1, 3)
	other.Chain.Origin = core.Origin{Kind: "telegram", Source: "telegram:other", Key: "77"}
	if c := f.accept(other); c.ID != chainID(3) {
		f.t.Errorf("same key of another source gave %s", c.ID)
	}
	foreign := askOf(bob, 2, 4)
	foreign.Chain.Origin = in.Chain.Origin
	_, _, err = f.s.Accept(f.ctx(), foreign)
	wantCode(f.t, "another user's key", err, core.NotFound)
}

func acceptRefused(f fixture) {
	in := f.ask(1, 1)
	in.Session = nil
	_, _, err := f.s.Accept(f.ctx(), in)
	wantCode(f.t, "no such session", err, core.NotFound)
	_, err = f.s.Chain(f.ctx(), chainID(1))
	wantCode(f.t, "chain of a refused intake", err, core.NotFound)
	f.accept(f.ask(1, 1))
	in = f.ask(1, 2)
	in.Session = nil
	f.accept(in)
	in = askOf(bob, 1, 3)
	in.Session = nil
	_, _, err = f.s.Accept(f.ctx(), in)
	wantCode(f.t, "another user's session", err, core.NotFound)
	_, _, err = f.s.Accept(f.ctx(), askOf(bob, 1, 3))
	wantCode(f.t, "making another user's session", err, core.NotFound)
	if got := f.texts(1, core.Page{}); len(got) != 2 {
		f.t.Errorf("history is %q", got)
	}
}

func laneBound(f fixture) {
	for n := 1; n <= 100; n++ {
		f.accept(f.ask(1, n))
	}
	_, _, err := f.s.Accept(f.ctx(), f.ask(1, 101))
	wantCode(f.t, "101st", err, core.RateLimited)
	_, err = f.s.Chain(f.ctx(), chainID(101))
	wantCode(f.t, "the refused chain", err, core.NotFound)
	f.accept(f.ask(2, 102))
	if c, place, err := f.s.Accept(f.ctx(), f.ask(1, 1)); err != nil || place != 0 || c.ID != chainID(1) {
		f.t.Errorf("again in a full lane: %s at %d, %v", c.ID, place, err)
	}
	f.claim(1, "a")
	f.accept(f.ask(1, 103))
}

func place(f fixture) {
	for n := 1; n <= 3; n++ {
		if _, place, err := f.s.Accept(f.ctx(), f.ask(1, n)); err != nil || place != n {
			f.t.Errorf("chain %d got place %d, %v", n, place, err)
		}
	}
	f.claim(1, "a")
	if _, place, err := f.s.Accept(f.ctx(), f.ask(1, 4)); err != nil || place != 3 {
		f.t.Errorf("behind two waiting ones: place %d, %v", place, err)
	}
	if _, place, err := f.s.Accept(f.ctx(), f.ask(2, 5)); err != nil || place != 1 {
		f.t.Errorf("in another lane: place %d, %v", place, err)
	}
}

// claimInOrder has a clock that jumps back an hour after the first chain, and ids that sort the other way.
func claimInOrder(f fixture) {
	var last uint64
	for n := 1; n <= 3; n++ {
		in := f.ask(1, n)
		if n > 1 {
			in.Chain.Created = in.Chain.Created.Add(-time.Hour)
			in.Message.Created = in.Chain.Created
		}
		c := f.accept(in)
		if c.Pos <= last {
			f.t.Errorf("position %d follows %d", c.Pos, last)
		}
		last = c.Pos
	}
	for n := 1; n <= 3; n++ {
		if c := f.claim(1, "a"); c.ID != chainID(n) {
			f.t.Errorf("claim %d gave %s", n, c.ID)
		}
		f.finish(n, "a")
	}
	if got := f.texts(1, core.Page{}); !slices.Equal(got, []string{"ask 1", "ask 2", "ask 3"}) {
		f.t.Errorf("history is %q", got)
	}
	if f.tryClaim(1, "a") {
		f.t.Error("claimed from an empty lane")
	}
}

func claimOne(f fixture) {
	f.accept(f.ask(1, 1))
	f.accept(f.ask(1, 2))
	f.accept(f.ask(2, 3))
	at := clock(50)
	c, ok, err := f.s.Claim(f.ctx(), lane(1), "a", at)
	if err != nil || !ok || c.State != core.Running || c.Owner != "a" || !c.Started.Equal(at) {
		f.t.Fatalf("claimed %+v, %v, %v", c, ok, err)
	}
	if got, err := f.s.Chain(f.ctx(), c.ID); err != nil || got.State != core.Running || got.Owner != "a" {
		f.t.Errorf("stored %+v, %v", got, err)
	}
	if f.tryClaim(1, "a") || f.tryClaim(1, "b") {
		f.t.Error("a second chain of the lane was claimed")
	}
	f.claim(2, "b")
	f.finish(1, "a")
	if c := f.claim(1, "b"); c.ID != chainID(2) {
		f.t.Errorf("next is %s", c.ID)
	}
	if f.tryClaim(3, "a") {
		f.t.Error("claimed from a lane that never was")
	}
}

func appendOnce(f fixture) {
	f.accept(f.ask(1, 1))
	f.accept(f.ask(1, 2))
	f.claim(1, "a")
	p := f.progress(1, 1, 1, "a", message(1, 1, "call"), message(1, 2, "more"))
	for range 2 {
		if err := f.s.Append(f.ctx(), p); err != nil {
			f.t.Fatal(err)
		}
	}
	again := f.progress(1, 1, 1, "a", message(1, 1, "rewritten"))
	if err := f.s.Append(f.ctx(), again); err != nil {
		f.t.Fatal(err)
	}
	if err := f.s.Append(f.ctx(), f.progress(1, 1, 0, "a", message(1, 3, "result"))); err != nil {
		f.t.Fatal(err)
	}
	if err := f.s.Append(f.ctx(), f.progress(1, 1, 2, "a", message(1, 4, "answer"))); err != nil {
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
	p := f.progress(1, 1, 1, "a", message(1, 1, "x"))
	wantCode(f.t, "append to a queued chain", f.s.Append(f.ctx(), p), core.Conflict)
	f.claim(1, "a")
	p.Owner = "b"
	wantCode(f.t, "append by another instance", f.s.Append(f.ctx(), p), core.Conflict)
	p.Owner = ""
	wantCode(f.t, "append by nobody", f.s.Append(f.ctx(), p), core.Conflict)
	unknown := f.progress(99, 1, 1, "a")
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
	wantCode(f.t, "append by the dead", f.s.Append(f.ctx(), f.progress(1, 1, 1, "dead")), core.Conflict)
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
	for range f.s.Unfinished(f.ctx(), "me") {
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
	for c := range f.s.Unfinished(f.ctx(), "me") {
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
