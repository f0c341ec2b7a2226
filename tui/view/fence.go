package view

import (
	"bytes"
	"strings"
)

// fence is an open code block at the top level. Each of its lines is final as soon as it is whole.
type fence struct {
	mark   byte
	length int
	indent int
	code   *highlighter
}

// openFence begins the code block whose first line begins the tail.
func (s *Stream) openFence() {
	n := bytes.IndexByte(s.tail, '\n')
	line := s.tail
	if n >= 0 {
		line = s.tail[:n]
	}
	body := bytes.TrimLeft(line, " ")
	f := &fence{indent: len(line) - len(body)}
	if len(body) > 0 {
		f.mark = body[0]
	}
	for f.length < len(body) && body[f.length] == f.mark {
		f.length++
	}
	info := strings.TrimSpace(string(body[f.length:]))
	f.code = newHighlighter(&s.opt.Theme, language(info))
	if s.at.any {
		s.emit(Line{})
	}
	s.at.any, s.at.def, s.at.number = true, false, -1
	s.emit(s.opt.Theme.encode(fenceHead(&s.opt.Theme, info, s.opt.Width)))
	s.fence = f
	if n < 0 {
		n = len(line) - 1
	}
	s.drop(n + 1)
}

// emit adds a final line unless it has scrolled away as an open one.
func (s *Stream) emit(l Line) {
	if len(s.frozen) > 0 {
		s.frozen = s.frozen[1:]
		return
	}
	s.done = append(s.done, l)
}

// codeLine shows one line of the open code block.
func (s *Stream) codeLine(final bool) bool {
	nl := bytes.IndexByte(s.tail, '\n')
	n := nl
	if nl < 0 {
		n = len(s.tail)
	}
	switch {
	case n >= plainChunk+256:
		s.chunk()
		return true
	case nl < 0 && !final:
		return false
	case nl < 0 && n == 0, !s.mid && s.fence.ends(s.tail[:n]):
		s.done = append(s.done, s.opt.Theme.encode(row{cells: fenceFoot(&s.opt.Theme, s.opt.Width)}))
		s.fence, s.frozen = nil, nil
		s.at.blank = false
		s.drop(max(n, nl+1))
		return nl >= 0
	}
	s.done = append(s.done, s.codeRows(s.fence.code, s.tail[:n])...)
	s.drop(max(n, nl+1))
	s.mid = false
	return true
}

func (s *Stream) codeRows(h *highlighter, line []byte) []Line {
	var out []Line
	for _, r := range fold(h.line(string(s.fence.strip(line))), s.opt.Width) {
		out = append(out, s.opt.Theme.encode(r))
	}
	return out
}

// openCode is the line of code that is being written; what may become the closing fence is not shown.
func (s *Stream) openCode() []Line {
	rest := bytes.TrimSpace(s.tail)
	if len(bytes.Trim(rest, string(s.fence.mark))) == 0 {
		return nil
	}
	h := *s.fence.code
	return s.codeRows(&h, s.tail)
}

// strip removes the indentation that the opening fence had; a tab of which a part is left becomes spaces.
func (f *fence) strip(line []byte) []byte {
	col := 0
	for col < f.indent && len(line) > 0 {
		switch line[0] {
		case ' ':
			col++
		case '\t':
			col += tabStop - col%tabStop
		default:
			return line
		}
		line = line[1:]
	}
	if left := col - f.indent; left > 0 {
		return append(bytes.Repeat([]byte(" "), left), line...)
	}
	return line
}

func (f *fence) ends(line []byte) bool {
	body := bytes.TrimLeft(line, " ")
	if len(line)-len(body) > 3 {
		return false
	}
	n := 0
	for n < len(body) && body[n] == f.mark {
		n++
	}
	return n >= f.length && len(bytes.TrimSpace(body[n:])) == 0
}
