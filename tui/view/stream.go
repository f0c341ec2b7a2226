package view

import (
	"bytes"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"jarvis/core"
)

// Bounds of one stream. What goes beyond them is shown plain: an answer must not be able to stop the screen.
const (
	maxBlock   = 64 << 10 // bytes of one block
	maxLine    = 16 << 10 // bytes of one line of prose
	maxMarks   = 32       // containers that one line opens
	maxBars    = 128      // columns of a table
	maxRefs    = 500      // link definitions kept
	plainChunk = 4 << 10  // a longer plain or code line is shown in parts of this size
)

// Options say how Markdown is rendered.
type Options struct {
	Width int // columns of the terminal, at least 20
	Theme Theme
}

// Stream renders an answer while it grows. Write takes text as it comes; Take gives the lines that are final, once; Open
// renders what is not final yet. The lines of all Takes and Close are the same however the text was cut. It is for one
// goroutine.
type Stream struct {
	opt    Options
	blocks parser.Parser
	md     goldmark.Markdown

	hold   []byte // bytes of an unfinished character
	tail   []byte // escaped source that is not committed
	base   int    // offset of tail in the stream
	seen   int    // bytes of tail whose lines were checked
	parsed int    // bytes of tail at the last parse without a result

	at    place
	done  []Line
	plain bool // until the next blank line
	mid   bool // a plain or code line was shown in part
	fence *fence

	frozen []Line // open lines that have scrolled away
	open   []Line // what Open gave last
	tables map[int]layout
	widths map[int]layout // of the last Open
}

// place is what a piece must know of those before it.
type place struct {
	any    bool // something was shown
	def    bool // the piece before was a link definition
	blank  bool // a blank line was skipped since
	number int  // of the next item of the open list, -1 = no list is open
	refs   []parser.Reference
}

// NewStream makes an empty stream.
func NewStream(o Options) *Stream {
	o.Width = max(o.Width, 20)
	return &Stream{opt: o, blocks: newBlockParser(), md: goldmark.New(goldmark.WithExtensions(extension.GFM)), at: place{number: -1}}
}

// Render renders a whole text.
func Render(src string, o Options) []Line {
	s := NewStream(o)
	s.Write(src)
	return s.Close()
}

// SetWidth tells that the window has another width now. Lines that were taken stay as they are.
func (s *Stream) SetWidth(width int) {
	s.opt.Width = max(width, 20)
	s.tables = nil // settled columns would be too wide or too narrow now
}

// Write adds text.
func (s *Stream) Write(delta string) {
	s.hold = append(s.hold, delta...)
	n := whole(s.hold)
	if n == 0 {
		return
	}
	s.tail = append(s.tail, core.Printable(string(s.hold[:n]))...)
	s.hold = append(s.hold[:0], s.hold[n:]...)
	s.advance(false)
}

// Close ends the text and gives the lines that are left.
func (s *Stream) Close() []Line {
	s.tail = append(s.tail, core.Printable(string(s.hold))...)
	s.hold = nil
	s.advance(true)
	s.open = nil
	return s.Take()
}

// Take gives the lines that became final since the last call.
func (s *Stream) Take() []Line {
	d := s.done
	s.done = nil
	return d
}

// Empty reports whether nothing is open.
func (s *Stream) Empty() bool { return s.fence == nil && len(bytes.TrimSpace(s.tail)) == 0 }

// whole is how much of b ends with a complete character; a carriage return waits for what follows.
func whole(b []byte) int {
	n := len(b)
	for i := 1; i <= min(3, n); i++ {
		if c := b[n-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[n-i:]) {
				n -= i
			}
			break
		}
	}
	if n > 0 && b[n-1] == '\r' {
		n--
	}
	return n
}

func (s *Stream) advance(final bool) {
	for {
		var more bool
		switch {
		case s.fence != nil:
			more = s.codeLine(final)
		case s.plain:
			more = s.plainLine(final)
		default:
			more = s.markdown(final)
		}
		if !more {
			return
		}
	}
}

// drop forgets the first n bytes of the tail.
func (s *Stream) drop(n int) {
	s.tail = s.tail[n:]
	s.base += n
	s.seen = max(s.seen-n, 0)
	s.parsed = 0
}

// markdown commits what is closed; true when there may be more.
func (s *Stream) markdown(final bool) bool {
	for {
		n := bytes.IndexByte(s.tail, '\n') + 1
		if n == 0 || len(bytes.TrimSpace(s.tail[:n])) > 0 {
			break
		}
		s.drop(n)
		s.at.blank = true
	}
	window, bad, full := s.window(final)
	if window == 0 {
		s.plain = bad
		if bad {
			s.gap()
		}
		return bad
	}
	if !final && !bad && !full && !s.due(window) {
		return false
	}
	pieces := split(s.blocks, s.tail[:window], s.at.number)
	n := 0
	for n < len(pieces) && pieces[n].closed {
		n++
	}
	if n == len(pieces)-1 && pieces[n].fence {
		s.commit(pieces[:n], pieces[n].start, -1)
		s.openFence()
		return true
	}
	if n > 0 {
		end, next := pieces[n-1].end, -1
		if n < len(pieces) {
			end = pieces[n].start
			if !pieces[n].first {
				next = pieces[n].item
			}
		}
		s.commit(pieces[:n], end, next)
		return true
	}
	if bad || full || final {
		s.commit(pieces, window, -1)
		if bad || full {
			s.plain = true
			if bad {
				s.gap()
			}
		}
		return true
	}
	s.parsed = window
	return false
}

// due spares a parse: none without a new line, and fewer the longer the block is, so that the cost stays linear.
func (s *Stream) due(window int) bool {
	grown := window - s.parsed
	return grown > 0 && (s.parsed == 0 || grown >= s.parsed/8-256)
}

// window is how much of the tail may be looked at: whole lines, up to the first one that no parser should see (bad) and up
// to the longest block (full).
func (s *Stream) window(final bool) (n int, bad, full bool) {
	for s.seen < len(s.tail) {
		if s.seen >= maxBlock {
			return s.seen, false, true
		}
		rest := s.tail[s.seen:]
		nl := bytes.IndexByte(rest, '\n')
		line := rest
		if nl >= 0 {
			line = rest[:nl+1]
		}
		if pathological(line) {
			return s.seen, true, false
		}
		if nl < 0 && !final {
			break
		}
		s.seen += len(line)
	}
	return s.seen, false, false
}

// commit renders pieces for good and drops their source up to end. next is the number of the list item that follows in the
// same list, -1 when none does.
func (s *Stream) commit(pieces []piece, end, next int) {
	lines := s.render(pieces, &s.at, s.tables, nil)
	s.at.blank = blankBefore(s.tail, min(end, len(s.tail)))
	s.at.number = next
	if left, from, ok := s.rest(lines); ok {
		s.frozen = s.frozen[min(len(lines), len(s.frozen)):]
		s.done = append(s.done, left...)
	} else {
		s.goOn(from, end)
		return
	}
	if len(s.frozen) == 0 {
		s.tables = nil
	}
	s.drop(min(end, len(s.tail)))
}

// rest is lines without those that have scrolled away; not ok when these differ, with the offset up to which they show.
func (s *Stream) rest(lines []Line) ([]Line, int, bool) {
	n := min(len(s.frozen), len(lines))
	for i := range n {
		if s.frozen[i].Text != lines[i].Text {
			return nil, s.frozen[len(s.frozen)-1].src, false
		}
	}
	return lines[n:], 0, true
}

// render gives the lines of pieces of the tail, with the blank rows between them.
func (s *Stream) render(pieces []piece, at *place, tables, widths map[int]layout) []Line {
	var out []Line
	for i, p := range pieces {
		if i > 0 {
			at.blank = p.blank
		}
		tight := !at.blank && (p.item >= 0 && !p.first || p.def && at.def)
		r := &renderer{
			theme: &s.opt.Theme, width: s.opt.Width, src: s.tail[p.start:p.end], base: s.base + p.start,
			tables: tables, seen: widths, number: p.item,
		}
		pc := parser.NewContext()
		for _, ref := range at.refs {
			pc.AddReference(ref)
		}
		doc := s.md.Parser().Parse(text.NewReader(r.src), parser.WithContext(pc))
		rows := r.blocks(doc, r.width, 0)
		if refs := pc.References(); p.def && len(refs) <= maxRefs {
			at.refs = refs
		}
		if len(rows) == 0 {
			continue
		}
		if at.any && !tight {
			out = append(out, Line{src: r.base})
		}
		for _, row := range rows {
			out = append(out, s.opt.Theme.encode(row))
		}
		at.any, at.def, at.blank = true, p.def, false
	}
	return out
}

// Open renders what is not final. It costs as much as the open block is long: call it no more often than people can see.
func (s *Stream) Open() []Line {
	s.open, s.widths = nil, nil
	switch {
	case len(s.tail) == 0:
	case s.fence != nil:
		s.open = s.openCode()
	case s.plain:
		s.open = s.plainRows(s.tail)
	default:
		s.open = s.openBlocks()
	}
	return s.open
}

func (s *Stream) openBlocks() []Line {
	if len(bytes.TrimSpace(s.tail)) == 0 {
		return nil
	}
	at := s.at
	s.widths = map[int]layout{}
	pieces := split(s.blocks, s.tail, at.number)
	lines, from, ok := s.rest(s.render(pieces, &at, s.tables, s.widths))
	if ok {
		return lines
	}
	s.goOn(from, len(s.tail))
	s.advance(false)
	if s.plain {
		return s.plainRows(s.tail)
	}
	return s.openBlocks() // nothing of the block was left
}

// Freeze says that the first n lines of the last Open are on the screen for good, because the window is full. False when
// they cannot be: then show the last ones only.
func (s *Stream) Freeze(n int) bool {
	if s.fence != nil || s.plain || n > len(s.open) {
		return false
	}
	s.frozen = append(s.frozen, s.open[:n]...)
	s.open = s.open[n:]
	s.tables = s.widths
	return true
}
