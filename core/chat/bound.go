package chat

import (
	"fmt"
	"unicode/utf8"

	"jarvis/core"
)

// maxAnswer bounds what the models of one chain may say, in bytes of JSON: text, reasoning and what providers want back, over
// all requests together. It is far beyond any model's longest answer, takes a text of 10 MB, and keeps every event, message
// and terminal event below the length that a line of the journal and of the API may have.
const maxAnswer = 16 << 20

// fit cuts s to what fits into left bytes of JSON, and tells how many of them it takes.
func fit(s string, left int) (text string, size int) {
	for i, r := range s {
		n := runeSize(r)
		if size+n > left {
			return s[:i], size
		}
		size += n
	}
	return s, size
}

// runeSize is how many bytes a character takes in JSON as encoding/json writes it.
func runeSize(r rune) int {
	switch r {
	case '"', '\\', '\n', '\r', '\t', '\b', '\f':
		return 2
	case '<', '>', '&', '\u2028', '\u2029', utf8.RuneError:
		return 6
	}
	if r < 0x20 || r >= 0x7f && r < 0xa0 { // the upper ones when it is printed
		return 6
	}
	return utf8.RuneLen(r)
}

// room takes what fits of a piece of the answer. An error says that the answer has reached its limit; what fits is kept.
func (t *turn) room(s string) (string, error) {
	text, n := fit(s, maxAnswer-t.said)
	t.said += n
	if len(text) < len(s) {
		return text, tooMuch()
	}
	return text, nil
}

// roomFor takes the opaque part of an answer, which cannot be cut.
func (t *turn) roomFor(o *core.Opaque) error {
	if o == nil {
		return nil
	}
	if t.said += len(o.Data); t.said > maxAnswer {
		return tooMuch()
	}
	return nil
}

func tooMuch() *core.Error {
	return core.E(core.TooLarge, fmt.Sprintf("the answer was ended at its limit of %d MiB", maxAnswer>>20), "jarvis model list   # another model", nil)
}
