package storetest

import (
	"slices"
	"sync"

	"jarvis/core"
)

func historyPages(f fixture) {
	all := many(f, 13)
	f.accept(f.ask(2, 99)) // a neighbour
	for _, limit := range []int{1, 2, 5, 26, 27} {
		for _, back := range []bool{false, true} {
			var got []string
			p := core.Page{Limit: limit, Backward: back}
			for pages := 0; ; pages++ {
				if pages > len(all) {
					f.t.Fatalf("limit %d, backward %v: no end", limit, back)
				}
				ms, next, err := f.s.History(f.ctx(), sessionID(1), p)
				if err != nil {
					f.t.Fatal(err)
				}
				if len(ms) > limit || (next != "" && len(ms) != limit) {
					f.t.Errorf("limit %d gave %d entries and the cursor %q", limit, len(ms), next)
				}
				if back {
					got = append(textsOf(ms), got...)
				} else {
					got = append(got, textsOf(ms)...)
				}
				if next == "" {
					break
				}
				p.After = next
			}
			if !slices.Equal(got, all) {
				f.t.Errorf("limit %d, backward %v: %q", limit, back, got)
			}
		}
	}
}

func historyThrough(f fixture) {
	all := many(f, 6)
	c, err := f.s.Chain(f.ctx(), chainID(3))
	if err != nil {
		f.t.Fatal(err)
	}
	for _, back := range []bool{false, true} {
		if got := f.texts(1, core.Page{Through: c.Pos, Backward: back}); !slices.Equal(got, all[:6]) {
			f.t.Errorf("through chain 3, backward %v: %q", back, got)
		}
	}
	ms, next, err := f.s.History(f.ctx(), sessionID(1), core.Page{Through: c.Pos, Backward: true, Limit: 4})
	if err != nil || !slices.Equal(textsOf(ms), all[2:6]) {
		f.t.Errorf("last four through chain 3: %q, %v", textsOf(ms), err)
	}
	ms, next, err = f.s.History(f.ctx(), sessionID(1), core.Page{Through: c.Pos, Backward: true, Limit: 4, After: next})
	if err != nil || next != "" || !slices.Equal(textsOf(ms), all[:2]) {
		f.t.Errorf("the first two: %q, %q, %v", textsOf(ms), next, err)
	}
}

func historyBounds(f fixture) {
	f.accept(f.ask(1, 1))
	f.claim(1, "a")
	var ms []core.Message
	for n := uint32(1); n <= 1200; n++ {
		ms = append(ms, message(1, n, "x"))
	}
	if err := f.s.Append(f.ctx(), f.progress(1, 1, "a", ms...)); err != nil {
		f.t.Fatal(err)
	}
	for limit, want := range map[int]int{0: 50, -1: 50, 1000: 1000, 5000: 1000} {
		if got := f.texts(1, core.Page{Limit: limit}); len(got) != want {
			f.t.Errorf("limit %d gave %d", limit, len(got))
		}
	}
	got, _, err := f.s.History(f.ctx(), sessionID(1), core.Page{Limit: 1000, Backward: true})
	if err != nil || got[len(got)-1].N != 1200 || got[0].N != 201 {
		f.t.Errorf("the last page is %d..%d, %v", got[0].N, got[len(got)-1].N, err)
	}
	_, _, err = f.s.History(f.ctx(), sessionID(1), core.Page{After: "%%% no cursor"})
	wantCode(f.t, "a cursor that is none", err, core.BadRequest)
}

// acceptRace has eight front ends deliver the same chains: each is stored once.
func acceptRace(f fixture) {
	const chains, doors = 20, 8
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		fresh = map[core.ChainID]int{}
	)
	for range doors {
		wg.Go(func() {
			for n := 1; n <= chains; n++ {
				c, place, err := f.s.Accept(f.ctx(), f.ask(1, n))
				if err != nil {
					f.t.Errorf("accept: %v", err)
					return
				}
				if place > 0 {
					mu.Lock()
					fresh[c.ID]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if len(fresh) != chains {
		f.t.Errorf("%d of %d chains were accepted", len(fresh), chains)
	}
	for id, n := range fresh {
		if n != 1 {
			f.t.Errorf("chain %s was accepted %d times", id, n)
		}
	}
	if got := f.texts(1, core.Page{Limit: 1000}); len(got) != chains {
		f.t.Errorf("history has %d messages", len(got))
	}
}

// claimRace has eight workers on one lane: every chain runs once, in order, one at a time.
func claimRace(f fixture) {
	const chains, workers = 30, 8
	for n := 1; n <= chains; n++ {
		f.accept(f.ask(1, n))
	}
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		ran []core.ChainID
	)
	for w := range workers {
		owner := core.InstanceID(rune('a' + w))
		wg.Go(func() {
			for {
				mu.Lock()
				done := len(ran) == chains
				mu.Unlock()
				if done {
					return
				}
				c, ok, err := f.s.Claim(f.ctx(), lane(1), owner, clock(1))
				if err != nil {
					f.t.Errorf("claim: %v", err)
					return
				}
				if !ok {
					continue
				}
				mu.Lock()
				ran = append(ran, c.ID)
				mu.Unlock()
				err = f.s.Finish(f.ctx(), core.Ending{Progress: core.Progress{Chain: c.ID, Owner: owner}, Stop: core.EndTurn, Done: clock(1)})
				if err != nil {
					f.t.Errorf("finish: %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
	var want []core.ChainID
	for n := 1; n <= chains; n++ {
		want = append(want, chainID(n))
	}
	if !slices.Equal(ran, want) {
		f.t.Errorf("chains ran as %v", ran)
	}
}
