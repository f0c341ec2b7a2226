package storetest

import "jarvis/core"

// acceptOwned: an intake with an owner is claimed at once when its lane is free, and only then.
func acceptOwned(f fixture) {
	owned := func(session, n int) core.Chain {
		in := f.ask(session, n)
		in.Owner = "a"
		return f.accept(in)
	}
	if c := owned(1, 1); c.State != core.Running || c.Owner != "a" || c.Started.IsZero() {
		f.t.Fatalf("accepted in a free lane: %+v", c)
	}
	if got, err := f.s.Chain(f.ctx(), chainID(1)); err != nil || got.State != core.Running || got.Owner != "a" {
		f.t.Errorf("stored %+v, %v", got, err)
	}
	if c := owned(1, 2); c.State != core.Queued || c.Owner != "" {
		f.t.Errorf("accepted behind a running chain: %+v", c)
	}
	if f.tryClaim(1, "a") {
		f.t.Error("a second chain of the lane was claimed")
	}
	f.finish(1, "a")
	if c := owned(1, 3); c.State != core.Queued {
		f.t.Errorf("accepted behind a queued chain: %+v", c)
	}
	if c := f.claim(1, "a"); c.ID != chainID(2) {
		f.t.Errorf("next is %s", c.ID)
	}
	f.finish(2, "a")
	if c := f.claim(1, "a"); c.ID != chainID(3) {
		f.t.Errorf("next is %s", c.ID)
	}
	// The same again gives the first chain as it is now, and claims nothing.
	in := f.ask(1, 1)
	in.Owner = "a"
	if c, place, err := f.s.Accept(f.ctx(), in); err != nil || place != 0 || c.State != core.Ended {
		f.t.Errorf("again: %+v, %d, %v", c, place, err)
	}
}
