package view

import (
	"strings"

	"jarvis/core"
)

// Note gives one dim line for something that is not the answer's own text, cut to the window: a notice, a tool call. mark
// stands before it in its own style.
func Note(mark string, st Style, text string, o Options) []Line {
	text = core.Printable(strings.Join(strings.Fields(text), " "))
	cs := append(textCells(mark, st), textCells(text, o.Theme.Dim)...)
	if limit := max(o.Width, 20) - 1; cellsWidth(cs) > limit {
		for len(cs) > 0 && cellsWidth(cs) > limit-1 {
			cs = cs[:len(cs)-1]
		}
		cs = append(cs, textCells("…", o.Theme.Dim)...)
	}
	return []Line{o.Theme.encode(row{cells: cs})}
}
