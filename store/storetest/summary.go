package storetest

import (
	"jarvis/core"
)

// summarise appends step 0 of a running chain with a summary up to another chain.
func (f fixture) summarise(chain int, owner core.InstanceID, prev, to uint64, text string) error {
	return f.s.Append(f.ctx(), core.Progress{
		Chain: chainID(chain), Owner: owner, Step: &core.Step{Chain: chainID(chain), N: 0, Model: "m", Usage: core.Usage{In: 5, Out: 1}},
		Summary: &core.Summary{From: 1, To: to, Prev: prev, Text: text, Chains: 1},
	})
}

func summaries(f fixture) {
	var cs []core.Chain
	for n := 1; n <= 2; n++ {
		cs = append(cs, f.accept(f.ask(1, n)))
		f.claim(1, "a")
		f.finish(n, "a")
	}
	if _, ok, err := f.s.Summary(f.ctx(), sessionID(1)); ok || err != nil {
		f.t.Fatalf("a summary that nobody made: %v, %v", ok, err)
	}
	third := f.accept(f.ask(1, 3))
	f.claim(1, "a")
	for what, err := range map[string]error{
		"another owner":   f.summarise(3, "b", 0, cs[0].Pos, "x"),
		"of its own time": f.summarise(3, "a", 0, third.Pos, "x"),
		"an unknown one":  f.summarise(3, "a", cs[0].Pos, cs[1].Pos, "x"),
		"nothing":         f.summarise(3, "a", 0, 0, "x"),
	} {
		wantCode(f.t, what, err, core.Conflict)
	}
	if c, err := f.s.Chain(f.ctx(), chainID(3)); err != nil || c.Usage.In != 0 {
		f.t.Errorf("a refused summary was counted: %+v, %v", c.Usage, err)
	}
	for range 2 { // again is no second one
		if err := f.summarise(3, "a", 0, cs[0].Pos, "first"); err != nil {
			f.t.Fatal(err)
		}
	}
	s, ok, err := f.s.Summary(f.ctx(), sessionID(1))
	if err != nil || !ok || s.Text != "first" || s.Session != sessionID(1) || s.Chain != chainID(3) || s.To != cs[0].Pos {
		f.t.Fatalf("summary %+v, %v, %v", s, ok, err)
	}
	if c, err := f.s.Chain(f.ctx(), chainID(3)); err != nil || c.Usage.In != 5 {
		f.t.Errorf("its usage is %+v, %v", c.Usage, err)
	}
	f.finish(3, "a")
	f.accept(f.ask(1, 4))
	f.claim(1, "a")
	wantCode(f.t, "one that does not know the first", f.summarise(4, "a", 0, cs[1].Pos, "x"), core.Conflict)
	if err := f.summarise(4, "a", cs[0].Pos, cs[1].Pos, "second"); err != nil {
		f.t.Fatal(err)
	}
	f.accept(f.ask(2, 9))
	if _, ok, err := f.s.Summary(f.ctx(), sessionID(2)); ok || err != nil {
		f.t.Errorf("the neighbour has a summary: %v", err)
	}
	_, err = f.s.UndoSummary(f.ctx(), bob, sessionID(1))
	wantCode(f.t, "another user", err, core.NotFound)
	for _, want := range []string{"second", "first"} {
		if s, _, _ := f.s.Summary(f.ctx(), sessionID(1)); s.Text != want {
			f.t.Errorf("the newest is %q, want %q", s.Text, want)
		}
		if s, err := f.s.UndoSummary(f.ctx(), alice, sessionID(1)); err != nil || s.Text != want {
			f.t.Errorf("undone is %q, %v", s.Text, err)
		}
	}
	_, err = f.s.UndoSummary(f.ctx(), alice, sessionID(1))
	wantCode(f.t, "nothing left to undo", err, core.NotFound)
	if got := f.texts(1, core.Page{}); len(got) != 4 {
		f.t.Errorf("messages are gone: %q", got)
	}
}
