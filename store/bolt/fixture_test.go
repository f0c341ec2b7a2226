package bolt

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"jarvis/core"
)

var update = flag.Bool("update", false, "write the fixture of the current schema")

func fixturePath(schema int) string {
	return filepath.Join("testdata", fmt.Sprintf("schema%d.db", schema))
}

// TestFixtures opens what each released schema wrote: everything in it is still there. A new schema adds a fixture with
// -update; an old one is never written again.
func TestFixtures(t *testing.T) {
	now := latest(migrations)
	if *update {
		writeFixture(t, fixturePath(now))
	}
	for schema := firstSchema; schema <= now; schema++ {
		t.Run(fmt.Sprint(schema), func(t *testing.T) {
			b, err := os.ReadFile(fixturePath(schema))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "jarvis.db")
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			d := openT(t, Options{Path: path})
			if err := d.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			ms, _, err := d.History(t.Context(), "s1", core.Page{})
			if err != nil || len(ms) != 3 || ms[1].Text != "answer" || len(ms[0].Attachments) != 1 || ms[2].Text != "ask" {
				t.Errorf("history is %+v, %v", ms, err)
			}
			if c, err := d.Chain(t.Context(), "c1"); err != nil || c.State != core.Ended || c.Iterations != 1 {
				t.Errorf("chain is %+v, %v", c, err)
			}
			if c, ok, err := d.Claim(t.Context(), "session:s1", "me", time.Time{}); err != nil || !ok || c.ID != "c2" {
				t.Errorf("next is %+v, %v, %v", c, ok, err)
			}
			if s, err := d.LastAsk(t.Context(), core.Owner, "/a"); err != nil || s.ID != "s1" {
				t.Errorf("last ask is %+v, %v", s, err)
			}
			if ts, err := d.Todos(t.Context(), "user:1"); err != nil || len(ts) != 1 || ts[0].Content != "milk" {
				t.Errorf("todos are %+v, %v", ts, err)
			}
			if yes, err := d.BlobReferenced(t.Context(), "d1"); err != nil || !yes {
				t.Errorf("blob is named: %v, %v", yes, err)
			}
			if schema >= 3 {
				seesSchema3(t, d)
			}
		})
	}
}

func writeFixture(t *testing.T, to string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jarvis.db")
	d := openT(t, Options{Path: path})
	in := intakeOf("s1", "c1")
	in.Chain.Created = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	in.Session.Hidden, in.Session.Cwd = true, "/a"
	in.Message.Attachments = []core.Attachment{{Name: "a", Digest: "d1"}}
	run(t, d, in, core.Message{N: 1, Type: core.TypeText, Text: "answer"})
	in.Chain.ID, in.Message.Attachments = "c2", nil
	if _, _, err := d.Accept(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if _, err := d.AddTodo(t.Context(), "user:1", "milk", in.Chain.Created, 10); err != nil {
		t.Fatal(err)
	}
	fillSchema3(t, d)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// fillSchema3 makes a session with an archive, a mark and a summary.
func fillSchema3(t *testing.T, d *DB) {
	t.Helper()
	for _, id := range []string{"c10", "c11", "c12"} {
		run(t, d, intakeOf("s2", id), core.Message{N: 1, Role: core.RoleAssistant, Type: core.TypeText, Text: "answer of " + id})
	}
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	if _, err := d.Archive(t.Context(), core.Owner, "s2", core.ArchivePick{Keep: 2}, "a1", at); err != nil {
		t.Fatal(err)
	}
	if _, err := d.MarkMessage(t.Context(), core.Owner, "c10.1", true, 10); err != nil {
		t.Fatal(err)
	}
	c, _, err := d.Accept(t.Context(), intakeOf("s2", "c13"))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := d.Claim(t.Context(), c.Lane, "a", at); err != nil || !ok {
		t.Fatal(ok, err)
	}
	second, err := d.Chain(t.Context(), "c11")
	if err != nil {
		t.Fatal(err)
	}
	p := core.Progress{Chain: c.ID, Owner: "a", Step: &core.Step{N: 0, Model: "m"}}
	p.Summary = &core.Summary{From: second.Pos, To: second.Pos, First: "c11", Last: "c11", Chains: 1, Text: "what was said"}
	if err := d.Append(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	p = core.Progress{Chain: c.ID, Owner: "a", Step: &core.Step{N: 1}}
	if err := d.Finish(t.Context(), core.Ending{Progress: p, Stop: core.EndTurn}); err != nil {
		t.Fatal(err)
	}
}

func seesSchema3(t *testing.T, d *DB) {
	t.Helper()
	if as, _, err := d.Archives(t.Context(), "s2", core.Page{}); err != nil || len(as) != 1 || as[0].ID != "a1" {
		t.Errorf("archives are %+v, %v", as, err)
	}
	if ms, _, err := d.History(t.Context(), "s2", core.Page{}); err != nil || len(ms) == 0 || ms[0].Chain != "c11" {
		t.Errorf("history begins with %+v, %v", ms, err)
	}
	if ms, _, err := d.Marked(t.Context(), "s2", core.Page{}); err != nil || len(ms) != 1 || ms[0].ID != "c10.1" {
		t.Errorf("marked are %+v, %v", ms, err)
	}
	if s, ok, err := d.Summary(t.Context(), "s2"); err != nil || !ok || s.Text != "what was said" || s.Last != "c11" {
		t.Errorf("summary is %+v, %v, %v", s, ok, err)
	}
	if cs, err := d.Changes(t.Context(), 0, 100); err != nil || len(cs) < 5 {
		t.Errorf("the feed is %+v, %v", cs, err)
	}
}

func TestStats(t *testing.T) {
	d := openT(t, Options{})
	before, err := d.Stats(t.Context())
	if err != nil || before.Size == 0 || before.PageSize == 0 {
		t.Fatalf("stats are %+v, %v", before, err)
	}
	in := intakeOf("s", "c1")
	ms := make([]core.Message, 0, 3000)
	for n := range cap(ms) {
		ms = append(ms, core.Message{N: uint32(n + 1), Text: "some words"})
	}
	run(t, d, in, ms...)
	if _, err := d.DeleteSession(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	got, err := d.Stats(t.Context())
	if err != nil || got.Size <= before.Size || got.FreePages <= before.FreePages+50 || got.Commits <= before.Commits {
		t.Errorf("stats were %+v, are %+v, %v", before, got, err)
	}
}
