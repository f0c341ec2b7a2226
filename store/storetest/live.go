package storetest

import (
	"slices"

	"jarvis/core"
)

// chainsAfter: a session's chains behind a position, in order and bounded.
func chainsAfter(f fixture, _ Sessions) {
	s, ok := f.s.(Live)
	if !ok {
		f.t.Fatal("not a store of live.Service")
	}
	var all []core.Chain
	for n := 1; n <= 5; n++ {
		all = append(all, f.accept(f.ask(1, n)))
		f.accept(f.ask(2, 50+n)) // a neighbour
	}
	names := func(cs []core.Chain) (out []core.ChainID) {
		for _, c := range cs {
			out = append(out, c.ID)
		}
		return out
	}
	for i := range len(all) + 1 {
		pos := uint64(0)
		if i > 0 {
			pos = all[i-1].Pos
		}
		for _, n := range []int{1, 2, 100} {
			got, err := s.ChainsAfter(f.ctx(), sessionID(1), pos, n)
			want := all[i:min(i+n, len(all))]
			if err != nil || !slices.Equal(names(got), names(want)) {
				f.t.Errorf("after %d, at most %d: %v, %v", i, n, names(got), err)
			}
		}
		// A position is none of the session's own where a chain was erased or is a neighbour's.
		if got, err := s.ChainsAfter(f.ctx(), sessionID(1), pos+1, 100); err != nil || !slices.Equal(names(got), names(all[min(i, len(all)):])) && i > 0 {
			f.t.Errorf("after the neighbour behind %d: %v, %v", i, names(got), err)
		}
	}
	if got, err := s.ChainsAfter(f.ctx(), sessionID(9), 0, 10); err != nil || len(got) != 0 {
		f.t.Errorf("of a session that is not there: %v, %v", got, err)
	}
}
