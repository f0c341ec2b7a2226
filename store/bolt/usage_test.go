package bolt

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"jarvis/core"
)

// TestUsage: a step counts once, whatever is repeated, and a migration makes the same rows from the steps.
func TestUsage(t *testing.T) {
	d := openT(t, Options{Path: filepath.Join(t.TempDir(), "u.db")})
	done := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	c, _, err := d.Accept(t.Context(), intakeOf("s", "c1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := d.Claim(t.Context(), c.Lane, "a", done); err != nil || !ok {
		t.Fatal(ok, err)
	}
	step := core.Progress{Chain: c.ID, Owner: "a", Step: &core.Step{N: 1, Model: "p/m", Usage: core.Usage{In: 10, Out: 5, Cost: 7}, Done: done}}
	for range 2 {
		if err := d.Append(t.Context(), step); err != nil {
			t.Fatal(err)
		}
	}
	end := core.Ending{Progress: core.Progress{Chain: c.ID, Owner: "a", Step: &core.Step{N: 2, Model: "p/n", Usage: core.Usage{In: 1, Cost: 3}, Done: done}}, Model: "p/n", Done: done}
	if err := d.Finish(t.Context(), end); err != nil {
		t.Fatal(err)
	}
	look := func() string {
		out := ""
		for _, by := range []core.UsageBy{core.ByDay, core.ByModel, core.BySession} {
			rows, err := d.Usage(t.Context(), core.UsageQuery{User: core.Owner, By: by, From: "2026-11-30", To: "2026-11-30"})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				out += fmt.Sprintf("%s %d/%d $%d %d req %d ch; ", r.Name, r.Usage.In, r.Usage.Out, r.Usage.Cost, r.Requests, r.Chains)
			}
		}
		return out
	}
	want := "2026-11-30 11/5 $10 2 req 1 ch; p/m 10/5 $7 1 req 0 ch; p/n 1/0 $3 1 req 1 ch; s 11/5 $10 2 req 1 ch; "
	if got := look(); got != want {
		t.Errorf("usage is %s", got)
	}
	for range 2 {
		if err := d.update(t.Context(), "fill", fillUsage); err != nil {
			t.Fatal(err)
		}
		if got := look(); got != want {
			t.Errorf("filled usage is %s", got)
		}
	}
	if rows, err := d.Usage(t.Context(), core.UsageQuery{User: core.Owner, By: core.ByDay, From: "2026-12-01"}); err != nil || len(rows) != 0 {
		t.Errorf("the next day has %v, %v", rows, err)
	}
}
