package view

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"jarvis/core"
)

// maxInlineDepth bounds emphasis inside emphasis; deeper nodes keep the style of their parent's.
const maxInlineDepth = 24

// inline gives the cells of a node's inline children.
func (r *renderer) inline(n ast.Node) []cell { return r.inlineInto(nil, n, "", 0) }

func (r *renderer) inlineInto(out []cell, parent ast.Node, st Style, depth int) []cell {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		out = r.inlineNode(out, n, st, depth)
	}
	return out
}

func (r *renderer) inlineNode(out []cell, n ast.Node, st Style, depth int) []cell {
	if depth > maxInlineDepth {
		return appendCells(out, core.Printable(plainText(n, r.src)), st, r.last(out), false)
	}
	t := r.theme
	switch n := n.(type) {
	case *ast.Text:
		out = r.text(out, n, st)
		switch {
		case n.HardLineBreak():
			out = append(out, cell{g: "\n", src: r.base + n.Segment.Stop})
		case n.SoftLineBreak():
			out = append(out, cell{g: " ", w: 1, style: st, src: r.base + n.Segment.Stop})
		}
		return out
	case *ast.String:
		return appendCells(out, core.Printable(string(n.Value)), st, r.last(out), false)
	case *ast.CodeSpan:
		if !t.Color {
			return r.bracket(out, n, "`", "`", st, depth)
		}
		return r.inlineInto(out, n, st.with(t.Code), depth+1)
	case *ast.Emphasis:
		if !t.Color {
			mark := strings.Repeat("*", n.Level)
			return r.bracket(out, n, mark, mark, st, depth)
		}
		if n.Level >= 2 {
			return r.inlineInto(out, n, st.with(t.Strong), depth+1)
		}
		return r.inlineInto(out, n, st.with(t.Emphasis), depth+1)
	case *extast.Strikethrough:
		if !t.Color {
			return r.bracket(out, n, "~~", "~~", st, depth)
		}
		return r.inlineInto(out, n, st.with(t.Strike), depth+1)
	case *ast.Link:
		return r.link(out, n, st, depth)
	case *ast.AutoLink:
		return appendCells(out, core.Printable(string(n.Label(r.src))), st.with(t.Link), r.last(out), false)
	case *ast.Image:
		out = appendCells(out, "[", st.with(t.URL), r.last(out), false)
		out = r.inlineInto(out, n, st.with(t.Link), depth+1)
		return appendCells(out, "] ("+address(n.Destination)+")", st.with(t.URL), r.last(out), false)
	case *ast.RawHTML:
		raw := string(n.Segments.Value(r.src))
		if l := strings.ToLower(raw); strings.HasPrefix(l, "<br") {
			return append(out, cell{g: "\n", src: r.last(out)})
		}
		return appendCells(out, core.Printable(raw), st.with(t.URL), r.last(out), false)
	case *extast.TaskCheckBox:
		box := "[ ] "
		if n.IsChecked {
			box = "[x] "
		}
		return appendCells(out, box, st.with(t.Bullet), r.last(out), false)
	}
	return r.inlineInto(out, n, st, depth+1)
}

func (r *renderer) bracket(out []cell, n ast.Node, open, end string, st Style, depth int) []cell {
	out = appendCells(out, open, st, r.last(out), false)
	out = r.inlineInto(out, n, st, depth+1)
	return appendCells(out, end, st, r.last(out), false)
}

func (r *renderer) link(out []cell, n *ast.Link, st Style, depth int) []cell {
	from := len(out)
	out = r.inlineInto(out, n, st.with(r.theme.Link), depth+1)
	dest := address(n.Destination)
	var label strings.Builder
	for _, c := range out[from:] {
		label.WriteString(c.g)
	}
	if l := label.String(); dest == "" || strings.HasPrefix(dest, "#") || l == dest || "mailto:"+l == dest {
		return out
	}
	return appendCells(out, " ("+dest+")", st.with(r.theme.URL), r.last(out), false)
}

// address is a link's target as people may see it, with a bound.
func address(dest []byte) string {
	s := core.Printable(string(dest))
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "\t", " ")
	if len(s) > 2048 {
		s = strings.ToValidUTF8(s[:2048], "") + "…"
	}
	return s
}

// text appends a text node: escapes and entities resolved, and whatever an entity smuggled in spelled out again.
func (r *renderer) text(out []cell, n *ast.Text, st Style) []cell {
	raw := n.Segment.Value(r.src)
	v := raw
	if !n.IsRaw() {
		v = util.UnescapePunctuations(v)
		v = util.ResolveNumericReferences(v)
		v = util.ResolveEntityNames(v)
	}
	s := core.Printable(string(v))
	s = strings.ReplaceAll(s, "\n", " ")
	if s == string(raw) {
		return appendCells(out, s, st, r.base+n.Segment.Start, true)
	}
	from := len(out)
	out = appendCells(out, s, st, r.base+n.Segment.Start, false)
	if len(out) > from {
		out[len(out)-1].src = r.base + n.Segment.Stop
	}
	return out
}

// last is the source offset of what was written last, for text that has none of its own.
func (r *renderer) last(out []cell) int {
	if len(out) == 0 {
		return r.base
	}
	return out[len(out)-1].src
}

// plainText collects a node's text without styles.
func plainText(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(src))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
