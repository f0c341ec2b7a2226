package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"jarvis/core"
)

// parse reads a line whose head is known. Lines as core.Event.AppendJSON writes them, which all of ours are, go without the
// decoder: a client that comes back to a long chain waits for this, and the decoder takes ten times as long.
func parse(line []byte, h head) (core.Event, error) {
	if e, ok := parseFast(line, h); ok {
		return e, nil
	}
	var e core.Event
	if err := json.Unmarshal(line, &e); err != nil {
		return core.Event{}, err
	}
	if e.Seq != h.seq || e.Type != h.kind {
		return core.Event{}, fmt.Errorf("%w: %s %d contradicts its head", errLine, e.Type, e.Seq)
	}
	return e, nil
}

// fields walks over a line's fields in the order in which they are written.
type fields struct {
	rest []byte
	bad  bool
}

// text gives the string behind name when that is the next field.
func (f *fields) text(name string) (s string, ok bool) {
	rest, ok := bytes.CutPrefix(f.rest, []byte(name))
	if !ok || f.bad {
		return "", false
	}
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '"':
			f.rest = rest[i+1:]
			f.bad = !utf8.Valid(rest[:i])
			return string(rest[:i]), !f.bad
		case c == '\\':
			return f.escaped(rest, i)
		case c < 0x20:
			f.bad = true
			return "", false
		}
	}
	f.bad = true
	return "", false
}

// escaped gives a string with escapes, which begin at i.
func (f *fields) escaped(rest []byte, i int) (string, bool) {
	for ; i < len(rest) && rest[i] != '"'; i++ {
		if rest[i] == '\\' {
			i++
		}
	}
	if i >= len(rest) {
		f.bad = true
		return "", false
	}
	var s string
	quoted := append(append([]byte{'"'}, rest[:i]...), '"')
	if json.Unmarshal(quoted, &s) != nil {
		f.bad = true
		return "", false
	}
	f.rest = rest[i+1:]
	return s, true
}

func parseFast(line []byte, h head) (core.Event, bool) {
	f := &fields{rest: line[len(typePrefix)+len(h.kind)+len(seqPrefix):]}
	comma := bytes.IndexByte(f.rest, ',')
	if comma < 0 {
		return core.Event{}, false
	}
	f.rest = f.rest[comma:]
	e := core.Event{Type: h.kind, Seq: h.seq}
	must := func(name string) string {
		s, ok := f.text(name)
		f.bad = f.bad || !ok
		return s
	}
	may := func(name string) string {
		s, _ := f.text(name)
		return s
	}
	e.Chain = core.ChainID(must(`,"chain":"`))
	e.Session = core.SessionID(must(`,"session":"`))
	e.Agent = core.AgentID(may(`,"agent":"`))
	at, err := time.Parse(time.RFC3339Nano, must(`,"time":"`))
	e.Time = at
	e.Worker = core.ChainID(may(`,"worker":"`))
	e.Via = may(`,"via":"`)
	e.Text = may(`,"text":"`)
	if err != nil || f.bad || len(f.rest) == 0 {
		return core.Event{}, false
	}
	if string(f.rest) == "}" {
		return e, true
	}
	if f.rest[0] != ',' || len(f.rest) == 2 { // a comma and nothing behind it
		return core.Event{}, false
	}
	data := append([]byte{'{'}, f.rest[1:]...)
	if !json.Valid(data) {
		return core.Event{}, false
	}
	e.Data = data
	return e, true
}
