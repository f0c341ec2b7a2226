package journal

import (
	"bytes"
	"strings"

	"jarvis/core"
)

// maxJoined is how much text a joined event holds at most, unless one event alone had more.
const maxJoined = 64 << 10

// joined joins neighbouring deltas: text with text, reasoning with reasoning, output of the same call. The joined event has
// the last one's number and time. It works in place.
func joined(evs []core.Event) []core.Event {
	if len(evs) < 2 {
		return evs
	}
	out := evs[:0]
	for i := 0; i < len(evs); {
		n, size := 1, len(evs[i].Text)
		for ; i+n < len(evs) && joins(evs[i], evs[i+n]) && size+len(evs[i+n].Text) <= maxJoined; n++ {
			size += len(evs[i+n].Text)
		}
		e := evs[i+n-1]
		if n > 1 {
			var b strings.Builder
			b.Grow(size)
			for _, p := range evs[i : i+n] {
				b.WriteString(p.Text)
			}
			e.Text = b.String()
		}
		out = append(out, e)
		i += n
	}
	return out
}

func joins(a, b core.Event) bool {
	switch a.Type {
	case core.EventText, core.EventReasoning, core.EventToolOutput:
	default:
		return false
	}
	return a.Type == b.Type && a.Worker == b.Worker && a.Via == b.Via && a.Agent == b.Agent && bytes.Equal(a.Data, b.Data)
}
