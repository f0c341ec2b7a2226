package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"jarvis/core"
)

// maxText is how much of one message is indexed, in bytes.
const maxText = 1 << 20

// Text is what is indexed of a message, and what the places of a hit are counted in.
func Text(m core.Message) string {
	text := m.Text
	if m.Type == core.TypeToolUse {
		text = strings.TrimSpace(m.Tool + " " + string(m.Input) + " " + m.Text)
	}
	if len(text) > maxText {
		text = text[:maxText]
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, " ")
	}
	return text
}

// The size of a snippet, in bytes of the text it is cut from.
const (
	snippetLen = 200
	leadIn     = 60
)

// snippet cuts one line around the first of the matches out of a text. Its spaces and control characters become one space each
// run, and the matches are given in what it returns.
func snippet(text string, matches [][2]int) (string, [][2]int) {
	from := 0
	if len(matches) > 0 && matches[0][0] > leadIn && matches[0][0] <= len(text) {
		from = wordStart(text, matches[0][0]-leadIn, matches[0][0])
	}
	end := wordEnd(text, min(from+snippetLen, len(text)))
	c := cutter{text: text, matches: matches, out: make([]byte, 0, snippetLen+8), found: [][2]int{}}
	if from > 0 {
		c.out = append(c.out, "…"...)
	}
	c.copy(from, end)
	if end < len(text) && strings.TrimFunc(text[end:], blank) != "" {
		c.out = append(c.out, "…"...)
	}
	return string(c.out), c.found
}

func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// wordStart moves a cut forward to the beginning of a word, but not past last.
func wordStart(s string, at, last int) int {
	for at < last && !utf8.RuneStart(s[at]) {
		at++
	}
	if i := strings.IndexFunc(s[at:last], unicode.IsSpace); i >= 0 && i < leadIn/2 {
		return at + i
	}
	return at
}

// wordEnd moves a cut back to the end of a word when one is near.
func wordEnd(s string, at int) int {
	if at >= len(s) {
		return len(s)
	}
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	if i := strings.LastIndexFunc(s[:at], unicode.IsSpace); i > at-leadIn/2 {
		return i
	}
	return at
}

// cutter copies a part of a text and follows its matches.
type cutter struct {
	text    string
	matches [][2]int
	out     []byte
	found   [][2]int
}

func (c *cutter) copy(from, end int) {
	ms := c.matches
	space := true // the beginning needs none
	open := -1    // where in out the present match began
	for i := from; i < end; {
		for len(ms) > 0 && open < 0 && ms[0][0] < i {
			ms = ms[1:] // it began before the cut, or overlaps the one before
		}
		if len(ms) > 0 && open < 0 && ms[0][0] == i && ms[0][1] > i {
			open = len(c.out)
		}
		r, n := utf8.DecodeRuneInString(c.text[i:])
		switch {
		case !blank(r):
			c.out, space = append(c.out, c.text[i:i+n]...), false
		case !space:
			c.out, space = append(c.out, ' '), true
		}
		i += n
		if open >= 0 && i >= ms[0][1] {
			c.found, open, ms = append(c.found, [2]int{open, len(c.out)}), -1, ms[1:]
		}
	}
}
