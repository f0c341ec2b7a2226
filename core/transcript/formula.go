package transcript

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A formula is written $…$ or \(…\) in a line and $$…$$ or \[…\] by itself. A dollar in front of a number is money: what
// opens has no space behind it, what closes none in front of it and no digit behind it.

var kindFormula = ast.NewNodeKind("Formula")

type formula struct {
	ast.BaseBlock

	display bool
	whole   bool         // a block that ended in its first line
	inline  text.Segment // of one in a line
	block   bool
}

func (*formula) Kind() ast.NodeKind { return kindFormula }

// Type is that of a block or of an inline node.
func (f *formula) Type() ast.NodeType {
	if f.block {
		return ast.TypeBlock
	}
	return ast.TypeInline
}

// IsRaw tells goldmark that there is no Markdown inside.
func (*formula) IsRaw() bool { return true }

func (f *formula) Dump(src []byte, level int) { ast.DumpHelper(f, src, level, nil, nil) }

func (f *formula) tex(src []byte) string {
	if !f.block {
		return string(f.inline.Value(src))
	}
	var b strings.Builder
	for i := range f.Lines().Len() {
		line := f.Lines().At(i)
		b.Write(line.Value(src))
	}
	return b.String()
}

// inlineParser finds formulas in a line.
type inlineParser struct{}

// Trigger is goldmark's.
func (inlineParser) Trigger() []byte { return []byte{'$', '\\'} }

// Parse is goldmark's.
func (inlineParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, seg := block.PeekLine()
	open, end := fences(line)
	if open == 0 {
		return nil
	}
	length := bytes.Index(line[open:], end)
	for dollar := open == 1; dollar && length >= 0; {
		at := open + length
		before := line[at-1]
		after := byte(' ')
		if at+1 < len(line) {
			after = line[at+1]
		}
		if before != '\\' && !util.IsSpace(before) && (after < '0' || after > '9') {
			break
		}
		more := bytes.Index(line[at+1:], end)
		if more < 0 {
			return nil
		}
		length += 1 + more
	}
	if length <= 0 {
		return nil
	}
	f := &formula{inline: text.NewSegment(seg.Start+open, seg.Start+open+length), display: string(end) == "$$" || string(end) == `\]`}
	block.Advance(open + length + len(end))
	return f
}

// fences gives the length of what opens a formula at the head of a line, 0 for none, and what closes it.
func fences(line []byte) (open int, end []byte) {
	switch {
	case bytes.HasPrefix(line, []byte("$$")):
		return 2, []byte("$$")
	case bytes.HasPrefix(line, []byte(`\(`)):
		return 2, []byte(`\)`)
	case bytes.HasPrefix(line, []byte(`\[`)):
		return 2, []byte(`\]`)
	case len(line) > 1 && line[0] == '$' && !util.IsSpace(line[1]):
		return 1, []byte("$")
	}
	return 0, nil
}

// displayParser finds formulas that have lines of their own.
type displayParser struct{}

// Trigger is goldmark's.
func (displayParser) Trigger() []byte { return []byte{'$', '\\'} }

// Open is goldmark's.
func (displayParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, seg := reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 || pos+2 > len(line) {
		return nil, parser.NoChildren
	}
	end := "$$"
	switch string(line[pos : pos+2]) {
	case "$$":
	case `\[`:
		end = `\]`
	default:
		return nil, parser.NoChildren
	}
	rest := line[pos+2:]
	f := &formula{display: true, block: true}
	if i := bytes.Index(rest, []byte(end)); i >= 0 {
		if !util.IsBlank(rest[i+2:]) || i == 0 {
			return nil, parser.NoChildren // text goes on behind it: it is in a line
		}
		f.Lines().Append(text.NewSegment(seg.Start+pos+2, seg.Start+pos+2+i))
		f.whole = true
		reader.AdvanceToEOL()
		return f, parser.NoChildren
	}
	if !closes(reader, end) {
		return nil, parser.NoChildren
	}
	f.Lines().Append(text.NewSegment(seg.Start+pos+2, seg.Stop))
	reader.AdvanceToEOL()
	return f, parser.NoChildren
}

// closes looks ahead for the end of a formula: without one it is text, and does not swallow the rest of the message.
func closes(reader text.Reader, end string) bool {
	_, seg := reader.PeekLine()
	rest := reader.Source()[seg.Stop:]
	if len(rest) > maxFormula {
		rest = rest[:maxFormula]
	}
	i := bytes.Index(rest, []byte(end))
	return i >= 0 && !bytes.Contains(rest[:i], []byte("\n\n"))
}

// Continue is goldmark's.
func (displayParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	line, seg := reader.PeekLine()
	f := node.(*formula) //nolint:forcetypeassert // Open made it
	if f.whole || util.IsBlank(line) {
		return parser.Close
	}
	for _, end := range []string{"$$", `\]`} {
		if i := bytes.Index(line, []byte(end)); i >= 0 {
			f.Lines().Append(text.NewSegment(seg.Start, seg.Start+i))
			reader.AdvanceToEOL()
			return parser.Close
		}
	}
	f.Lines().Append(seg)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

// Close is goldmark's.
func (displayParser) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph is goldmark's.
func (displayParser) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine is goldmark's.
func (displayParser) CanAcceptIndentedLine() bool { return false }

// maxFormula is how many bytes a formula may have.
const maxFormula = 8 << 10
