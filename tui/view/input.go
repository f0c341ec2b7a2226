package view

import (
	"strings"

	"jarvis/core"
)

// Field is text that is being typed. Cells are its graphemes, "\n" among them; a cell may show a label instead of what it
// holds. Cursor is the index of the cell the cursor stands on.
type Field struct {
	Prompt string
	Cells  []FieldCell
	Cursor int
}

// FieldCell is one grapheme, or something folded: Label is shown for it.
type FieldCell struct {
	Text  string
	Label string
}

// Input lays a field out in rows of the window. It gives the lines (at most room of them, those around the cursor), how many
// rows the cursor stands above the last of them, and its column.
func Input(f Field, o Options, room int) (lines []Line, above, col int) {
	width := max(o.Width, 20)
	head := textCells(f.Prompt, o.Theme.Prompt)
	indent := cellsWidth(head)
	pad := textCells(strings.Repeat(" ", indent), "")
	rows := []row{{cells: head}}
	w, crow := indent, 0
	feed := func(soft bool) {
		rows[len(rows)-1].soft = soft
		r := row{}
		w = 0
		if !soft {
			r.cells = append(r.cells, pad...)
			w = indent
		}
		rows = append(rows, r)
	}
	for i, c := range f.Cells {
		shown, st := core.Printable(c.Text), Style("")
		if c.Label != "" {
			shown, st = core.Printable(c.Label), o.Theme.Dim
		}
		if c.Text == "\t" {
			shown = "    "
		}
		if c.Text == "\n" && c.Label == "" {
			if i == f.Cursor {
				crow, col = len(rows)-1, w
			}
			feed(false)
			continue
		}
		for j, g := range textCells(shown, st) {
			if w+g.w > width-1 {
				feed(true)
				rows[len(rows)-2].soft = false
			}
			if j == 0 && i == f.Cursor {
				crow, col = len(rows)-1, w
			}
			last := &rows[len(rows)-1]
			last.cells = append(last.cells, g)
			w += g.w
		}
	}
	if f.Cursor >= len(f.Cells) {
		crow, col = len(rows)-1, w
	}
	from := 0
	if len(rows) > room {
		from = min(max(crow-room/2, 0), len(rows)-room)
		rows = rows[from : from+room]
	}
	for i := range rows {
		lines = append(lines, o.Theme.encode(rows[i]))
	}
	return lines, len(rows) - 1 - (crow - from), col
}

// Graphemes cuts text into the cells of a Field.
func Graphemes(text string) []FieldCell {
	cs := textCells(text, "")
	out := make([]FieldCell, 0, len(cs))
	at := 0
	for _, c := range cs {
		n := len(c.g)
		if text[at] == '\t' {
			n = 1
		}
		out = append(out, FieldCell{Text: text[at : at+n]})
		at += n
	}
	return out
}
