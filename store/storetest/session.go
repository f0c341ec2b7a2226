package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"jarvis/core"
)

func runSession(t *testing.T, open func(t *testing.T) Store) {
	for name, f := range map[string]func(fixture, Sessions){
		"list":         list,
		"list pages":   listPages,
		"clock back":   clockBack,
		"find":         find,
		"last ask":     lastAsk,
		"chains":       chains,
		"chains after": chainsAfter,
		"delete":       deleteSession,
		"delete open":  deleteOpen,
		"delete large": deleteLarge,
		"expired":      expired,
	} {
		t.Run(name, func(t *testing.T) {
			fx, s := full(t, open)
			f(fx, s)
		})
	}
}

// hidden makes an intake's session one of `ask` in a folder.
func hidden(in core.Intake, cwd string) core.Intake {
	in.Session.Hidden, in.Session.Cwd = true, cwd
	return in
}

func ids(ss []core.Session) []core.SessionID {
	var out []core.SessionID
	for _, s := range ss {
		out = append(out, s.ID)
	}
	return out
}

func sessionIDs(ns ...int) []core.SessionID {
	var out []core.SessionID
	for _, n := range ns {
		out = append(out, sessionID(n))
	}
	return out
}

func wantSessions(f fixture, s Sessions, user core.UserID, hidden bool, want ...int) {
	f.t.Helper()
	ss, _, err := s.Sessions(f.ctx(), user, hidden, core.Page{})
	if err != nil || !slices.Equal(ids(ss), sessionIDs(want...)) {
		f.t.Errorf("sessions (hidden %v) are %v, %v; want %v", hidden, ids(ss), err, sessionIDs(want...))
	}
}

func list(f fixture, s Sessions) {
	wantSessions(f, s, alice, true)
	f.accept(f.ask(1, 1))
	f.accept(hidden(f.ask(2, 2), "/a"))
	f.accept(f.ask(3, 3))
	f.accept(askOf(bob, 4, 4))
	wantSessions(f, s, alice, false, 3, 1)
	wantSessions(f, s, alice, true, 3, 2, 1)
	wantSessions(f, s, bob, true, 4)
	f.claim(1, "a")
	if err := f.s.Finish(f.ctx(), f.ending(1, "a", clock(10))); err != nil {
		f.t.Fatal(err)
	}
	wantSessions(f, s, alice, true, 1, 3, 2)
	f.accept(f.ask(3, 11))
	wantSessions(f, s, alice, true, 3, 1, 2)
	ss, _, err := s.Sessions(f.ctx(), alice, true, core.Page{})
	if err != nil || !ss[0].Modified.Equal(clock(11)) || !ss[0].Created.Equal(clock(3)) || !ss[2].Hidden || ss[2].Cwd != "/a" {
		f.t.Errorf("sessions are %+v, %v", ss, err)
	}
}

func listPages(f fixture, s Sessions) {
	var all []core.SessionID
	for n := 1; n <= 12; n++ {
		f.accept(f.ask(n, n))
		all = append([]core.SessionID{sessionID(n)}, all...)
	}
	for _, limit := range []int{1, 5, 12} {
		var got []core.SessionID
		p := core.Page{Limit: limit}
		for range 20 {
			ss, next, err := s.Sessions(f.ctx(), alice, false, p)
			if err != nil {
				f.t.Fatal(err)
			}
			got = append(got, ids(ss)...)
			if p.After = next; next == "" {
				break
			}
		}
		if !slices.Equal(got, all) {
			f.t.Errorf("limit %d: %v", limit, got)
		}
	}
}

// clockBack: the clock jumps back an hour, the order of use holds.
func clockBack(f fixture, s Sessions) {
	f.accept(hidden(f.ask(1, 100), "/a"))
	f.accept(hidden(f.ask(2, 40), "/a")) // an hour earlier by the clock
	f.accept(hidden(f.ask(3, 41), "/a"))
	wantSessions(f, s, alice, true, 3, 2, 1)
	f.claim(1, "a")
	if err := f.s.Finish(f.ctx(), f.ending(100, "a", clock(42))); err != nil {
		f.t.Fatal(err)
	}
	wantSessions(f, s, alice, true, 1, 3, 2)
	if got, err := s.LastAsk(f.ctx(), alice, "/a"); err != nil || got.ID != sessionID(1) {
		f.t.Errorf("last ask is %s, %v", got.ID, err)
	}
}

func find(f fixture, s Sessions) {
	for n := 1; n <= 40; n++ {
		f.accept(f.ask(n, n))
	}
	f.accept(askOf(bob, 41, 41))
	id := string(sessionID(7))
	for _, typed := range []string{
		core.Short(id), id, id[:8], id[:13], "7", "07", "0000007", "000000000007", "F", "f", "ffffffF8", "zz", "", "-", "'",
		string(sessionID(41)), core.Short(string(sessionID(41))), "0", "00000000", "9000-000000000007",
	} {
		var want []core.SessionID
		for n := 1; n <= 40; n++ {
			if core.HexDigits(typed) && core.MatchID(string(sessionID(n)), typed) {
				want = append(want, sessionID(n))
			}
		}
		got, err := s.FindSessions(f.ctx(), alice, typed, 100)
		if err != nil {
			f.t.Errorf("%q: %v", typed, err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			f.t.Errorf("%q gave %v, want %v", typed, got, want)
		}
	}
	if got, err := s.FindSessions(f.ctx(), alice, "ffffff", 3); err != nil || len(got) > 3 {
		f.t.Errorf("at most 3: %v, %v", got, err)
	}
	if got, err := s.FindSessions(f.ctx(), alice, "ffffffff", 3); err != nil || len(got) > 3 {
		f.t.Errorf("at most 3 by prefix: %v, %v", got, err)
	}
}

func lastAsk(f fixture, s Sessions) {
	_, err := s.LastAsk(f.ctx(), alice, "")
	wantCode(f.t, "no ask yet", err, core.NotFound)
	f.accept(hidden(f.ask(1, 1), "/a"))
	f.accept(hidden(f.ask(2, 2), "/b"))
	f.accept(f.ask(3, 3)) // not hidden: made by chat
	f.accept(hidden(askOf(bob, 4, 4), "/a"))
	for cwd, want := range map[string]int{"/a": 1, "/b": 2, "": 2} {
		if got, err := s.LastAsk(f.ctx(), alice, cwd); err != nil || got.ID != sessionID(want) {
			f.t.Errorf("last ask in %q is %s, %v", cwd, got.ID, err)
		}
	}
	_, err = s.LastAsk(f.ctx(), alice, "/")
	wantCode(f.t, "no ask in this folder", err, core.NotFound)
	f.accept(f.ask(1, 5))
	if got, err := s.LastAsk(f.ctx(), alice, ""); err != nil || got.ID != sessionID(1) {
		f.t.Errorf("last ask is %s, %v", got.ID, err)
	}
}

func chains(f fixture, s Sessions) {
	for n := 1; n <= 5; n++ {
		f.accept(f.ask(1, n))
		f.accept(f.ask(2, n+50))
	}
	var got []core.ChainID
	p := core.Page{Limit: 2}
	for range 10 {
		cs, next, err := s.Chains(f.ctx(), sessionID(1), p)
		if err != nil {
			f.t.Fatal(err)
		}
		for _, c := range cs {
			got = append(got, c.ID)
		}
		if p.After = next; next == "" {
			break
		}
	}
	want := []core.ChainID{chainID(1), chainID(2), chainID(3), chainID(4), chainID(5)}
	if !slices.Equal(got, want) {
		f.t.Errorf("chains are %v", got)
	}
	cs, _, err := s.Chains(f.ctx(), sessionID(1), core.Page{Limit: 1, Backward: true})
	if err != nil || len(cs) != 1 || cs[0].ID != chainID(5) {
		f.t.Errorf("the last chain is %v, %v", cs, err)
	}
}

func deleteSession(f fixture, s Sessions) {
	in := hidden(f.ask(1, 1), "/a")
	in.Chain.Origin = core.Origin{Kind: "telegram", Source: "telegram:bot", Key: "77"}
	f.accept(in)
	f.accept(f.ask(1, 2))
	f.accept(hidden(f.ask(2, 3), "/a"))
	for n := 1; n <= 2; n++ {
		f.claim(1, "a")
		e := f.ending(n, "a", clock(n), message(n, 1, "answer"))
		e.Step = &core.Step{N: 1}
		if err := f.s.Finish(f.ctx(), e); err != nil {
			f.t.Fatal(err)
		}
	}
	got, err := s.DeleteSession(f.ctx(), sessionID(1))
	if err != nil || !slices.Equal(got, []core.ChainID{chainID(1), chainID(2)}) {
		f.t.Fatalf("deleted %v, %v", got, err)
	}
	// Their journals are noted until they are gone, also the second one when the first has been said.
	for n := 1; n <= 3; n++ {
		orphans, err := s.Orphans(f.ctx(), 9)
		slices.Sort(orphans)
		want := slices.Clone(got[min(n-1, 2):])
		if slices.Sort(want); err != nil || !slices.Equal(orphans, want) {
			f.t.Errorf("journals to remove: %v, %v", orphans, err)
		}
		if err := s.Forget(f.ctx(), chainID(n)); err != nil {
			f.t.Error(err)
		}
	}
	_, err = s.Session(f.ctx(), sessionID(1))
	wantCode(f.t, "deleted session", err, core.NotFound)
	_, err = f.s.Chain(f.ctx(), chainID(1))
	wantCode(f.t, "deleted chain", err, core.NotFound)
	if got := f.texts(1, core.Page{}); len(got) != 0 {
		f.t.Errorf("history is %q", got)
	}
	if cs, _, err := s.Chains(f.ctx(), sessionID(1), core.Page{}); err != nil || len(cs) != 0 {
		f.t.Errorf("chains are %v, %v", cs, err)
	}
	wantSessions(f, s, alice, true, 2)
	if got, err := s.FindSessions(f.ctx(), alice, core.Short(string(sessionID(1))), 9); err != nil || len(got) != 0 {
		f.t.Errorf("found %v, %v", got, err)
	}
	if got, err := s.LastAsk(f.ctx(), alice, "/a"); err != nil || got.ID != sessionID(2) {
		f.t.Errorf("last ask is %v, %v", got.ID, err)
	}
	if got, err := s.Expired(f.ctx(), clock(100), 9); err != nil || !slices.Equal(got, sessionIDs(2)) {
		f.t.Errorf("expired are %v, %v", got, err)
	}
	_, err = s.DeleteSession(f.ctx(), sessionID(1))
	wantCode(f.t, "delete again", err, core.NotFound)
	if _, place, err := f.s.Accept(f.ctx(), in); err != nil || place != 1 {
		f.t.Errorf("the erased dedupe key is still known: place %d, %v", place, err)
	}
	if got := f.texts(1, core.Page{}); !slices.Equal(got, []string{"ask 1"}) {
		f.t.Errorf("history of the new session is %q", got)
	}
	if got := f.texts(2, core.Page{}); !slices.Equal(got, []string{"ask 3"}) {
		f.t.Errorf("history of the neighbour is %q", got)
	}
}

func deleteOpen(f fixture, s Sessions) {
	f.accept(f.ask(1, 1))
	_, err := s.DeleteSession(f.ctx(), sessionID(1))
	wantCode(f.t, "delete while queued", err, core.Conflict)
	f.claim(1, "a")
	_, err = s.DeleteSession(f.ctx(), sessionID(1))
	wantCode(f.t, "delete while running", err, core.Conflict)
	if got := f.texts(1, core.Page{}); len(got) != 1 {
		f.t.Errorf("history is %q", got)
	}
	f.finish(1, "a")
	if _, err := s.DeleteSession(f.ctx(), sessionID(1)); err != nil {
		f.t.Error(err)
	}
}

// deleteLarge erases more than one step's rows.
func deleteLarge(f fixture, s Sessions) {
	f.accept(f.ask(1, 1))
	f.claim(1, "a")
	for step := 1; step <= 3; step++ {
		var ms []core.Message
		for n := range 1500 {
			ms = append(ms, message(1, uint32(step*1500+n), fmt.Sprintf("m %d", n)))
		}
		if err := f.s.Append(f.ctx(), f.progress(1, step, "a", ms...)); err != nil {
			f.t.Fatal(err)
		}
	}
	f.finish(1, "a")
	if _, err := s.DeleteSession(f.ctx(), sessionID(1)); err != nil {
		f.t.Fatal(err)
	}
	if got := f.texts(1, core.Page{}); len(got) != 0 {
		f.t.Errorf("%d messages are left", len(got))
	}
	f.accept(f.ask(1, 1))
}

func expired(f fixture, s Sessions) {
	f.accept(hidden(f.ask(1, 1), "/a"))
	f.accept(hidden(f.ask(2, 2), ""))
	f.accept(f.ask(3, 3))
	f.accept(hidden(askOf(bob, 4, 4), ""))
	f.accept(hidden(f.ask(5, 5), ""))
	for _, c := range []struct {
		before time.Time
		n      int
		want   []core.SessionID
	}{
		{clock(0), 9, nil},
		{clock(2), 9, sessionIDs(1)},
		{clock(5), 9, sessionIDs(1, 2, 4)},
		{clock(9), 2, sessionIDs(1, 2)},
		{clock(9), 0, nil},
	} {
		got, err := s.Expired(f.ctx(), c.before, c.n)
		slices.Sort(got)
		slices.Sort(c.want)
		if err != nil || !slices.Equal(got, c.want) {
			f.t.Errorf("before %v at most %d: %v, %v; want %v", c.before, c.n, got, err, c.want)
		}
	}
	f.accept(f.ask(1, 50))
	if got, err := s.Expired(f.ctx(), clock(5), 9); err != nil || slices.Contains(got, sessionID(1)) {
		f.t.Errorf("a session in use expired: %v, %v", got, err)
	}
}
