package storetest

import (
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
		"accept owned":    acceptOwned,
		"append":          appendOnce,
		"append refused":  appendRefused,
		"summaries":       summaries,
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
