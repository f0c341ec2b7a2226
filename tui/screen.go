package tui

import (
	"io"
	"strconv"
	"strings"

	"jarvis/tui/view"
)

// screen writes lines below each other and repaints only the last ones, those that are still open. It never moves above
// them, so what has scrolled away stays as it is.
type screen struct {
	out           io.Writer
	width, height int
	fixed         bool // cannot move the cursor: open lines are not shown

	shown []view.Line // open lines on the terminal; the cursor is at the end of the last one
	crow  int         // rows that the cursor stands above the last one (an input line's cursor)
	col   int         // its column then, -1 = at the end
}

const (
	syncOn, syncOff   = "\x1b[?2026h", "\x1b[?2026l"
	hideCur, showCur  = "\x1b[?25l", "\x1b[?25h"
	eraseBelow        = "\x1b[J"
	newline           = "\r\n"
	leastCols         = 20
	fallbackWidth     = 80
	fallbackHeight    = 24
	rowsKeptForCursor = 1
)

func newScreen(out io.Writer, width, height int, fixed bool) *screen {
	s := &screen{out: out, fixed: fixed, col: -1}
	s.size(width, height)
	return s
}

func (s *screen) size(width, height int) {
	if width <= 0 {
		width = fallbackWidth
	}
	if height <= 0 {
		height = fallbackHeight
	}
	s.width, s.height = max(width, leastCols), max(height, 2)
}

// room is how many open lines the window can hold.
func (s *screen) room() int { return max(s.height-rowsKeptForCursor, 1) }

// resize forgets the open lines of the old size; the caller paints them anew. Terminals rewrap what they show, so a narrower
// window may have pushed the first of them out at its top: gone says how many, and these stay where they are.
func (s *screen) resize(width, height int) (gone int, err error) {
	s.size(width, height)
	n := len(s.shown) - s.crow
	if n <= 0 || s.fixed {
		s.shown, s.crow, s.col = nil, 0, -1
		return 0, nil
	}
	rows, gone := 0, n
	for end := n; end > 0; {
		// Rows that are one line of text are wrapped as one.
		start, w := end-1, s.shown[end-1].Width
		for start > 0 && s.shown[start-1].Soft {
			start--
			w += s.shown[start].Width
		}
		need := max(1, (w+s.width-1)/s.width)
		if rows+need > s.height {
			break
		}
		rows += need
		gone, end = start, start
	}
	s.shown, s.crow, s.col = nil, 0, -1
	if rows == 0 {
		return gone, s.write(newline)
	}
	return gone, s.write(up(rows-1) + "\r" + eraseBelow)
}

// paint makes done final and replaces the open lines. open must fit into room().
func (s *screen) paint(done, open []view.Line) error { return s.paintAt(done, open, 0, -1) }

// paintAt also says where the cursor belongs: crow rows above the last open line, in column col (-1: at its end).
func (s *screen) paintAt(done, open []view.Line, crow, col int) error {
	if s.fixed {
		return s.append(done)
	}
	all := make([]view.Line, 0, len(done)+len(open))
	all = append(append(all, done...), open...)
	same := 0
	for same < len(all) && same < len(s.shown) && all[same] == s.shown[same] {
		same++
	}
	if same == len(all) && same == len(s.shown) && len(done) == 0 && crow == s.crow && col == s.col {
		return nil
	}
	var b strings.Builder
	repaint := same < len(s.shown) || s.crow > 0 || s.col >= 0
	if repaint {
		same = min(same, max(len(all)-1, 0), max(len(s.shown)-1, 0))
		if n := len(s.shown) - 1 - s.crow - same; len(s.shown) > 0 && n >= 0 {
			b.WriteString(up(n))
		} else if n < 0 {
			b.WriteString(down(-n))
		}
		b.WriteString("\r" + eraseBelow)
	} else if same > 0 && same < len(all) && !all[same-1].Soft {
		b.WriteString(newline)
	}
	for i := same; i < len(all); i++ {
		b.WriteString(all[i].Text)
		if i < len(all)-1 && !all[i].Soft {
			b.WriteString(newline)
		}
	}
	if len(open) == 0 && len(all) > 0 {
		b.WriteString(newline)
	}
	if len(open) > 0 && (crow > 0 || col >= 0) {
		b.WriteString(up(crow) + "\r")
		if col > 0 {
			b.WriteString("\x1b[" + strconv.Itoa(col) + "C")
		}
	}
	s.shown, s.crow, s.col = open, crow, col
	if len(open) == 0 {
		s.crow, s.col = 0, -1
	}
	if !repaint {
		return s.write(b.String())
	}
	return s.write(syncOn + hideCur + b.String() + showCur + syncOff)
}

func (s *screen) append(lines []view.Line) error {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text)
		if !l.Soft {
			b.WriteString("\n")
		}
	}
	return s.write(b.String())
}

func (s *screen) write(text string) error {
	if text == "" {
		return nil
	}
	_, err := io.WriteString(s.out, text)
	return err
}

func up(n int) string {
	if n <= 0 {
		return ""
	}
	return "\x1b[" + strconv.Itoa(n) + "A"
}

func down(n int) string {
	if n <= 0 {
		return ""
	}
	return "\x1b[" + strconv.Itoa(n) + "B"
}
