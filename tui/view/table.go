package view

import (
	"slices"
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"
)

const minColumn = 4 // columns that a table's cell always gets; where that does not fit, rows become records

type tableRow struct {
	cells [][]cell
	from  int // offset of the row; only its last line has shown all of it
	src   int // offset behind it
}

// table lays a table out: natural widths when they fit, else the widest columns give way and their cells wrap.
func (r *renderer) table(n *extast.Table, width int) []row {
	var rows []tableRow
	for tr := n.FirstChild(); tr != nil; tr = tr.NextSibling() {
		row := tableRow{}
		for td := tr.FirstChild(); td != nil; td = td.NextSibling() {
			cs := r.inline(td)
			row.cells = append(row.cells, cs)
		}
		start := r.base + max(tr.Pos(), 0)
		row.from = lineStart(r.src, start-r.base) + r.base
		row.src = lineEnd(r.src, start-r.base) + r.base
		rows = append(rows, row)
	}
	if len(rows) == 0 || len(rows[0].cells) == 0 {
		return nil
	}
	key := r.base + max(n.FirstChild().Pos(), 0)
	lay, settled := r.tables[key]
	if !settled {
		lay = layout{widths: columnWidths(rows, width), rows: max(len(rows)-1, 1)} // the last one may still be growing
	}
	if r.seen != nil {
		r.seen[key] = lay
	}
	if len(lay.widths) == 0 {
		return r.records(rows, width)
	}
	if !settled {
		return r.grid(rows, lay.widths, n.Alignments)
	}
	out := r.grid(rows[:min(lay.rows, len(rows))], lay.widths, n.Alignments)
	for i := lay.rows; i < len(rows); i++ {
		out = append(out, r.gridRow(rows[i], lay.widen(rows[i], width), n.Alignments)...)
	}
	return out
}

// layout is how a table's columns stand. Once its first rows have scrolled away it is settled; rows is how many it was made
// for.
type layout struct {
	widths []int
	rows   int
}

// widen gives a row that came later the room that its cells need, if the window has it; its columns then stand out of line.
func (l layout) widen(tr tableRow, width int) []int {
	out := slices.Clone(l.widths)
	sum := 3 * (len(out) - 1)
	for c := range out {
		if c < len(tr.cells) {
			out[c] = max(out[c], cellsWidth(tr.cells[c]))
		}
		sum += out[c]
	}
	if sum > width {
		return l.widths
	}
	return out
}

// columnWidths gives no widths when the columns cannot stand side by side.
func columnWidths(rows []tableRow, width int) []int {
	cols := len(rows[0].cells)
	widths := make([]int, cols)
	for _, row := range rows {
		for i, cs := range row.cells[:min(cols, len(row.cells))] {
			widths[i] = max(widths[i], cellsWidth(cs), 1)
		}
	}
	room := width - 3*(cols-1)
	if room < cols*minColumn {
		sum := 0
		for _, w := range widths {
			sum += w
		}
		if sum > room {
			return []int{}
		}
	}
	// The widest give way first, all to one limit.
	limit := 1
	for lo, hi := 1, max(room, 1); lo <= hi; {
		mid := (lo + hi) / 2
		sum := 0
		for _, w := range widths {
			sum += min(w, mid)
		}
		if sum <= room {
			limit, lo = mid, mid+1
		} else {
			hi = mid - 1
		}
	}
	for i, w := range widths {
		widths[i] = min(w, limit)
	}
	return widths
}

func (r *renderer) grid(rows []tableRow, widths []int, align []extast.Alignment) []row {
	var out []row
	for i, tr := range rows {
		if i > 0 {
			out = append(out, r.gridRow(tr, widths, align)...)
			continue
		}
		for _, cs := range tr.cells {
			for j := range cs {
				cs[j].style = r.theme.TableHead.with(cs[j].style)
			}
		}
		out = r.gridRow(tr, widths, align)
		parts := make([]string, len(widths))
		for c, w := range widths {
			parts[c] = strings.Repeat("─", w)
		}
		rule := textCells(strings.Join(parts, "─┼─"), r.theme.TableRule)
		out = append(out, row{cells: rule, src: lineEnd(r.src, tr.src-r.base) + r.base})
	}
	return out
}

func (r *renderer) gridRow(tr tableRow, widths []int, align []extast.Alignment) []row {
	cols := make([][]row, len(widths))
	height := 1
	for c := range widths {
		var cs []cell
		if c < len(tr.cells) {
			cs = tr.cells[c]
		}
		cols[c] = wrap(cs, widths[c])
		height = max(height, len(cols[c]))
	}
	out := make([]row, height)
	for l := range height {
		out[l] = row{cells: r.gridLine(cols, widths, align, l), src: tr.from}
	}
	out[height-1].src = tr.src
	return out
}

func (r *renderer) gridLine(cols [][]row, widths []int, align []extast.Alignment, l int) []cell {
	var line []cell
	for c, w := range widths {
		if c > 0 {
			line = append(line, textCells(" │ ", r.theme.TableRule)...)
		}
		var cs []cell
		if l < len(cols[c]) {
			cs = cols[c][l].cells
		}
		left, free := 0, max(w-cellsWidth(cs), 0)
		if c < len(align) {
			switch align[c] {
			case extast.AlignRight:
				left = free
			case extast.AlignCenter:
				left = free / 2
			}
		}
		line = append(line, textCells(strings.Repeat(" ", left), "")...)
		line = append(line, cs...)
		line = append(line, textCells(strings.Repeat(" ", free-left), "")...)
	}
	return line
}

// records shows each row as lines "head: cell" where the columns do not fit side by side.
func (r *renderer) records(rows []tableRow, width int) []row {
	var out []row
	if len(rows) == 1 {
		for _, h := range rows[0].cells {
			out = append(out, wrap(h, width)...)
		}
	}
	for i, tr := range rows[1:] {
		if i > 0 {
			out = append(out, row{src: tr.from})
		}
		for c, cs := range tr.cells {
			var line []cell
			if c < len(rows[0].cells) {
				for _, h := range rows[0].cells[c] {
					h.style = r.theme.TableHead.with(h.style)
					line = append(line, h)
				}
				line = append(line, textCells(": ", "")...)
			}
			for _, w := range wrap(append(line, cs...), width) {
				w.src = tr.from
				out = append(out, w)
			}
		}
		if len(tr.cells) > 0 {
			out[len(out)-1].src = tr.src
		}
	}
	return out
}

// lineEnd is the offset behind the line that holds at.
func lineEnd(src []byte, at int) int {
	for i := max(at, 0); i < len(src); i++ {
		if src[i] == '\n' {
			return i + 1
		}
	}
	return len(src)
}
