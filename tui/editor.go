package tui

import (
	"strconv"
	"strings"
	"unicode"

	"jarvis/tui/view"
)

// Bounds of what is typed.
const (
	maxTyped   = 1 << 20 // bytes of one message
	foldLines  = 8       // a longer paste is shown folded
	foldBytes  = 1000
	maxHistory = 500
)

// outcome is what a key meant beyond editing.
type outcome int

const (
	edited outcome = iota
	submitted
	interrupted // Ctrl-C
	ended       // Ctrl-D in an empty line
	redraw      // Ctrl-L
	suspended   // Ctrl-Z
)

// editor holds the line that is typed: graphemes, a cursor, and what was typed before. It knows keys by name and no terminal.
type editor struct {
	cells   []view.FieldCell
	cur     int
	kill    []view.FieldCell
	history []string
	at      int // place in history; len(history) = the new line
	draft   []view.FieldCell
	size    int
	folded  func(lines int) string // the label of a folded paste
	names   []string               // what Tab completes: the commands
}

func (e *editor) empty() bool { return len(e.cells) == 0 }

// text is the whole of what is typed.
func (e *editor) text() string {
	var b strings.Builder
	for _, c := range e.cells {
		b.WriteString(c.Text)
	}
	return b.String()
}

// clear empties the line; remembered keeps it for the up key.
func (e *editor) clear(remember bool) {
	if t := e.text(); remember && strings.TrimSpace(t) != "" {
		e.remember(t)
	}
	e.cells, e.cur, e.draft, e.size = nil, 0, nil, 0
	e.at = len(e.history)
}

func (e *editor) remember(text string) {
	if n := len(e.history); n == 0 || e.history[n-1] != text {
		e.history = append(e.history, text)
	}
	if len(e.history) > maxHistory {
		e.history = e.history[len(e.history)-maxHistory:]
	}
	e.at = len(e.history)
}

// paste inserts text in one piece: line ends in it send nothing.
func (e *editor) paste(text string) {
	text = clean(text)
	if lines := strings.Count(text, "\n") + 1; e.folded != nil && (lines > foldLines || len(text) > foldBytes) {
		e.insert([]view.FieldCell{{Text: text, Label: e.folded(lines)}})
		return
	}
	e.insert(view.Graphemes(text))
}

// typed inserts what a key wrote.
func (e *editor) typed(text string) { e.insert(view.Graphemes(clean(text))) }

func (e *editor) insert(cs []view.FieldCell) {
	for i, c := range cs {
		if e.size += len(c.Text); e.size > maxTyped {
			e.size -= len(c.Text)
			cs = cs[:i]
			break
		}
	}
	rest := append([]view.FieldCell(nil), e.cells[e.cur:]...)
	e.cells = append(append(e.cells[:e.cur], cs...), rest...)
	e.cur += len(cs)
	e.join()
}

// join lets a combining character that was typed on its own become part of the grapheme before it.
func (e *editor) join() {
	if e.cur < 2 {
		return
	}
	a, b := e.cells[e.cur-2], e.cells[e.cur-1]
	if a.Label != "" || b.Label != "" {
		return
	}
	if g := view.Graphemes(a.Text + b.Text); len(g) == 1 {
		e.cells = append(e.cells[:e.cur-2], append(g, e.cells[e.cur:]...)...)
		e.cur--
	}
}

// clean drops control characters, which no message needs, and makes all line ends one.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// key takes one key by its name.
func (e *editor) key(name string) outcome {
	switch name {
	case "enter":
		if e.cur > 0 && e.cells[e.cur-1].Text == `\` {
			e.cut(e.cur-1, e.cur)
			e.insert([]view.FieldCell{{Text: "\n"}})
			return edited
		}
		return submitted
	case "ctrl+j", "alt+enter", "shift+enter", "ctrl+enter":
		e.insert([]view.FieldCell{{Text: "\n"}})
	case "ctrl+c":
		return interrupted
	case "ctrl+l":
		return redraw
	case "ctrl+z":
		return suspended
	case "ctrl+d":
		if e.empty() {
			return ended
		}
		e.cut(e.cur, e.cur+1)
	case "tab":
		e.complete()
	default:
		if !e.move(name) {
			e.change(name)
		}
	}
	return edited
}

func (e *editor) move(name string) bool {
	switch name {
	case "left", "ctrl+b":
		e.cur = max(e.cur-1, 0)
	case "right", "ctrl+f":
		e.cur = min(e.cur+1, len(e.cells))
	case "home", "ctrl+a":
		e.cur = e.lineStart(e.cur)
	case "end", "ctrl+e":
		e.cur = e.lineEnd(e.cur)
	case "alt+b", "alt+left", "ctrl+left":
		e.cur = e.wordLeft()
	case "alt+f", "alt+right", "ctrl+right":
		e.cur = e.wordRight()
	case "up", "ctrl+p":
		e.vertical(-1)
	case "down", "ctrl+n":
		e.vertical(1)
	default:
		return false
	}
	return true
}

func (e *editor) change(name string) {
	switch name {
	case "backspace", "ctrl+h", "shift+backspace":
		e.cut(e.cur-1, e.cur)
	case "delete":
		e.cut(e.cur, e.cur+1)
	case "ctrl+k":
		end := e.lineEnd(e.cur)
		if end == e.cur {
			end++
		}
		e.keep(e.cur, end)
	case "ctrl+u":
		e.keep(e.lineStart(e.cur), e.cur)
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		e.keep(e.wordLeft(), e.cur)
	case "alt+d", "alt+delete", "ctrl+delete":
		e.keep(e.cur, e.wordRight())
	case "ctrl+y":
		e.insert(append([]view.FieldCell(nil), e.kill...))
	}
}

func (e *editor) cut(from, to int) []view.FieldCell {
	from, to = max(from, 0), min(to, len(e.cells))
	if from >= to {
		return nil
	}
	gone := append([]view.FieldCell(nil), e.cells[from:to]...)
	for _, c := range gone {
		e.size -= len(c.Text)
	}
	e.cells = append(e.cells[:from], e.cells[to:]...)
	e.cur = from
	return gone
}

func (e *editor) keep(from, to int) {
	if gone := e.cut(from, to); gone != nil {
		e.kill = gone
	}
}

func (e *editor) lineStart(i int) int {
	for i > 0 && e.cells[i-1].Text != "\n" {
		i--
	}
	return i
}

func (e *editor) lineEnd(i int) int {
	for i < len(e.cells) && e.cells[i].Text != "\n" {
		i++
	}
	return i
}

func isSpace(c view.FieldCell) bool { return strings.TrimSpace(c.Text) == "" }

func (e *editor) wordLeft() int {
	i := e.cur
	for i > 0 && isSpace(e.cells[i-1]) {
		i--
	}
	for i > 0 && !isSpace(e.cells[i-1]) {
		i--
	}
	return i
}

func (e *editor) wordRight() int {
	i := e.cur
	for i < len(e.cells) && isSpace(e.cells[i]) {
		i++
	}
	for i < len(e.cells) && !isSpace(e.cells[i]) {
		i++
	}
	return i
}

// vertical moves between the lines of the text, and from its first and last one through the history.
func (e *editor) vertical(by int) {
	start, end := e.lineStart(e.cur), e.lineEnd(e.cur)
	col := e.cur - start
	switch {
	case by < 0 && start > 0:
		up := e.lineStart(start - 1)
		e.cur = min(up+col, start-1)
	case by > 0 && end < len(e.cells):
		e.cur = min(end+1+col, e.lineEnd(end+1))
	default:
		e.recall(e.at + by)
	}
}

func (e *editor) recall(at int) {
	if at < 0 || at > len(e.history) {
		return
	}
	if e.at == len(e.history) {
		e.draft = e.cells
	}
	e.at = at
	if at == len(e.history) {
		e.cells = e.draft
	} else {
		e.cells = view.Graphemes(e.history[at])
	}
	e.size = len(e.text())
	e.cur = len(e.cells)
}

// complete finishes the name of a command when there is one way to go on.
func (e *editor) complete() {
	typed := e.text()
	if !strings.HasPrefix(typed, "/") || e.cur != len(e.cells) || strings.ContainsAny(typed, " \n") {
		return
	}
	var found []string
	for _, n := range e.names {
		if strings.HasPrefix(n, typed) {
			found = append(found, n)
		}
	}
	if len(found) == 1 {
		e.typed(found[0][len(typed):] + " ")
	}
}

// foldLabel is what stands for a long paste.
func foldLabel(say speech) func(int) string {
	return func(lines int) string {
		if lines == 1 {
			return say.of("[pasted text]")
		}
		return say.of("[pasted %s lines]", strconv.Itoa(lines))
	}
}
