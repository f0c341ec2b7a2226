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

// Message gives something the screen itself says, wrapped to the window.
func Message(mark string, st Style, text string, style Style, o Options) []Line {
	head := textCells(mark, st)
	pad := textCells(strings.Repeat(" ", cellsWidth(head)), "")
	cs := textCells(strings.ReplaceAll(core.Printable(text), "\t", " "), style)
	rows := prefix(wrap(cs, min(max(o.Width, 20)-1, maxProse)-len(pad)), head, pad)
	out := make([]Line, 0, len(rows))
	for _, r := range rows {
		out = append(out, o.Theme.encode(r))
	}
	return out
}
