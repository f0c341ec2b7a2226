package journal

import (
	"strings"
	"testing"

	"jarvis/core"
)

func TestJoined(t *testing.T) {
	out := func(call, s string) core.Event {
		return core.Event{Type: core.EventToolOutput, Text: s}.With(core.ToolOutputData{Call: core.CallID(call)})
	}
	reason := func(s string) core.Event { return core.Event{Type: core.EventReasoning, Text: s} }
	notice := core.Event{Type: core.EventNotice, Text: "n"}
	child := text("w")
	child.Worker, child.Via = "c", "worker"
	for name, tc := range map[string]struct {
		in   []core.Event
		want []string // text of each
		last []uint64
	}{
		"none":    {nil, nil, nil},
		"one":     {[]core.Event{text("a")}, []string{"a"}, []uint64{1}},
		"text":    {[]core.Event{text("a"), text(""), text("b")}, []string{"ab"}, []uint64{3}},
		"kinds":   {[]core.Event{text("a"), reason("b"), reason("c"), text("d")}, []string{"a", "bc", "d"}, []uint64{1, 3, 4}},
		"notices": {[]core.Event{notice, notice}, []string{"n", "n"}, []uint64{1, 2}},
		"calls":   {[]core.Event{out("1", "a"), out("1", "b"), out("2", "c")}, []string{"ab", "c"}, []uint64{2, 3}},
		"between": {[]core.Event{text("a"), notice, text("b")}, []string{"a", "n", "b"}, []uint64{1, 2, 3}},
		"worker":  {[]core.Event{text("a"), child, child, text("b")}, []string{"a", "ww", "b"}, []uint64{1, 3, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range tc.in {
				tc.in[i].Seq = uint64(i + 1)
			}
			got := joined(tc.in)
			if len(got) != len(tc.want) {
				t.Fatalf("got %d events: %+v", len(got), got)
			}
			for i, e := range got {
				if e.Text != tc.want[i] || e.Seq != tc.last[i] {
					t.Errorf("event %d is %q with number %d", i, e.Text, e.Seq)
				}
			}
		})
	}
}

func TestJoinedIsBounded(t *testing.T) {
	var evs []core.Event
	for i := range 100 {
		e := text(strings.Repeat("x", 3000))
		e.Seq = uint64(i + 1)
		evs = append(evs, e)
	}
	big := text(strings.Repeat("y", 3*maxJoined))
	big.Seq = 101
	sum := 0
	for _, e := range joined(append(evs, big)) {
		if len(e.Text) > maxJoined && e.Seq != 101 {
			t.Errorf("joined event has %d bytes", len(e.Text))
		}
		sum += len(e.Text)
	}
	if sum != 300_000+3*maxJoined {
		t.Errorf("text of %d bytes", sum)
	}
}
