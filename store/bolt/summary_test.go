package bolt

import (
	"errors"
	"testing"

	"jarvis/core"
)

// summarised is a session of four chains with a summary of the first and one of the first three, which took that in.
func summarised(t *testing.T, d *DB) []core.Chain {
	t.Helper()
	var cs []core.Chain
	for _, id := range []string{"c1", "c2", "c3"} {
		run(t, d, intakeOf("s1", id), core.Message{N: 1, Type: core.TypeText, Text: "answer"})
		c, err := d.Chain(t.Context(), core.ChainID(id))
		if err != nil {
			t.Fatal(err)
		}
		cs = append(cs, c)
	}
	c, _, err := d.Accept(t.Context(), intakeOf("s1", "c4"))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := d.Claim(t.Context(), c.Lane, "me", c.Created); err != nil || !ok {
		t.Fatal(ok, err)
	}
	for i, s := range []core.Summary{
		{From: cs[0].Pos, To: cs[0].Pos, Text: "first"}, {From: cs[0].Pos, To: cs[2].Pos, Prev: cs[0].Pos, Text: "second"},
	} {
		err := d.Append(t.Context(), core.Progress{Chain: "c4", Owner: "me", Step: &core.Step{N: 10 + i}, Summary: &s})
		if err != nil {
			t.Fatal(err)
		}
	}
	return append(cs, c)
}

// TestAHiddenMessageLeavesTheSummaries: what a person takes out of the prompt must not stay in it by a summary.
func TestAHiddenMessageLeavesTheSummaries(t *testing.T) {
	for id, want := range map[core.MessageID]string{"c1.1": "", "c2.1": "first", "c3.0": "first", "c4.0": "second"} {
		t.Run(string(id), func(t *testing.T) {
			d := openT(t, Options{})
			summarised(t, d)
			err := d.Finish(t.Context(), core.Ending{Progress: core.Progress{Chain: "c4", Owner: "me"}, Stop: core.EndTurn})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.HideMessage(t.Context(), core.Owner, id, false); err != nil {
				t.Fatal(err)
			}
			if s, _, err := d.Summary(t.Context(), "s1"); err != nil || s.Text != "second" {
				t.Errorf("nothing changed, but the summary is %q, %v", s.Text, err)
			}
			if _, err := d.HideMessage(t.Context(), core.Owner, id, true); err != nil {
				t.Fatal(err)
			}
			if s, _, err := d.Summary(t.Context(), "s1"); err != nil || s.Text != want {
				t.Errorf("the summary is %q, want %q, %v", s.Text, want, err)
			}
		})
	}
}

func TestErasedSummaries(t *testing.T) {
	d := openT(t, Options{})
	cs := summarised(t, d)
	// Another session's rows lie on both sides.
	for _, id := range []string{"s0", "s2"} {
		run(t, d, intakeOf(id, "of-"+id), core.Message{N: 1, Type: core.TypeText, Text: "answer"})
		if _, ok, err := d.Summary(t.Context(), core.SessionID(id)); ok || err != nil {
			t.Errorf("%s has the summary of another: %v", id, err)
		}
	}
	if _, err := d.DeleteSession(t.Context(), "s1"); core.CodeOf(err) != core.Conflict {
		t.Errorf("a running chain's session: %v", err)
	}
	if err := d.Finish(t.Context(), core.Ending{Progress: core.Progress{Chain: cs[3].ID, Owner: "me"}, Stop: core.EndTurn}); err != nil {
		t.Fatal(err)
	}
	if rows(t, d)[bSummary] != 2 {
		t.Errorf("rows %v", rows(t, d))
	}
	if _, err := d.DeleteSession(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, d); got[bSummary] != 0 {
		t.Errorf("rows are left: %v", got)
	}
	if _, err := d.UndoSummary(t.Context(), core.Owner, "s1"); core.CodeOf(err) != core.NotFound {
		t.Errorf("undo in an erased session: %v", errors.Unwrap(err))
	}
}
