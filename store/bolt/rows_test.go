package bolt

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"jarvis/core"
)

func intakeOf(session, chain string) core.Intake {
	sid := core.SessionID(session)
	return core.Intake{
		Chain:   core.Chain{ID: core.ChainID(chain), Session: sid, User: core.Owner, Lane: "session:" + session},
		Message: core.Message{Type: core.TypeText, Text: "ask"},
		Session: &core.Session{ID: sid, User: core.Owner, Title: "t"},
	}
}

// run runs a chain whole, with the messages given.
func run(t testing.TB, d *DB, in core.Intake, ms ...core.Message) {
	t.Helper()
	c, _, err := d.Accept(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := d.Claim(t.Context(), c.Lane, "a", time.Time{}); err != nil || !ok {
		t.Fatal(ok, err)
	}
	p := core.Progress{Chain: c.ID, Owner: "a", Messages: ms, Step: &core.Step{N: 1}}
	if err := d.Finish(t.Context(), core.Ending{Progress: p, Stop: core.EndTurn}); err != nil {
		t.Fatal(err)
	}
}

// rows counts the records of each bucket.
func rows(t testing.TB, d *DB) map[string]int {
	t.Helper()
	n := map[string]int{}
	err := d.view(t.Context(), "rows", func(t *tx) error {
		for _, b := range buckets {
			err := t.each(b, nil, func(_, _ []byte) (bool, error) { n[b]++; return true, nil })
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestNothingIsLeft: erasing a session leaves no row of any kind but the source's cursor, which is not the session's.
func TestNothingIsLeft(t *testing.T) {
	d := openT(t, Options{})
	before := rows(t, d)
	in := intakeOf("00000000-0000-7000-8000-000000000001", "c1")
	in.Session.Hidden, in.Session.Cwd = true, "/a"
	in.Chain.Origin = core.Origin{Source: "telegram:bot", Key: "7", Cursor: "8"}
	in.Message.Attachments = []core.Attachment{{Name: "a", Digest: "d1"}, {Name: "b", Digest: "d2"}}
	run(t, d, in, core.Message{N: 1, Attachments: []core.Attachment{{Digest: "d1"}}})
	if got := rows(t, d); got[bBlobRef] != 3 || got[bSeen] != 1 || got[bAsk] != 2 || got[bHidden] != 1 || got[bRunning] != 0 ||
		got[bOpen] != 0 || got[bLane] != 0 || got[bStep] != 1 || got[bID] != 2 {
		t.Errorf("rows are %v", got)
	}
	if yes, err := d.BlobReferenced(t.Context(), "d2"); err != nil || !yes {
		t.Errorf("blob is named: %v, %v", yes, err)
	}
	if _, err := d.DeleteSession(t.Context(), in.Chain.Session); err != nil {
		t.Fatal(err)
	}
	if err := d.Forget(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	last, err := d.LastChange(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Ack(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	got := rows(t, d)
	if got[bSource] != 1 {
		t.Error("the source's cursor went with the session: its updates would come again")
	}
	delete(got, bSource)
	if got[bUsage] != 4 {
		t.Error("what was used went with the session: the money is spent")
	}
	delete(got, bUsage)
	if fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("rows are %v, were %v", got, before)
	}
	if yes, err := d.BlobReferenced(t.Context(), "d1"); err != nil || yes {
		t.Errorf("blob is still named: %v, %v", yes, err)
	}
}

// TestErasureResumes: a crash in the middle of an erasure is taken up at the next start; until then the id is not free.
func TestErasureResumes(t *testing.T) {
	o := Options{Path: t.TempDir() + "/jarvis.db"}
	d := openT(t, o)
	in := intakeOf("00000000-0000-7000-8000-000000000001", "c1")
	run(t, d, in, core.Message{N: 1})
	err := d.update(t.Context(), "hide", func(t *tx) error {
		_, err := t.hide(in.Chain.Session)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	again := in
	again.Chain.ID = "c2"
	if _, _, err := d.Accept(t.Context(), again); core.CodeOf(err) != core.Conflict {
		t.Errorf("accept into a session being erased: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for n := range 2 { // the note of the journal outlives a restart, and holds none up
		d = openT(t, o)
		if got := rows(t, d); got[bMessage]+got[bChain]+got[bOrder]+got[bStep] != 0 || got[bGone] != 1 {
			t.Errorf("rows are %v", got)
		}
		if ids, err := d.Orphans(t.Context(), 9); err != nil || !slices.Equal(ids, []core.ChainID{"c1"}) {
			t.Errorf("journals to remove: %v, %v", ids, err)
		}
		if n == 0 {
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := d.Forget(t.Context(), "c1", "never"); err != nil || rows(t, d)[bGone] != 0 {
		t.Errorf("rows are %v, %v", rows(t, d), err)
	}
}

// TestUsageAdds: what the steps used is in the chain also when a crash keeps Finish from saying it.
func TestUsageAdds(t *testing.T) {
	d := openT(t, Options{})
	in := intakeOf("s", "c1")
	if _, _, err := d.Accept(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Claim(t.Context(), in.Chain.Lane, "dead", time.Time{}); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 2; n++ {
		p := core.Progress{Chain: "c1", Owner: "dead", Step: &core.Step{N: n, Usage: core.Usage{In: 10, Out: 1, Cost: 5}}}
		for range 2 {
			if err := d.Append(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
	}
	c, err := d.Adopt(t.Context(), "c1", "me")
	if err != nil || c.Usage != (core.Usage{In: 20, Out: 2, Cost: 10}) || c.Iterations != 2 {
		t.Errorf("adopted %+v, %v", c, err)
	}
	if err := d.Finish(t.Context(), core.Ending{Progress: core.Progress{Chain: "c1", Owner: "me"}, Stop: core.Interrupted}); err != nil {
		t.Fatal(err)
	}
	if c, err = d.Chain(t.Context(), "c1"); err != nil || c.Usage.In != 20 || c.Iterations != 2 {
		t.Errorf("ended %+v, %v", c, err)
	}
}

// TestHostileIntake: ids of any bytes and lengths are stored apart from each other or refused, and nothing is half stored.
func TestHostileIntake(t *testing.T) {
	d := openT(t, Options{noSync: true})
	long := strings.Repeat("x", maxName+1)
	for name, change := range map[string]func(*core.Intake){
		"no chain":       func(in *core.Intake) { in.Chain.ID = "" },
		"no session":     func(in *core.Intake) { in.Chain.Session = "" },
		"long chain":     func(in *core.Intake) { in.Chain.ID = core.ChainID(long) },
		"long lane":      func(in *core.Intake) { in.Chain.Lane = long },
		"long key":       func(in *core.Intake) { in.Chain.Origin.Key = long },
		"long cwd":       func(in *core.Intake) { in.Session.Cwd = long },
		"other session":  func(in *core.Intake) { in.Session.ID = "other" },
		"other's user":   func(in *core.Intake) { in.Session.User = 9 },
		"no text":        func(in *core.Intake) { in.Chain.Session, in.Session.ID = "\xff", "\xff" },
		"long zero lane": func(in *core.Intake) { in.Chain.Lane = strings.Repeat("\x00", maxName+1) },
	} {
		in := intakeOf("s-"+name, "c-"+name)
		change(&in)
		if _, _, err := d.Accept(t.Context(), in); core.CodeOf(err) != core.BadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	before := rows(t, d)
	if before[bChain] != 0 || before[bSession] != 0 {
		t.Errorf("rows are %v", before)
	}
	for _, id := range []string{"a", "a\x00", "a\x00\x00", "a\x00\u00ff", "\x00", "\u00ff", strings.Repeat("\x00", maxName-10)} {
		run(t, d, intakeOf(id, id))
	}
	for _, id := range []string{"a", "a\x00", "\x00"} {
		ms, _, err := d.History(t.Context(), core.SessionID(id), core.Page{})
		if err != nil || len(ms) != 1 || string(ms[0].Chain) != id {
			t.Errorf("%q has %d messages, %v", id, len(ms), err)
		}
	}
}

func TestFolderOfAnyBytes(t *testing.T) {
	d := openT(t, Options{})
	in := intakeOf("s", "c1")
	in.Session.Hidden, in.Session.Cwd = true, "/a\xff"
	for n := range 2 {
		in.Chain.ID = core.ChainID(fmt.Sprint("c", n))
		in.Chain.Created = time.Unix(int64(n), 0)
		run(t, d, in)
	}
	if s, err := d.LastAsk(t.Context(), core.Owner, "/a\xff"); err != nil || s.ID != "s" {
		t.Errorf("last ask is %+v, %v", s, err)
	}
	if got := rows(t, d)[bAsk]; got != 2 {
		t.Errorf("%d rows, of which some are stale", got)
	}
}

func TestHostileCursor(t *testing.T) {
	d := openT(t, Options{})
	run(t, d, intakeOf("s", "c1"))
	for _, c := range []core.Cursor{"!", "AA", "____", core.Cursor(strings.Repeat("A", maxCursor+4)), newCursor([]byte{0xff}), newCursor([]byte{0})} {
		for _, back := range []bool{false, true} {
			ms, _, err := d.History(t.Context(), "s", core.Page{After: c, Backward: back})
			if err != nil && core.CodeOf(err) != core.BadRequest {
				t.Errorf("cursor %.20q: %v", c, err)
			}
			if slices.ContainsFunc(ms, func(m core.Message) bool { return m.Session != "s" }) {
				t.Errorf("cursor %.20q left the session", c)
			}
		}
	}
}

func FuzzUnseal(f *testing.F) {
	k := key(str("k"))
	f.Add(seal(k, []byte(`{"a":1}`)), uint16(3), byte(1))
	f.Add([]byte{}, uint16(0), byte(0))
	f.Fuzz(func(t *testing.T, value []byte, at uint16, flip byte) {
		rec := seal(k, bytes.Clone(value))
		if got, err := unseal(k, rec); err != nil || !bytes.Equal(got, value) {
			t.Fatalf("round trip of %x: %x, %v", value, got, err)
		}
		if flip != 0 {
			rec[int(at)%len(rec)] ^= flip
			if _, err := unseal(k, rec); err == nil {
				t.Errorf("a flipped byte in %x was not found", rec)
			}
		}
		if _, err := unseal(key(str("other")), seal(k, bytes.Clone(value))); err == nil {
			t.Error("a record under another's key was not found")
		}
		_, _ = unseal(k, value)
	})
}

// BenchmarkLastPage opens the last page of sessions of different length: the time must not depend on it.
func BenchmarkLastPage(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := openT(b, Options{noSync: true})
			in := intakeOf("s", "c1")
			ms := make([]core.Message, 0, n)
			for i := range n {
				ms = append(ms, core.Message{N: uint32(i + 1), Type: core.TypeText, Text: strings.Repeat("word ", 100)})
			}
			run(b, d, in, ms...)
			for b.Loop() {
				got, next, err := d.History(b.Context(), "s", core.Page{Backward: true})
				if err != nil || len(got) != 50 || next == "" {
					b.Fatal(len(got), next, err)
				}
			}
		})
	}
}

// BenchmarkChain runs a chain whole: accept, claim, append with a message, finish; four commits.
func BenchmarkChain(b *testing.B) {
	d := openT(b, Options{noSync: true})
	n := 0
	for b.Loop() {
		n++
		run(b, d, intakeOf(fmt.Sprint("s", n%100), fmt.Sprint("c", n)), core.Message{N: 1, Text: "answer"})
	}
}
