package core

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable spells out what a terminal would execute or hide: control characters but newline and tab, bytes that are no
// UTF-8, bidirectional overrides and zero-width characters. Whatever is not ours (model output, names, provider errors, log
// lines) passes it before it reaches a terminal. The zero-width joiner and variation selectors stay: emoji need them.
func Printable(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		c := s[i]
		clean = c >= 0x20 && c < 0x7f || c == '\n' || c == '\t'
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n', r == '\t':
			b.WriteRune(r)
		case unicode.IsControl(r):
			if r == '\r' && strings.HasPrefix(s[i+1:], "\n") {
				break // a CRLF line end is a line end
			}
			fmt.Fprintf(&b, `\x%02x`, r)
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// PrintableJSON does the same inside a JSON text, by its own escapes: what a program reads of it stays what it was.
func PrintableJSON(b []byte) []byte {
	if !bytes.ContainsFunc(b, func(r rune) bool { return r >= 0x7f && (unicode.IsControl(r) || hidden(r)) }) {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r < 0x7f || !unicode.IsControl(r) && !hidden(r):
			out = append(out, b[:n]...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		b = b[n:]
	}
	return out
}

// hidden are the characters that change what a person reads without being seen.
func hidden(r rune) bool {
	switch {
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // bidi embeddings, overrides, isolates
		return true
	case r == 0x200b, r == 0x200e, r == 0x200f, r == 0x061c, r == 0x2060, r == 0xfeff, r == 0x180e: // zero width, marks
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags
		return true
	case r == 0x2028, r == 0x2029: // line and paragraph separator
		return true
	}
	return false
}
