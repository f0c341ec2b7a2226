// Package audit keeps the lines of security-relevant actions in an append-only file, each with the hash of the one before:
// what is changed, removed or cut off is found, with its place. It may import nothing of ours but core.
//
// audit.jsonl is the file that is written, audit/<first number>.jsonl those that were full, and audit.anchor the number and
// hash of the last line, so that whole lines cannot go from the end unseen. Whoever can write all of them can forge them
// together: this finds damage and clumsy hands, not the owner of the machine. Several processes may write, one at a time.
package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"jarvis/core"
)

// The actions of the log itself.
const (
	Rotated  = "audit.rotate" // the first line of a new file
	Repaired = "audit.repair" // a crash left something, which was mended
	Gap      = "audit.gap"    // lines that had been written were not there any more
)

// The bounds of a line and its parts, in bytes.
const (
	MaxLine    = 64 << 10
	maxAction  = 64
	maxTarget  = 512
	maxDetails = 8 << 10
)

const hashLen = 2 * sha256.Size

var (
	noHash  = strings.Repeat("0", hashLen)
	hashKey = []byte(`,"hash":"`)
	lineEnd = []byte(`"}`)
)

// ErrLine is a line that is none, ErrHash one whose text does not fit its hash.
var (
	ErrLine = errors.New("not a line of the audit file")
	ErrHash = errors.New("the line was changed after it was written")
)

// Parse reads a line without its break. With ErrHash it gives what the line says all the same.
func Parse(line []byte) (core.Audit, error) {
	if len(line) > MaxLine {
		return core.Audit{}, fmt.Errorf("%w: longer than %d bytes", ErrLine, MaxLine)
	}
	body, ok := bytes.CutSuffix(line, lineEnd)
	if !ok || len(body) < len(hashKey)+hashLen || !bytes.HasPrefix(body[len(body)-hashLen-len(hashKey):], hashKey) {
		return core.Audit{}, ErrLine
	}
	var a core.Audit
	d := json.NewDecoder(bytes.NewReader(line))
	if err := d.Decode(&a); err != nil || d.More() {
		return core.Audit{}, ErrLine
	}
	given := string(body[len(body)-hashLen:])
	if a.Seq == 0 || a.Action == "" || !isHash(a.Prev) || a.Hash != given || !isHash(given) {
		return core.Audit{}, ErrLine
	}
	if digest(body[:len(body)-hashLen-len(hashKey)]) != given {
		return a, ErrHash
	}
	return a, nil
}

// digest is the hash of a line, given as it stands before its hash.
func digest(head []byte) string {
	h := sha256.New()
	h.Write(head)
	h.Write([]byte{'}'})
	return hex.EncodeToString(h.Sum(nil))
}

func isHash(s string) bool {
	return len(s) == hashLen && strings.Trim(s, "0123456789abcdef") == ""
}

// render gives the line with its break, and puts its hash into a.
func render(a *core.Audit) ([]byte, error) {
	if a.Action == "" || len(a.Action) > maxAction || strings.Trim(a.Action, "abcdefghijklmnopqrstuvwxyz0123456789._-") != "" {
		return nil, fmt.Errorf("audit: %q is no name of an action", a.Action)
	}
	a.Target = clip(a.Target, maxTarget)
	a.Via, a.Request = clip(a.Via, maxAction), clip(a.Request, maxAction)
	a.Time = a.Time.UTC().Round(0)
	a.Hash = ""
	if len(a.Details) > 0 {
		if b, err := encode(a.Details); err != nil {
			return nil, err
		} else if len(b) > maxDetails {
			a.Details = map[string]any{"left_out_bytes": len(b)}
		}
	}
	head, err := encode(a)
	if err != nil {
		return nil, err
	}
	head = head[:len(head)-1]
	a.Hash = digest(head)
	return append(append(append(append(head, hashKey...), a.Hash...), lineEnd...), '\n'), nil
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// clip bounds a text that somebody else has chosen.
func clip(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "")
	}
	return s
}

// anchor is the number and hash of the last line. Seq 0 is none.
type anchor struct {
	seq  uint64
	hash string
}

const anchorLen = 20 + 1 + hashLen + 1

func (a anchor) bytes() []byte { return fmt.Appendf(nil, "%020d %s\n", a.seq, a.hash) }

func parseAnchor(b []byte) (anchor, bool) {
	var a anchor
	if len(b) != anchorLen || b[20] != ' ' || b[anchorLen-1] != '\n' || strings.Trim(string(b[:20]), "0123456789") != "" {
		return a, false
	}
	if _, err := fmt.Sscanf(string(b[:20]), "%d", &a.seq); err != nil || a.seq == 0 {
		return anchor{}, false
	}
	a.hash = string(b[21 : 21+hashLen])
	return a, isHash(a.hash)
}

// lockWait is how long a writer waits for another process.
const lockWait = 5 * time.Second
