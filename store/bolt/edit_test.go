package bolt

import (
	"testing"

	"jarvis/core"
)

func TestEditSession(t *testing.T) {
	d := openT(t, Options{})
	in := intakeOf("s1", "c1")
	in.Session.Hidden, in.Session.Cwd = true, "/a"
	run(t, d, in, core.Message{N: 1, Type: core.TypeText, Text: "answer"})
	before, err := d.Session(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	title, shown := "New name", false
	if _, err := d.EditSession(t.Context(), 7, "s1", core.SessionEdit{Title: &title}); core.CodeOf(err) != core.NotFound {
		t.Errorf("another user: %v", err)
	}
	got, err := d.EditSession(t.Context(), core.Owner, "s1", core.SessionEdit{Title: &title, Hidden: &shown})
	if err != nil || got.Title != title || got.Hidden || !got.Modified.Equal(before.Modified) {
		t.Errorf("got %+v, %v", got, err)
	}
	list, _, err := d.Sessions(t.Context(), core.Owner, false, core.Page{})
	if err != nil || len(list) != 1 || list[0].Title != title {
		t.Errorf("the list has %+v, %v", list, err)
	}
	if _, err := d.LastAsk(t.Context(), core.Owner, "/a"); core.CodeOf(err) != core.NotFound {
		t.Errorf("it is still an ask's: %v", err)
	}
	if ids, err := d.Expired(t.Context(), got.Modified.AddDate(1, 0, 0), 10); err != nil || len(ids) != 0 {
		t.Errorf("it still expires: %v, %v", ids, err)
	}
	hidden := true
	if _, err := d.EditSession(t.Context(), core.Owner, "s1", core.SessionEdit{Hidden: &hidden}); err != nil {
		t.Fatal(err)
	}
	if s, err := d.LastAsk(t.Context(), core.Owner, "/a"); err != nil || s.ID != "s1" {
		t.Errorf("it is no ask's again: %+v, %v", s, err)
	}
	if _, err := d.DeleteSession(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, d); got[bUser]+got[bAsk]+got[bHidden]+got[bID] != 0 {
		t.Errorf("rows are left: %v", got)
	}
}

func TestHideMessage(t *testing.T) {
	d := openT(t, Options{})
	run(t, d, intakeOf("s1", "c1"), core.Message{N: 1, Type: core.TypeText, Text: "answer"})
	for _, id := range []core.MessageID{"c1", "c1.", "c1.2", "c1.x", "c1.99999999999", "c2.1", "", ".1"} {
		if _, err := d.HideMessage(t.Context(), core.Owner, id, true); core.CodeOf(err) != core.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := d.HideMessage(t.Context(), 7, "c1.1", true); core.CodeOf(err) != core.NotFound {
		t.Errorf("another user: %v", err)
	}
	m, err := d.HideMessage(t.Context(), core.Owner, "c1.1", true)
	if err != nil || !m.Deleted || m.Text != "answer" {
		t.Errorf("got %+v, %v", m, err)
	}
	if ms, _, err := d.History(t.Context(), "s1", core.Page{}); err != nil || len(ms) != 2 || !ms[1].Deleted || ms[0].Deleted {
		t.Errorf("history is %+v, %v", ms, err)
	}
}
