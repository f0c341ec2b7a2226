package transcript

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// newMarkdown makes what turns a message into HTML: tables, code, formulas, and nothing that lives. HTML in a message is
// shown as it was written; a link goes to the web or to a mail address; an image is the link to it, because a page that loads
// one would tell its server who reads it.
func newMarkdown(math Math) goldmark.Markdown {
	m := goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Linkify),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(&safe{math: math}, 10))),
	)
	m.Parser().AddOptions(
		parser.WithBlockParsers(util.Prioritized(displayParser{}, 650)),
		parser.WithInlineParsers(util.Prioritized(inlineParser{}, 90)),
	)
	return m
}

// safe renders the nodes whose usual form would trust the text.
type safe struct {
	math Math
}

// RegisterFuncs is goldmark's.
func (s *safe) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindHTMLBlock, s.htmlBlock)
	reg.Register(ast.KindRawHTML, s.rawHTML)
	reg.Register(ast.KindLink, s.link)
	reg.Register(ast.KindImage, s.image)
	reg.Register(ast.KindAutoLink, s.autoLink)
	reg.Register(ast.KindFencedCodeBlock, s.code)
	reg.Register(kindFormula, s.formula)
}

func (s *safe) htmlBlock(w util.BufWriter, src []byte, node ast.Node, in bool) (ast.WalkStatus, error) {
	n := node.(*ast.HTMLBlock) //nolint:forcetypeassert // registered for this kind
	if !in {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("<pre>")
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		_, _ = w.WriteString(escapeHTML(string(line.Value(src))))
	}
	if n.HasClosure() {
		_, _ = w.WriteString(escapeHTML(string(n.ClosureLine.Value(src))))
	}
	_, _ = w.WriteString("</pre>\n")
	return ast.WalkSkipChildren, nil
}

func (s *safe) rawHTML(w util.BufWriter, src []byte, node ast.Node, in bool) (ast.WalkStatus, error) {
	n := node.(*ast.RawHTML) //nolint:forcetypeassert // registered for this kind
	if in {
		for i := range n.Segments.Len() {
			seg := n.Segments.At(i)
			_, _ = w.WriteString(escapeHTML(string(seg.Value(src))))
		}
	}
	return ast.WalkSkipChildren, nil
}

func (s *safe) link(w util.BufWriter, _ []byte, node ast.Node, in bool) (ast.WalkStatus, error) {
	n := node.(*ast.Link) //nolint:forcetypeassert // registered for this kind
	to, ok := target(string(n.Destination))
	switch {
	case !ok:
	case in:
		_, _ = w.WriteString(anchor(to))
	default:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

// image gives the link to an image; its text is the link's.
func (s *safe) image(w util.BufWriter, _ []byte, node ast.Node, in bool) (ast.WalkStatus, error) {
	n := node.(*ast.Image) //nolint:forcetypeassert // registered for this kind
	to, ok := target(string(n.Destination))
	switch {
	case in && ok:
		_, _ = w.WriteString(anchor(to) + "🖼 ")
	case in:
		_, _ = w.WriteString("🖼 ")
	case ok:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func (s *safe) autoLink(w util.BufWriter, src []byte, node ast.Node, in bool) (ast.WalkStatus, error) {
	n := node.(*ast.AutoLink) //nolint:forcetypeassert // registered for this kind
	if !in {
		return ast.WalkContinue, nil
	}
	u := string(n.URL(src))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(u), "mailto:") {
		u = "mailto:" + u
	}
	label := escapeHTML(string(n.Label(src)))
	if to, ok := target(u); ok {
		label = anchor(to) + label + "</a>"
	}
	_, _ = w.WriteString(label)
	return ast.WalkContinue, nil
}

// code shows what language a block says it is in; nothing of it becomes an attribute.
func (s *safe) code(w util.BufWriter, src []byte, node ast.Node, in bool) (ast.WalkStatus, error) {
	n := node.(*ast.FencedCodeBlock) //nolint:forcetypeassert // registered for this kind
	if !in {
		return ast.WalkContinue, nil
	}
	lang := strings.ToLower(string(n.Language(src)))
	var content bytes.Buffer
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		content.Write(line.Value(src))
	}
	if lang == "math" {
		s.put(w, content.String(), true)
		return ast.WalkSkipChildren, nil
	}
	_, _ = w.WriteString("<figure>")
	if lang != "" {
		_, _ = w.WriteString("<figcaption>" + escapeHTML(lang) + "</figcaption>")
	}
	_, _ = w.WriteString("<pre><code>" + escapeHTML(content.String()) + "</code></pre></figure>\n")
	return ast.WalkSkipChildren, nil
}

func (s *safe) formula(w util.BufWriter, src []byte, node ast.Node, in bool) (ast.WalkStatus, error) {
	n := node.(*formula) //nolint:forcetypeassert // registered for this kind
	if in {
		s.put(w, n.tex(src), n.display)
	}
	return ast.WalkSkipChildren, nil
}

// put writes a formula as MathML, or as it was written when nobody can render it.
func (s *safe) put(w util.BufWriter, tex string, display bool) {
	if s.math != nil {
		if m, ok := s.math(tex, display); ok {
			if display {
				m = `<div class="math">` + m + "</div>\n"
			}
			_, _ = w.WriteString(m)
			return
		}
	}
	if display {
		_, _ = w.WriteString("<pre>" + escapeHTML("$$"+tex+"$$") + "</pre>\n")
		return
	}
	_, _ = w.WriteString("<code>" + escapeHTML("$"+tex+"$") + "</code>")
}

func anchor(to string) string {
	return `<a href="` + escapeHTML(to) + `" rel="noopener noreferrer nofollow">`
}

// target gives a destination that a person may be led to: the web and mail. Everything else (javascript:, data:, file:, and
// what browsers make of spaces and control characters in front of them) is no link.
func target(dest string) (string, bool) {
	dest = strings.TrimSpace(dest)
	if strings.ContainsFunc(dest, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		return "", false
	}
	u, err := url.Parse(dest)
	if err != nil {
		return "", false
	}
	switch {
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "", u.Scheme == "mailto" && u.Opaque != "":
		return u.String(), true
	}
	return "", false
}
