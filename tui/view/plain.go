package view

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// gap sets the next plain line apart from what is above it.
func (s *Stream) gap() {
	if s.at.any {
		s.done = append(s.done, Line{src: s.base})
	}
	s.at.any, s.at.def, s.at.number = true, false, -1
}

// plainLine shows one line, or a part of a very long one, without Markdown.
func (s *Stream) plainLine(final bool) bool {
	nl := bytes.IndexByte(s.tail, '\n')
	n := nl
	if nl < 0 {
		n = len(s.tail)
	}
	switch {
	case n >= plainChunk+256:
		s.chunk()
		return true
	case nl < 0 && !final:
		s.fullRows()
		return false
	case len(bytes.TrimSpace(s.tail[:n])) == 0 && !s.mid:
		s.plain = false
		s.at.any, s.at.blank, s.at.def, s.at.number = true, true, false, -1
		s.drop(max(n, nl+1))
		return nl >= 0
	}
	s.done = append(s.done, s.plainRows(s.tail[:n])...)
	s.drop(max(n, nl+1))
	s.mid = false
	return nl >= 0
}

func (s *Stream) plainRows(b []byte) []Line {
	var out []Line
	for line := range strings.Lines(string(b)) {
		for _, r := range fold(textCells(strings.TrimRight(line, "\n"), ""), s.opt.Width) {
			r.soft = false
			out = append(out, s.opt.Theme.encode(r))
		}
	}
	return out
}

// fullRows shows what fills whole rows of a plain line that is still being written: it will not change.
func (s *Stream) fullRows() {
	rows := fold(appendCells(nil, string(s.tail), "", 0, true), s.opt.Width)
	if len(rows) < 2 || len(bytes.TrimSpace(s.tail)) == 0 {
		return
	}
	rows = rows[:len(rows)-1]
	for _, r := range rows {
		r.soft = false // a window that changes would wrap it together with the row that is still open
		s.done = append(s.done, s.opt.Theme.encode(r))
	}
	s.drop(rows[len(rows)-1].src)
	s.mid = true
}

// chunk shows the first rows of a very long line, always cut at the same places.
func (s *Stream) chunk() {
	n := plainChunk
	for n > 0 && !utf8.RuneStart(s.tail[n]) {
		n--
	}
	rows := fold(appendCells(nil, string(s.tail[:n]), "", 0, true), s.opt.Width)
	if len(rows) > 1 {
		rows = rows[:len(rows)-1]
	}
	for _, r := range rows {
		r.soft = false
		s.done = append(s.done, s.opt.Theme.encode(r))
	}
	s.drop(rows[len(rows)-1].src)
	s.mid = true
}

// goOn continues a block plainly: what has scrolled away, up to from, no longer fits the rest. Nothing is lost.
func (s *Stream) goOn(from, end int) {
	s.frozen, s.tables = nil, nil
	n := min(max(from-s.base, 0), end)
	s.mid = n > 0 && s.tail[n-1] != '\n'
	s.drop(n)
	s.plain = true
	if nl := bytes.IndexByte(s.tail, '\n'); s.mid && nl >= 0 && len(bytes.TrimSpace(s.tail[:nl])) == 0 {
		s.drop(nl + 1) // the rest of the line is no line of its own
		s.mid = false
	}
}

// pathological tells lines that cost a parser too much; what it says of a line's beginning holds for the line.
func pathological(line []byte) bool {
	if len(line) > maxLine || bytes.Count(line, []byte("|")) > maxBars {
		return true
	}
	marks := 0
	for _, c := range line {
		switch c {
		case '>', '-', '*', '+':
			marks++
		case ' ', '\t':
		default:
			return false
		}
		if marks > maxMarks && bytes.IndexByte(line, '>') >= 0 {
			return true
		}
	}
	return false
}
