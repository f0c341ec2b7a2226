package bolt

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"jarvis/core"
)

// sessionName is the i-th session of a filled store: a UUID, because people find them by their digits.
func sessionName(i int) core.SessionID {
	return core.SessionID(fmt.Sprintf("%08x-0000-7000-8000-%012x", 7919*i, 104729*i))
}

// crowd is a store with so many sessions of three chains each, half of them hidden, and as many that are being answered.
func crowd(t *testing.T, sessions int) *DB {
	t.Helper()
	d := openT(t, Options{noSync: true})
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i := range sessions {
		for n := range 3 {
			at = at.Add(time.Minute)
			in := intakeOf(string(sessionName(i)), fmt.Sprintf("c%d-%d", i, n))
			in.Chain.Created, in.Session.Hidden, in.Session.Cwd = at, i%2 == 0, "/a"
			in.Message.Attachments = []core.Attachment{{Digest: core.Digest(fmt.Sprint("d", i))}}
			run(t, d, in, core.Message{N: 1, Type: core.TypeText, Text: "answer"})
		}
		open := intakeOf(fmt.Sprint("open", i), fmt.Sprint("o", i))
		open.Chain.Created, open.Owner = at, "a"
		if _, _, err := d.Accept(t.Context(), open); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// TestWorkDoesNotGrow: whatever a command asks of the store costs as many records in a large home as in a small one.
func TestWorkDoesNotGrow(t *testing.T) {
	const one = 4 // the session that is asked for
	small, large := crowd(t, 12), crowd(t, 120)
	id := sessionName(one)
	claims := []core.Claim{{Account: "all", Period: "2026-11-30", Limit: 100}}
	for _, w := range []struct {
		name string
		do   func(ctx context.Context, d *DB) error
	}{
		{"session", func(ctx context.Context, d *DB) error { _, err := d.Session(ctx, id); return err }},
		{"list", func(ctx context.Context, d *DB) error {
			_, _, err := d.Sessions(ctx, core.Owner, true, core.Page{Limit: 5})
			return err
		}},
		{"find", func(ctx context.Context, d *DB) error {
			_, err := d.FindSessions(ctx, core.Owner, core.Short(string(id)), 10)
			return err
		}},
		{"last ask", func(ctx context.Context, d *DB) error { _, err := d.LastAsk(ctx, core.Owner, "/a"); return err }},
		{"expired", func(ctx context.Context, d *DB) error { _, err := d.Expired(ctx, time.Unix(0, 0), 100); return err }},
		{"history", func(ctx context.Context, d *DB) error { _, _, err := d.History(ctx, id, core.Page{}); return err }},
		{"chains", func(ctx context.Context, d *DB) error { _, _, err := d.Chains(ctx, id, core.Page{}); return err }},
		{"edit", func(ctx context.Context, d *DB) error {
			title := "other"
			_, err := d.EditSession(ctx, core.Owner, id, core.SessionEdit{Title: &title})
			return err
		}},
		{"hide", func(ctx context.Context, d *DB) error {
			_, err := d.HideMessage(ctx, core.Owner, core.MessageID(fmt.Sprintf("c%d-1.1", one)), true)
			return err
		}},
		{"usage", func(ctx context.Context, d *DB) error {
			_, err := d.Usage(ctx, core.UsageQuery{User: core.Owner, By: core.ByDay})
			return err
		}},
		{"reserve", func(ctx context.Context, d *DB) error {
			return d.Reserve(ctx, core.Reservation{Chain: "x", Step: 1, Owner: "a", Amount: 1, Claims: claims})
		}},
		{"release", func(ctx context.Context, d *DB) error { return d.CloseSpending(ctx, "a", "x") }},
		{"blob", func(ctx context.Context, d *DB) error { _, err := d.BlobReferenced(ctx, "d1"); return err }},
		{"ask", func(ctx context.Context, d *DB) error {
			_, _, err := d.Accept(ctx, intakeOf(string(id), "new"))
			return err
		}},
		{"claim it", func(ctx context.Context, d *DB) error {
			_, _, err := d.Claim(ctx, "session:"+string(id), "a", time.Time{})
			return err
		}},
		{"finish it", func(ctx context.Context, d *DB) error {
			p := core.Progress{Chain: "new", Owner: "a", Step: &core.Step{N: 1, Model: "m", Usage: core.Usage{Cost: 1}}}
			return d.Finish(ctx, core.Ending{Progress: p, Stop: core.EndTurn})
		}},
		{"mark", func(ctx context.Context, d *DB) error {
			_, err := d.MarkMessage(ctx, core.Owner, core.MessageID(fmt.Sprintf("c%d-0.1", one)), true, 10)
			return err
		}},
		{"archive", func(ctx context.Context, d *DB) error {
			_, err := d.Archive(ctx, core.Owner, id, core.ArchivePick{Keep: 1}, "a1", time.Unix(0, 0))
			return err
		}},
		{"archives", func(ctx context.Context, d *DB) error { _, _, err := d.Archives(ctx, id, core.Page{}); return err }},
		{"marked", func(ctx context.Context, d *DB) error { _, _, err := d.Marked(ctx, id, core.Page{}); return err }},
		{"behind an archive", func(ctx context.Context, d *DB) error { _, _, err := d.History(ctx, id, core.Page{}); return err }},
		{"restore", func(ctx context.Context, d *DB) error { _, err := d.RestoreArchive(ctx, core.Owner, "a1"); return err }},
		{"found", func(ctx context.Context, d *DB) error {
			_, _, err := d.MessagesOf(ctx, core.Owner, []core.MessageID{core.MessageID(fmt.Sprintf("c%d-0.1", one))})
			return err
		}},
		{"changes", func(ctx context.Context, d *DB) error { _, err := d.Changes(ctx, 3, 10); return err }},
		{"new session", func(ctx context.Context, d *DB) error {
			_, _, err := d.Accept(ctx, intakeOf("fresh", "first"))
			return err
		}},
		{"copy", func(ctx context.Context, d *DB) error {
			copied, to := core.ChainID(sessionName(7777)), sessionName(8888)
			part := core.Copied{Chains: []core.Chain{{ID: copied, User: core.Owner, State: core.Ended}}}
			part.Messages = []core.Message{{ID: core.MessageID(copied + ".0"), Chain: copied, Type: core.TypeText, Text: "ask"}}
			return errors.Join(
				d.StartImport(ctx, to), d.ImportSome(ctx, to, part),
				func() error { _, err := d.FinishImport(ctx, core.Session{ID: to, User: core.Owner}); return err }(),
			)
		}},
		{"summary", func(ctx context.Context, d *DB) error { _, _, err := d.Summary(ctx, id); return err }},
		{"erase", func(ctx context.Context, d *DB) error { _, err := d.DeleteSession(ctx, id); return err }},
		{"stats", func(ctx context.Context, d *DB) error { _, err := d.Stats(ctx); return err }},
	} {
		var touched [2]int64
		for i, d := range []*DB{small, large} {
			was := d.touched.Load()
			if err := w.do(t.Context(), d); err != nil {
				t.Fatalf("%s: %v", w.name, err)
			}
			touched[i] = d.touched.Load() - was
		}
		if touched[0] != touched[1] {
			t.Errorf("%s: %d records in a small home, %d in one ten times as large", w.name, touched[0], touched[1])
		}
	}
}

// TestPruneSpending: accounts of days and months that are over go; today's, what is held and a chain's stay.
func TestPruneSpending(t *testing.T) {
	d := openT(t, Options{noSync: true})
	ctx := t.Context()
	var debits []core.Debit
	for i := range pruneStep + 10 { // more than one step looks at
		debits = append(debits, core.Debit{Account: core.Account(fmt.Sprintf("session:%04d", i)), Period: "2026-01-02", Amount: 1})
	}
	kept := []core.Debit{
		{Account: "all", Period: "2026-11-30", Amount: 1}, {Account: "all", Period: "2026-11", Amount: 1}, {Account: "chain:c", Amount: 1},
	}
	gone := append(debits, core.Debit{Account: "all", Period: "2026-11-28", Amount: 1}, core.Debit{Account: "all", Period: "2026-10", Amount: 1})
	if err := d.Settle(ctx, "a", "c", 1, append(kept, gone...)); err != nil {
		t.Fatal(err)
	}
	held := core.Reservation{Chain: "h", Step: 1, Owner: "a", Amount: 5, Claims: []core.Claim{{Account: "user:owner", Period: "2026-11-01", Limit: 9}}}
	if err := d.Reserve(ctx, held); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{len(gone), 0} {
		n, err := d.PruneSpending(ctx, time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
		if err != nil || n != want {
			t.Errorf("%d went, %v, want %d", n, err, want)
		}
	}
	for _, k := range kept {
		if s, err := d.Spent(ctx, k.Account, k.Period); err != nil || s.Amount != 1 {
			t.Errorf("%s %s is %+v, %v", k.Account, k.Period, s, err)
		}
	}
	if s, err := d.Spent(ctx, "user:owner", "2026-11-01"); err != nil || s.Held != 5 {
		t.Errorf("held is %+v, %v", s, err)
	}
}

// TestErasedSessionLeavesSumsOnly: what an erased session used still counts, and its id is nowhere.
func TestErasedSessionLeavesSumsOnly(t *testing.T) {
	d := openT(t, Options{noSync: true})
	ctx := t.Context()
	for i, sid := range []string{"gone", "gone too", "kept"} {
		for n, day := range []core.Period{"2026-11-29", "2026-11-30"} {
			c, _, err := d.Accept(ctx, func() core.Intake { in := intakeOf(sid, fmt.Sprint(sid, n)); in.Owner = "a"; return in }())
			if err != nil {
				t.Fatal(err)
			}
			p := core.Progress{Chain: c.ID, Owner: "a", Step: &core.Step{N: 1, Model: "m", Day: day, Usage: core.Usage{In: 10, Cost: core.MicroUSD(i + 1)}}}
			p.Debits = []core.Debit{{Account: core.Account("session:" + sid), Period: day, Amount: 1}}
			if err := d.Finish(ctx, core.Ending{Progress: p, Model: "m", Stop: core.EndTurn}); err != nil {
				t.Fatal(err)
			}
		}
	}
	list := func(by core.UsageBy) string {
		rows, err := d.Usage(ctx, core.UsageQuery{User: core.Owner, By: by})
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, r := range rows {
			out += fmt.Sprintf("%q $%d %d req %d ch; ", r.Name, r.Usage.Cost, r.Requests, r.Chains)
		}
		return out
	}
	days, models := list(core.ByDay), list(core.ByModel)
	for _, sid := range []core.SessionID{"gone", "gone too"} {
		if _, err := d.DeleteSession(ctx, sid); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := list(core.BySession), `"" $6 4 req 4 ch; "kept" $6 2 req 2 ch; `; got != want {
		t.Errorf("sessions are %s, want %s", got, want)
	}
	if list(core.ByDay) != days || list(core.ByModel) != models {
		t.Errorf("the sums changed: %s, %s", list(core.ByDay), list(core.ByModel))
	}
	for bucket, n := range rows(t, d) {
		if bucket == bSpent && n != 2 {
			t.Errorf("%d accounts are left", n)
		}
	}
}
