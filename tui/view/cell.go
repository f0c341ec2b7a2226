package view

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Line is one row of the terminal. Text holds our colours and is complete in itself: every style it starts it ends. Soft says
// that the text goes on in the next row without a line end, so that copying a long line of code gives one line.
type Line struct {
	Text  string
	Width int // columns
	Soft  bool

	src int // offset in the stream behind the last source byte that is shown up to here
}

// cell is one grapheme with its width in columns; "\n" forces a line end.
type cell struct {
	g     string
	w     int
	style Style
	src   int
}

type row struct {
	cells []cell
	soft  bool
	src   int
}

const tabStop = 4

// cells splits text into graphemes. src gives the offset behind each byte index; nil means that all of it is at pos.
func appendCells(out []cell, text string, st Style, pos int, exact bool) []cell {
	if pos >= 0 && exact && isASCII(text) {
		for i := range len(text) {
			out = append(out, asciiCell(text[i:i+1], st, pos+i+1))
		}
		return out
	}
	g := displaywidth.StringGraphemes(text)
	at := pos
	for g.Next() {
		v := g.Value()
		if exact {
			at += len(v)
		}
		if len(v) == 1 {
			out = append(out, asciiCell(v, st, at))
			continue
		}
		out = append(out, cell{g: v, w: g.Width(), style: st, src: at})
	}
	return out
}

func asciiCell(c string, st Style, src int) cell {
	switch c {
	case "\n":
		return cell{g: c, src: src}
	case "\t":
		return cell{g: " ", w: 1, style: st, src: src}
	}
	return cell{g: c, w: 1, style: st, src: src}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func textCells(text string, st Style) []cell { return appendCells(nil, text, st, 0, false) }

func cellsWidth(cs []cell) int {
	w := 0
	for _, c := range cs {
		w += c.w
	}
	return w
}

// noBreakBefore are characters that must not begin a line of Chinese or Japanese text.
const noBreakBefore = "、。，．・：；？！ー）」』】〉》〕］｝…,.!?:;)"

func canBreakBetween(a, b cell) bool {
	if a.g == " " {
		return true
	}
	return (a.w == 2 || b.w == 2) && b.g != " " && !strings.Contains(noBreakBefore, b.g)
}

// wrap breaks cells into rows of at most width columns, at spaces and between wide characters; a longer word is cut.
func wrap(cs []cell, width int) []row {
	width = max(width, 1)
	var rows []row
	start, w, brk := 0, 0, -1
	flush := func(end, next int) {
		src := 0
		if end > 0 {
			src = cs[end-1].src
		}
		if next > 0 && next <= len(cs) {
			src = cs[next-1].src
		}
		line := cs[start:end]
		for len(line) > 0 && line[len(line)-1].g == " " {
			line = line[:len(line)-1]
		}
		rows = append(rows, row{cells: line, src: src})
		start, w, brk = next, 0, -1
	}
	for i := 0; i < len(cs); i++ {
		c := cs[i]
		if c.g == "\n" {
			flush(i, i+1)
			continue
		}
		if i > start && canBreakBetween(cs[i-1], c) {
			brk = i
		}
		if w+c.w > width && i > start {
			if c.g == " " {
				next := i
				for next < len(cs) && cs[next].g == " " {
					next++
				}
				flush(i, next)
				i = next - 1
				continue
			}
			cut := i
			if brk > start {
				cut = brk
			}
			flush(cut, cut)
			w = cellsWidth(cs[start:i])
		}
		w += c.w
	}
	if start < len(cs) || len(rows) == 0 {
		flush(len(cs), len(cs))
	}
	return rows
}

// fold cuts cells into rows of exactly width columns, as the terminal itself would.
func fold(cs []cell, width int) []row {
	width = max(width, 2)
	var rows []row
	start, w := 0, 0
	for i, c := range cs {
		if w+c.w > width {
			rows = append(rows, row{cells: cs[start:i], soft: true, src: cs[i-1].src})
			start, w = i, 0
		}
		w += c.w
	}
	last := row{cells: cs[start:]}
	if len(cs) > 0 {
		last.src = cs[len(cs)-1].src
	}
	return append(rows, last)
}

// encode turns a row into a Line.
func (t *Theme) encode(r row) Line {
	var b strings.Builder
	cur := Style("")
	cs := r.cells
	if !r.soft {
		for len(cs) > 0 && cs[len(cs)-1].g == " " {
			cs = cs[:len(cs)-1]
		}
	}
	for _, c := range cs {
		if st := c.style; t.Color && st != cur {
			if cur != "" {
				b.WriteString("\x1b[0m")
			}
			if st != "" {
				b.WriteString("\x1b[")
				b.WriteString(string(st))
				b.WriteByte('m')
			}
			cur = st
		}
		b.WriteString(c.g)
	}
	if cur != "" {
		b.WriteString("\x1b[0m")
	}
	return Line{Text: b.String(), Width: cellsWidth(cs), Soft: r.soft, src: r.src}
}
