package config

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// text is the file with the places of its lines. Nodes know where they begin; where they end is found here, because an edit
// must leave every other byte as it is. A wrong end cannot do harm: SetText compares the whole document before and after.
type text struct {
	data  []byte
	lines []int // offset of each line
	nl    string
}

func newText(data []byte) *text {
	x := &text{data: data, lines: []int{0}, nl: "\n"}
	for i, b := range data {
		if b == '\n' {
			x.lines = append(x.lines, i+1)
		}
	}
	if bytes.Contains(data, []byte("\r\n")) {
		x.nl = "\r\n"
	}
	return x
}

// offset is where a node begins; columns count characters.
func (x *text) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(x.lines) {
		return len(x.data)
	}
	at := x.lines[n.Line-1]
	if n.Line == 1 && bytes.HasPrefix(x.data, []byte("\ufeff")) {
		at += len("\ufeff")
	}
	for i := 1; i < n.Column && at < len(x.data); i++ {
		_, size := utf8.DecodeRune(x.data[at:])
		at += size
	}
	return at
}

// begin is where the value itself begins, behind an anchor and a tag.
func (x *text) begin(n *yaml.Node) int {
	at := x.offset(n)
	if n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 || n.Kind == yaml.AliasNode {
		return at
	}
	for at < len(x.data) && (x.data[at] == '&' || x.data[at] == '!') {
		for at < len(x.data) && !space(x.data[at]) {
			at++
		}
		at = x.skip(at)
	}
	return at
}

// skip goes over white space, line ends and comments.
func (x *text) skip(at int) int {
	for at < len(x.data) {
		switch c := x.data[at]; {
		case space(c):
			at++
		case c == '#':
			at = x.eol(at)
		default:
			return at
		}
	}
	return at
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// eol is the end of at's line, before its line end.
func (x *text) eol(at int) int {
	for at < len(x.data) && x.data[at] != '\n' {
		at++
	}
	if at > 0 && at < len(x.data) && x.data[at-1] == '\r' {
		at--
	}
	return at
}

// end is where a node ends. indent is the column, from 0, of the keys or dashes among which it stands.
func (x *text) end(n *yaml.Node, indent int) int {
	at := x.begin(n)
	switch {
	case n.Kind == yaml.AliasNode:
		return min(at+1+len(n.Value), len(x.data))
	case n.Kind == yaml.ScalarNode:
		return x.scalarEnd(n, at, indent)
	case n.Style&yaml.FlowStyle != 0:
		return x.flowEnd(n, at, indent)
	}
	last := at
	for _, c := range n.Content {
		last = max(last, x.end(c, blockIndent(n)))
	}
	return last
}

// blockIndent is the column of a block collection's keys or dashes. A list's own place is its first dash, a map's the
// first key; behind an anchor only the entries tell.
func blockIndent(n *yaml.Node) int {
	if len(n.Content) == 0 {
		return n.Column - 1
	}
	if n.Kind == yaml.MappingNode {
		return n.Content[0].Column - 1
	}
	return min(n.Column, n.Content[0].Column) - 1
}

func (x *text) flowEnd(n *yaml.Node, at, indent int) int {
	at = min(at+1, len(x.data))
	for _, c := range n.Content {
		at = max(at, x.end(c, indent))
	}
	at = x.skip(at)
	if at < len(x.data) && x.data[at] == ',' {
		at = x.skip(at + 1)
	}
	return min(at+1, len(x.data))
}

func (x *text) scalarEnd(n *yaml.Node, at, indent int) int {
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return x.blockScalarEnd(n, at, indent)
	case n.Style&yaml.DoubleQuotedStyle != 0:
		for i := at + 1; i < len(x.data); i++ {
			switch x.data[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return len(x.data)
	case n.Style&yaml.SingleQuotedStyle != 0:
		for i := at + 1; i < len(x.data); i++ {
			if x.data[i] != '\'' {
				continue
			}
			if i+1 < len(x.data) && x.data[i+1] == '\'' {
				i++
				continue
			}
			return i + 1
		}
		return len(x.data)
	}
	return x.plainEnd(n.Value, at)
}

// plainEnd follows the value through the text: a line end in the text is a space or a line end in the value.
func (x *text) plainEnd(value string, at int) int {
	for i := 0; i < len(value) && at < len(x.data); {
		if !space(value[i]) {
			at++
			i++
			continue
		}
		for i < len(value) && space(value[i]) {
			i++
		}
		for at < len(x.data) && space(x.data[at]) {
			at++
		}
	}
	return at
}

// blockScalarEnd goes over the lines that are indented deeper than the key. Blank lines behind belong to it only when the
// value keeps them.
func (x *text) blockScalarEnd(n *yaml.Node, at, indent int) int {
	end := x.eol(at)
	keep := strings.HasSuffix(n.Value, "\n\n") || strings.Trim(n.Value, "\n") == "" && n.Value != ""
	for line := x.nextLine(end); line < len(x.data); line = x.nextLine(line) {
		stop := x.eol(line)
		content := strings.TrimLeft(string(x.data[line:stop]), " ")
		blank := strings.TrimSpace(content) == ""
		if !blank && stop-line-len(content) <= indent {
			break
		}
		if !blank || keep {
			end = stop
		}
	}
	return end
}

// nextLine is the start of the line behind at's.
func (x *text) nextLine(at int) int {
	i := bytes.IndexByte(x.data[at:], '\n')
	if i < 0 {
		return len(x.data)
	}
	return at + i + 1
}
