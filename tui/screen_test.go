package tui

import (
	"strings"
	"testing"

	"jarvis/tui/view"
)

func rows(texts ...string) []view.Line {
	var out []view.Line
	for _, t := range texts {
		out = append(out, view.Line{Text: strings.TrimSuffix(t, "↩"), Width: len(strings.TrimSuffix(t, "↩")), Soft: strings.HasSuffix(t, "↩")})
	}
	return out
}

func TestPaint(t *testing.T) {
	type step struct {
		done, open []view.Line
		want       string // without the brackets around a repaint
	}
	for name, steps := range map[string][]step{
		"open, then more, then done": {
			{nil, rows("a"), "a"},
			{nil, rows("a", "b"), "\r\nb"},
			{nil, rows("a", "b"), ""},
			{nil, rows("a", "bc"), "\r\x1b[Jbc"},
			{rows("a"), rows("bc", "d"), "\r\nd"},
			{rows("bc", "d"), nil, "\r\n"},
		},
		"nothing open is left alone": {
			{rows("a"), nil, "a\r\n"},
			{rows("b"), nil, "b\r\n"},
			{nil, nil, ""},
		},
		"only what differs is painted": {
			{nil, rows("a", "b", "c"), "a\r\nb\r\nc"},
			{nil, rows("a", "x", "y"), "\x1b[1A\r\x1b[Jx\r\ny"},
			{nil, rows("z"), "\x1b[2A\r\x1b[Jz"},
		},
		"soft rows have no line end": {
			{rows("abc↩", "d"), nil, "abcd\r\n"},
		},
	} {
		var out strings.Builder
		s := newScreen(&out, 40, 10, false)
		for i, st := range steps {
			out.Reset()
			if err := s.paint(st.done, st.open); err != nil {
				t.Fatal(err)
			}
			got := out.String()
			got = strings.TrimSuffix(strings.TrimPrefix(got, syncOn+hideCur), showCur+syncOff)
			if got != st.want {
				t.Errorf("%s, step %d: %q, want %q", name, i, got, st.want)
			}
		}
	}
}

func TestResizeCountsWhatTheTerminalWrapped(t *testing.T) {
	wide, half := strings.Repeat("x", 80), strings.Repeat("x", 40)
	for _, c := range []struct {
		name  string
		shown []view.Line
		width int
		gone  int
		want  string
	}{
		{"nothing is open", nil, 40, 0, ""},
		{"wider", rows(half, half), 120, 0, "\x1b[1A\r\x1b[J"},
		{"narrower", rows(wide, half), 40, 0, "\x1b[2A\r\x1b[J"},
		{"a soft row joins the next", rows(half+"↩", half), 80, 0, "\r\x1b[J"},
		{"the first ones are gone", rows(wide, wide, wide), 40, 1, "\x1b[3A\r\x1b[J"},
		{"one that is too long", rows(strings.Repeat("x", 300)), 40, 1, "\r\n"},
	} {
		var out strings.Builder
		s := newScreen(&out, 80, 5, false)
		s.shown = c.shown
		gone, err := s.resize(c.width, 5)
		if err != nil || gone != c.gone || out.String() != c.want {
			t.Errorf("%s: %d gone, %q %v, want %d, %q", c.name, gone, out.String(), err, c.gone, c.want)
		}
	}
}
