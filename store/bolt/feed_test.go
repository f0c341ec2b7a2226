package bolt

import (
	"testing"

	"jarvis/core"
)

// TestFeed: each change of what may be searched is in the feed, in its own transaction, until it is acknowledged.
func TestFeed(t *testing.T) {
	d := openT(t, Options{})
	run(t, d, intakeOf("s1", "c1"), core.Message{N: 1, Type: core.TypeText, Text: "answer"})
	select {
	case <-d.Changed():
	default:
		t.Error("nobody was told")
	}
	cs, err := d.Changes(t.Context(), 0, 10)
	if err != nil || len(cs) != 1 || cs[0].Chain != "c1" || cs[0].Session != "s1" {
		t.Fatalf("changes are %+v, %v", cs, err)
	}
	if ms, err := d.ChainText(t.Context(), "c1"); err != nil || len(ms) != 2 || ms[1].Text != "answer" || ms[0].User != core.Owner {
		t.Errorf("its text is %+v, %v", ms, err)
	}
	if _, err := d.HideMessage(t.Context(), core.Owner, "c1.1", true); err != nil {
		t.Fatal(err)
	}
	if ms, titles, err := d.MessagesOf(t.Context(), core.Owner, []core.MessageID{"c1.0", "c1.1", "c9.0", "x"}); err != nil || len(ms) != 1 || len(titles) != 1 {
		t.Errorf("found %+v %+v, %v", ms, titles, err)
	}
	if ms, _, err := d.MessagesOf(t.Context(), 2, []core.MessageID{"c1.0"}); err != nil || len(ms) != 0 {
		t.Errorf("another user finds %+v, %v", ms, err)
	}
	if all, next, err := d.AllText(t.Context(), "", 1); err != nil || len(all) != 1 || next == "" || all[0].User != core.Owner {
		t.Errorf("all is %+v, %q, %v", all, next, err)
	}
	if n, err := d.CountText(t.Context()); err != nil || n != 2 {
		t.Errorf("%d messages, %v", n, err)
	}
	if _, err := d.DeleteSession(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	cs, err = d.Changes(t.Context(), cs[0].Seq, 10)
	if err != nil || len(cs) != 2 || cs[0].Chain != "c1" || cs[1].Chain != "" || cs[1].Session != "s1" {
		t.Errorf("changes are %+v, %v", cs, err)
	}
	last, err := d.LastChange(t.Context())
	if err != nil || last != cs[1].Seq {
		t.Errorf("the last is %d, %v", last, err)
	}
	if err := d.Ack(t.Context(), cs[0].Seq); err != nil {
		t.Fatal(err)
	}
	if cs, err := d.Changes(t.Context(), 0, 10); err != nil || len(cs) != 1 || cs[0].Seq != last {
		t.Errorf("after the acknowledgement: %+v, %v", cs, err)
	}
	if ms, err := d.ChainText(t.Context(), "c1"); err != nil || len(ms) != 0 {
		t.Errorf("an erased chain has %+v, %v", ms, err)
	}
}
