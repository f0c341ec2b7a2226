package tui

import (
	"bytes"
	"time"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
)

// Times and sizes of what a terminal sends.
const (
	escTime   = 50 * time.Millisecond  // a lone escape is the key when nothing follows
	pasteTime = 500 * time.Millisecond // a paste whose end does not come is over then
	maxPaste  = 1 << 20                // bytes; more is dropped
	maxSeq    = 64                     // bytes of one escape sequence
)

var (
	pasteBegin = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// key is one key, or a paste in one piece.
type key struct {
	name  string // "ctrl+c", "left", …
	text  string // what it writes
	paste bool
}

// keys turns the bytes of a terminal into keys.
type keys struct {
	dec   uv.EventDecoder
	buf   []byte
	in    bool // inside a paste
	paste []byte
}

// feed takes bytes and gives the keys that are whole.
func (k *keys) feed(b []byte) []key {
	k.buf = append(k.buf, b...)
	return k.scan(false)
}

// wait is how long the rest of something unfinished may take, 0 when nothing is.
func (k *keys) wait() time.Duration {
	switch {
	case k.in:
		return pasteTime
	case len(k.buf) > 0:
		return escTime
	}
	return 0
}

// expire gives up waiting for the rest.
func (k *keys) expire() []key {
	if k.in {
		k.add(k.buf)
		k.buf = nil
		return []key{k.pasted()}
	}
	return k.scan(true)
}

func (k *keys) add(b []byte) {
	if room := maxPaste - len(k.paste); len(b) > room {
		b = b[:room]
	}
	k.paste = append(k.paste, b...)
}

func (k *keys) pasted() key {
	p := key{text: string(k.paste), paste: true}
	k.in, k.paste = false, nil
	return p
}

func (k *keys) scan(expired bool) []key {
	var out []key
	for len(k.buf) > 0 {
		if k.in {
			at := bytes.Index(k.buf, pasteEnd)
			if at < 0 {
				// The end mark itself may be cut in two.
				n := max(len(k.buf)-len(pasteEnd)+1, 0)
				k.add(k.buf[:n])
				k.buf = k.buf[n:]
				return out
			}
			k.add(k.buf[:at])
			k.buf = k.buf[at+len(pasteEnd):]
			out = append(out, k.pasted())
			continue
		}
		if bytes.HasPrefix(k.buf, pasteBegin) {
			k.in = true
			k.buf = k.buf[len(pasteBegin):]
			continue
		}
		if !expired && unfinished(k.buf) {
			return out
		}
		n, event := k.dec.Decode(k.buf)
		if n <= 0 {
			n = 1
		}
		k.buf = k.buf[n:]
		if p, ok := event.(uv.KeyPressEvent); ok {
			out = append(out, key{name: p.Keystroke(), text: p.Text})
		}
	}
	return out
}

// unfinished reports whether b begins with a part of a sequence or character.
func unfinished(b []byte) bool {
	if b[0] != 0x1b {
		return b[0] >= utf8.RuneSelf && !utf8.FullRune(b)
	}
	switch {
	case len(b) > maxSeq:
		return false
	case len(b) == 1:
		return true
	case b[1] == 'O':
		return len(b) == 2
	case b[1] == '[':
		for _, c := range b[2:] {
			if c >= 0x40 && c <= 0x7e {
				return false
			}
		}
		return true
	}
	return false
}
