package budget_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/budget"
	"jarvis/store/bolt"
)

func store(t *testing.T) *bolt.DB {
	t.Helper()
	d, err := bolt.Open(t.Context(), bolt.Options{Path: filepath.Join(t.TempDir(), "jarvis.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// TestRace: whatever runs at once, what was spent stays within the limit, and its last request has its room.
func TestRace(t *testing.T) {
	d := store(t)
	l := budget.New(d, "me", func() []budget.Limit { return []budget.Limit{{For: "all", Daily: 100}} })
	var passed atomic.Int64
	var all sync.WaitGroup
	for n := range 2 {
		all.Go(func() {
			c := core.Chain{ID: core.ChainID(fmt.Sprint("c", n)), User: core.Owner}
			for step := 1; step <= 20; step++ {
				claims := l.Claims(c, noon)
				err := l.Reserve(t.Context(), c, step, 10, claims)
				if core.CodeOf(err) == core.BudgetExceeded {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				passed.Add(1)
				if err := l.Settle(t.Context(), c.ID, step, l.Debits(c, noon, 10, claims)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	s, err := d.Spent(t.Context(), "all", "2026-11-30")
	if err != nil || s.Amount > 100 || s.Amount < 90 || s.Held != 0 || passed.Load() != int64(s.Amount)/10 {
		t.Errorf("spent %+v in %d requests, %v", s, passed.Load(), err)
	}
}

// TestDead: what a dead instance held is free after the next start; a reservation is idempotent and all or nothing.
func TestDead(t *testing.T) {
	d := store(t)
	limits := []budget.Limit{{For: "all", Daily: 10}, {For: "user:owner", Monthly: 15}}
	c := core.Chain{ID: "c", User: core.Owner}
	dead := budget.New(d, "dead", func() []budget.Limit { return limits })
	for range 2 {
		if err := dead.Reserve(t.Context(), c, 1, 10, dead.Claims(c, noon)); err != nil {
			t.Fatal(err)
		}
	}
	live := budget.New(d, "live", func() []budget.Limit { return limits })
	if err := live.Reserve(t.Context(), c, 2, 1, live.Claims(c, noon)); core.CodeOf(err) != core.BudgetExceeded {
		t.Errorf("got %v", err)
	}
	if err := live.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := live.Reserve(t.Context(), c, 2, 10, live.Claims(c, noon)); err != nil {
		t.Error(err)
	}
	if s, err := d.Spent(t.Context(), "user:owner", "2026-11"); err != nil || s.Held != 10 {
		t.Errorf("held %+v, %v", s, err)
	}
}

func TestClaims(t *testing.T) {
	c := core.Chain{ID: "c", Session: "0193a000-0000-7000-8000-00000000abcd", Agent: "coder", User: core.Owner}
	for _, tt := range []struct {
		limit budget.Limit
		max   core.MicroUSD
		want  string
	}{
		{budget.Limit{For: "all", Daily: 1, Monthly: 2}, 0, "all 2026-11-30 1; all 2026-11 2; "},
		{budget.Limit{For: "user:owner", Daily: 1}, 0, "user:owner 2026-11-30 1; "},
		{budget.Limit{For: "user:eve", Daily: 1}, 0, ""},
		{budget.Limit{For: "agent:x", Daily: 1}, 0, ""},
		{budget.Limit{For: "agent:", Daily: 1}, 0, ""},
		{budget.Limit{For: "agent:coder", Daily: 1}, 0, "agent:coder 2026-11-30 1; "},
		{budget.Limit{For: "plugin:coder", Daily: 1}, 0, ""},
		{budget.Limit{For: "session:" + core.Short(string(c.Session)), Daily: 1}, 0, "session:" + string(c.Session) + " 2026-11-30 1; "},
		{budget.Limit{For: "session:" + string(c.Session), Daily: 1}, 0, "session:" + string(c.Session) + " 2026-11-30 1; "},
		{budget.Limit{For: "session:other", Daily: 1}, 0, ""},
		{budget.Limit{For: "chain", Daily: 5, Monthly: 3}, 0, "chain:c  3; "},
		{budget.Limit{For: "chain", Daily: 5}, 4, "chain:c  4; "},
		{budget.Limit{For: "chain", Daily: 3}, 4, "chain:c  3; "},
		{budget.Limit{}, 4, "chain:c  4; "},
	} {
		c.Params.MaxCost = tt.max
		l := budget.New(nil, "me", func() []budget.Limit { return []budget.Limit{tt.limit} })
		got := ""
		for _, claim := range l.Claims(c, noon) {
			got += fmt.Sprintf("%s %s %d; ", claim.Account, claim.Period, claim.Limit)
		}
		if got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.limit, got, tt.want)
		}
	}
}

// TestClose: a chain that no store keeps leaves neither a reservation nor an account; what it cost others stays.
func TestClose(t *testing.T) {
	d := store(t)
	l := budget.New(d, "me", func() []budget.Limit { return []budget.Limit{{For: "all", Daily: 100}} })
	c := core.Chain{ID: "c", User: core.Owner, Params: core.Params{MaxCost: 50}}
	claims := l.Claims(c, noon)
	for step := 1; step <= 2; step++ {
		if err := l.Reserve(t.Context(), c, step, 10, claims); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Settle(t.Context(), c.ID, 1, l.Debits(c, noon, 7, claims)); err != nil {
		t.Fatal(err)
	}
	if s, err := d.Spent(t.Context(), "chain:c", ""); err != nil || s != (core.Spent{Amount: 7, Held: 10}) {
		t.Errorf("while it runs: %+v, %v", s, err)
	}
	if err := l.Close(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	if s, err := d.Spent(t.Context(), "chain:c", ""); err != nil || s != (core.Spent{}) {
		t.Errorf("of the chain is left %+v, %v", s, err)
	}
	if s, err := d.Spent(t.Context(), "all", "2026-11-30"); err != nil || s != (core.Spent{Amount: 7}) {
		t.Errorf("of all is spent %+v, %v", s, err)
	}
}

// TestRaise: a dearer model that stands in holds its own price, and when there is no room for it the first one's stays.
func TestRaise(t *testing.T) {
	d := store(t)
	l := budget.New(d, "me", func() []budget.Limit { return []budget.Limit{{For: "all", Daily: 100}} })
	c := core.Chain{ID: "c", User: core.Owner}
	claims := l.Claims(c, noon)
	for _, tt := range []struct {
		amount, held core.MicroUSD
		code         core.Code
	}{{10, 10, ""}, {100, 100, ""}, {101, 100, core.BudgetExceeded}, {50, 100, ""}} {
		if err := l.Reserve(t.Context(), c, 1, tt.amount, claims); core.CodeOf(err) != tt.code {
			t.Errorf("%d: %v", tt.amount, err)
		}
		if s, err := d.Spent(t.Context(), "all", "2026-11-30"); err != nil || s.Held != tt.held {
			t.Errorf("%d: held %+v, %v", tt.amount, s, err)
		}
	}
	if err := l.Settle(t.Context(), c.ID, 1, l.Debits(c, noon, 7, claims)); err != nil {
		t.Fatal(err)
	}
	if s, err := d.Spent(t.Context(), "all", "2026-11-30"); err != nil || s != (core.Spent{Amount: 7}) {
		t.Errorf("settled %+v, %v", s, err)
	}
}
