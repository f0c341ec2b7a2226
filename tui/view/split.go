package view

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// piece is a stretch of source that is rendered and committed on its own: a top-level block, or one item of a top-level list.
type piece struct {
	start, end int  // in the source that was split
	item       int  // number of a list item, -1 = no item
	first      bool // first item of its list
	def        bool // link reference definition
	blank      bool // a blank line stands before it
	fence      bool // fenced code block
	text       bool // paragraph, table or definition: lines that follow without a blank one may still change what it is
	closed     bool // nothing that follows can change it
}

// newBlockParser parses blocks only: inline text does not decide where a block ends.
func newBlockParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
	)
}

// split cuts src, which begins where a block or list item begins and ends with a whole line, into pieces. number continues
// the list whose items came before src, -1 when there is none.
func split(p parser.Parser, src []byte, number int) []piece {
	doc := p.Parse(text.NewReader(src))
	var out []piece
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		list, ok := n.(*ast.List)
		if !ok {
			out = add(out, src, position(n), blockPiece(n))
			continue
		}
		num, goesOn := list.Start, number >= 0 && len(out) == 0
		if goesOn {
			num = number
		}
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			out = add(out, src, item.Pos(), piece{item: num, first: item == n.FirstChild() && !goesOn})
			num++
		}
	}
	if len(out) == 0 {
		return nil
	}
	last := len(out) - 1
	out[last].closed = closed(doc.LastChild(), src)
	for i := last - 1; i >= 0; i-- {
		next := out[i+1]
		out[i].closed = next.closed || next.blank || !out[i].text || !next.text
	}
	return out
}

func blockPiece(n ast.Node) piece {
	kind := n.Kind()
	def := kind == ast.KindLinkReferenceDefinition
	return piece{
		item: -1, def: def, fence: kind == ast.KindFencedCodeBlock,
		text: def || kind == ast.KindParagraph || kind == extast.KindTable,
	}
}

// add ends the piece before at the line of at, where the next begins.
func add(out []piece, src []byte, at int, p piece) []piece {
	if len(out) > 0 {
		p.start = lineStart(src, at)
		for p.start < out[len(out)-1].start {
			out = out[:len(out)-1] // a heading that swallowed the paragraph before a table: all of it is one piece
		}
		last := &out[len(out)-1]
		if p.start == last.start {
			last.end = len(src) // two nodes of one line
			return out
		}
		last.end = p.start
		p.blank = blankBefore(src, p.start)
	}
	p.end = len(src)
	return append(out, p)
}

// closed reports whether the last block of src, which ends with a whole line, is over.
func closed(n ast.Node, src []byte) bool {
	blank := blankBefore(src, len(src))
	switch n := n.(type) {
	case *ast.Heading, *ast.ThematicBreak:
		return true
	case *ast.HTMLBlock:
		return n.HasClosure() || blank && n.HTMLBlockType >= ast.HTMLBlockType6
	case *ast.List, *ast.CodeBlock, *ast.FencedCodeBlock:
		return false
	}
	return blank
}

// position is where a node begins; a table behind a paragraph claims the paragraph's.
func position(n ast.Node) int {
	if n.Kind() == extast.KindTable && n.FirstChild() != nil {
		return n.FirstChild().Pos()
	}
	return n.Pos()
}

func lineStart(src []byte, at int) int {
	at = min(max(at, 0), len(src))
	return bytes.LastIndexByte(src[:at], '\n') + 1
}

// blankBefore reports whether the line before at, which begins a line, is blank.
func blankBefore(src []byte, at int) bool {
	if at == 0 {
		return false
	}
	return len(bytes.TrimSpace(src[lineStart(src, at-1):at])) == 0
}
