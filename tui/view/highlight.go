package view

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// highlighter colours code line by line. It is ours because an answer's code arrives line by line and each line is final once
// it is shown: the known lexer libraries want the whole text, restart at each call, and cost 40 ms at start. It knows comments,
// strings, numbers, keywords and names before a bracket, which is what makes code readable; it is no parser.
type highlighter struct {
	theme *Theme
	lang  *lang
	end   string // what ends the comment or string that an earlier line began; "" = none
	style Style  // its style
}

func newHighlighter(t *Theme, name string) *highlighter {
	h := &highlighter{theme: t}
	if t.Color {
		h.lang = langs[name]
	}
	return h
}

// language is the first word of a fence's info string, without attributes.
func language(info string) string {
	f := strings.FieldsFunc(info, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == '{' || r == ':' })
	if len(f) == 0 {
		return ""
	}
	name := strings.ToLower(strings.TrimPrefix(f[0], "."))
	if a, ok := aliases[name]; ok {
		return a
	}
	return name
}

// line colours one line, without its line end, and remembers what stays open. Tabs become spaces.
func (h *highlighter) line(s string) []cell {
	s = expandTabs(s)
	switch {
	case h.lang == nil:
		return textCells(s, "")
	case h.lang.diff:
		return textCells(s, h.diffStyle(s))
	}
	var out []cell
	for i := 0; i < len(s); {
		n, st := h.token(s, i)
		out = append(out, textCells(s[i:i+n], st)...)
		i += n
	}
	return out
}

func (h *highlighter) diffStyle(s string) Style {
	switch {
	case strings.HasPrefix(s, "+++"), strings.HasPrefix(s, "---"), strings.HasPrefix(s, "diff "), strings.HasPrefix(s, "index "):
		return h.theme.Strong
	case strings.HasPrefix(s, "@@"):
		return h.theme.Name
	case strings.HasPrefix(s, "+"):
		return h.theme.Added
	case strings.HasPrefix(s, "-"):
		return h.theme.Removed
	}
	return ""
}

// token gives the length and style of what begins at s[i].
func (h *highlighter) token(s string, i int) (int, Style) {
	rest := s[i:]
	if h.end != "" {
		return h.finish(rest, 0)
	}
	l, t := h.lang, h.theme
	for _, c := range l.comment {
		if strings.HasPrefix(rest, c) && (c != "#" || i == 0 || s[i-1] == ' ') {
			return len(rest), t.Comment
		}
	}
	for _, b := range l.blocks {
		if strings.HasPrefix(rest, b.open) {
			h.end, h.style = b.end, t.Comment
			if b.text {
				h.style = t.String
			}
			return h.finish(rest, len(b.open))
		}
	}
	c := rest[0]
	switch {
	case strings.IndexByte(l.quotes, c) >= 0:
		n := quoted(rest, c)
		if l.keys && strings.HasPrefix(strings.TrimLeft(rest[n:], " "), ":") {
			return n, t.Name
		}
		return n, t.String
	case c >= '0' && c <= '9':
		return span(rest, func(r rune) bool { return r == '.' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }), t.Number
	}
	r, size := utf8.DecodeRuneInString(rest)
	if r != '_' && r != '$' && !unicode.IsLetter(r) {
		// All that is no word goes together as long as nothing else can begin in it.
		return size, ""
	}
	n := span(rest, func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || l.dash && r == '-' })
	n = max(n, size)
	return n, h.word(rest[:n], rest[n:])
}

func (h *highlighter) word(w, after string) Style {
	l := h.lang
	key := w
	if l.fold {
		key = strings.ToLower(w)
	}
	switch {
	case l.words[key]:
		return h.theme.Keyword
	case constants[key]:
		return h.theme.Number
	case l.keys && strings.HasPrefix(after, ":"), l.calls && strings.HasPrefix(after, "("):
		return h.theme.Name
	}
	return ""
}

// finish goes on with an open comment or string from skip on.
func (h *highlighter) finish(rest string, skip int) (int, Style) {
	st := h.style
	if at := strings.Index(rest[skip:], h.end); at >= 0 {
		n := skip + at + len(h.end)
		h.end = ""
		return n, st
	}
	return len(rest), st
}

// quoted is the length of a string in one line; an unclosed one ends with the line.
func quoted(s string, q byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case q:
			return i + 1
		}
	}
	return len(s)
}

func span(s string, in func(rune) bool) int {
	for i, r := range s {
		if !in(r) {
			return i
		}
	}
	return len(s)
}

func expandTabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	col := 0
	for _, r := range s {
		if r == '\t' {
			n := tabStop - col%tabStop
			b.WriteString(strings.Repeat(" ", n))
			col += n
			continue
		}
		b.WriteRune(r)
		col++
	}
	return b.String()
}
