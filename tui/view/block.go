package view

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"jarvis/core"
)

const (
	maxDepth   = 12  // containers inside containers; what lies deeper is shown plain
	maxProse   = 100 // columns: longer lines are hard to read
	minContent = 8   // columns that indentation always leaves
)

// renderer renders the nodes of one parsed piece of source.
type renderer struct {
	theme  *Theme
	width  int
	src    []byte
	base   int            // offset of src in the stream
	tables map[int]layout // column widths that are settled, by the table's offset in the stream
	seen   map[int]layout // column widths that were chosen
	number int            // of the first item of a top-level list, -1 = as written
}

func prose(width int) int { return min(width, maxProse) }

// blocks renders the children of a container, with a blank row where the source has one.
func (r *renderer) blocks(parent ast.Node, width, depth int) []row {
	var rows []row
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		part := r.block(n, width, depth)
		if len(part) == 0 {
			continue
		}
		if len(rows) > 0 && (n.HasBlankPreviousLines() || separate(n)) {
			rows = append(rows, row{src: rows[len(rows)-1].src})
		}
		rows = append(rows, part...)
	}
	return rows
}

// separate tells the blocks that stand apart even when the source does not say so.
func separate(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindList, ast.KindTextBlock, ast.KindParagraph, ast.KindLinkReferenceDefinition:
		return false
	}
	return n.Parent() != nil && n.Parent().Kind() != ast.KindListItem
}

func (r *renderer) block(n ast.Node, width, depth int) []row {
	width = max(width, minContent)
	if depth > maxDepth {
		return wrap(textCells(core.Printable(plainText(n, r.src)), ""), width)
	}
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return wrap(r.inline(n), prose(width))
	case *ast.Heading:
		return r.heading(n, width)
	case *ast.ThematicBreak:
		return []row{{cells: textCells(strings.Repeat("─", min(width, 40)), r.theme.Rule), src: r.base + n.Pos()}}
	case *ast.FencedCodeBlock:
		return r.fenced(n, width, depth)
	case *ast.CodeBlock:
		indent := textCells("    ", "")
		return prefix(r.codeLines(n, "", width-len(indent), depth+1), indent, indent)
	case *ast.HTMLBlock:
		return r.html(n, width)
	case *ast.Blockquote:
		return prefix(r.blocks(n, width-2, depth+1), textCells("│ ", r.theme.Quote), textCells("│ ", r.theme.Quote))
	case *ast.List:
		return r.list(n, width, depth)
	case *extast.Table:
		return r.table(n, width)
	case *ast.LinkReferenceDefinition:
		return r.definition(n, width)
	}
	if n.Type() == ast.TypeInline {
		return nil
	}
	return r.blocks(n, width, depth+1)
}

func (r *renderer) heading(n *ast.Heading, width int) []row {
	st := r.theme.Heading3
	switch n.Level {
	case 1:
		st = r.theme.Heading1
	case 2:
		st = r.theme.Heading2
	}
	var cs []cell
	if !r.theme.Color {
		cs = textCells(strings.Repeat("#", n.Level)+" ", "")
	}
	return wrap(r.inlineInto(cs, n, st, 0), prose(width))
}

func (r *renderer) definition(n *ast.LinkReferenceDefinition, width int) []row {
	text := "[" + core.Printable(string(n.Label)) + "]: " + address(n.Destination)
	if len(n.Title) > 0 {
		text += " " + strconv.Quote(address(n.Title))
	}
	return wrap(textCells(strings.ReplaceAll(text, "\n", " "), r.theme.URL), width)
}

func (r *renderer) html(n *ast.HTMLBlock, width int) []row {
	var rows []row
	add := func(start, stop int) {
		line := core.Printable(strings.TrimRight(string(r.src[start:stop]), "\n"))
		rows = append(rows, wrap(appendCells(nil, line, r.theme.URL, r.base+start, false), width)...)
		rows[len(rows)-1].src = r.base + stop
	}
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		add(s.Start, s.Stop)
	}
	if n.HasClosure() {
		add(n.ClosureLine.Start, n.ClosureLine.Stop)
	}
	return rows
}

func (r *renderer) list(n *ast.List, width, depth int) []row {
	num := n.Start
	if depth == 0 && r.number >= 0 {
		num = r.number
	}
	var rows []row
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if !r.theme.Color {
			mark = "- "
		}
		if n.IsOrdered() {
			mark = strconv.Itoa(num) + string(n.Marker) + " "
			num++
		}
		head := textCells(mark, r.theme.Bullet)
		pad := textCells(strings.Repeat(" ", len(head)), "")
		body := r.blocks(item, width-len(head), depth+1)
		if len(body) == 0 {
			body = []row{{src: r.base + max(item.Pos(), 0)}}
		}
		if len(rows) > 0 && item.HasBlankPreviousLines() {
			rows = append(rows, row{src: rows[len(rows)-1].src})
		}
		rows = append(rows, prefix(body, head, pad)...)
	}
	return rows
}

// prefix puts first before the first row and rest before the others.
func prefix(rows []row, first, rest []cell) []row {
	for i := range rows {
		p := rest
		if i == 0 {
			p = first
		}
		cs := make([]cell, 0, len(p)+len(rows[i].cells))
		rows[i].cells = append(append(cs, p...), rows[i].cells...)
		rows[i].soft = false
	}
	return rows
}

// fenced renders a closed code block; the stream's own fence mode gives the same rows line by line.
func (r *renderer) fenced(n *ast.FencedCodeBlock, width, depth int) []row {
	info := ""
	if n.Info != nil {
		info = core.Printable(string(n.Info.Segment.Value(r.src)))
	}
	rows := []row{fenceHead(r.theme, info, width)}
	rows[0].src = r.base + max(n.Pos(), 0)
	rows = append(rows, r.codeLines(n, language(info), width, depth)...)
	return append(rows, row{cells: fenceFoot(r.theme, width), src: rows[len(rows)-1].src})
}

func (r *renderer) codeLines(n ast.Node, lang string, width, depth int) []row {
	h := newHighlighter(r.theme, lang)
	var rows []row
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		line := string(bytes.TrimRight(s.Value(r.src), "\n"))
		part := fold(h.line(core.Printable(line)), width)
		for j := range part {
			part[j].src = r.base + s.Start
			part[j].soft = part[j].soft && depth == 0
		}
		part[len(part)-1].src = r.base + s.Stop
		rows = append(rows, part...)
	}
	return rows
}

// fenceHead and fenceFoot frame code without touching its columns, so that it can be copied as it is.
func fenceHead(t *Theme, info string, width int) row {
	label := "──"
	if f := strings.Fields(info); len(f) > 0 {
		label += " " + f[0] + " "
	}
	cs := textCells(label, t.Rule)
	for len(cs) > 0 && cellsWidth(cs) > max(width-1, 4) {
		cs = cs[:len(cs)-1]
	}
	if n := min(width, 40) - cellsWidth(cs); n > 0 {
		cs = append(cs, textCells(strings.Repeat("─", n), t.Rule)...)
	}
	return row{cells: cs}
}

func fenceFoot(t *Theme, width int) []cell {
	return textCells(strings.Repeat("─", min(width, 40)), t.Rule)
}
