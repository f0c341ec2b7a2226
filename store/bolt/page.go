package bolt

import (
	"bytes"
	"encoding/base64"
	"slices"

	"jarvis/core"
)

const (
	defaultPage = 50
	maxPage     = 1000
	maxCursor   = 16 << 10 // bytes of a typed cursor; ours are far shorter
)

// span is a part of a bucket that a list walks over: the keys under prefix and before upper (nil = all of them).
type span struct {
	bucket string
	prefix []byte
	upper  []byte
}

func (s span) holds(k []byte) bool {
	return k != nil && bytes.HasPrefix(k, s.prefix) && (s.upper == nil || bytes.Compare(k, s.upper) < 0)
}

// page walks one page of a span by seeking, so its cost does not depend on the span's length. f gets each record in reading
// order; it decodes, which is copying. The cursor is what stands behind the prefix in the last key walked over.
func (t *tx) page(s span, p core.Page, f func(k, rec []byte) error) (core.Cursor, error) {
	b, err := t.bucket(s.bucket)
	if err != nil {
		return "", err
	}
	from, err := parseCursor(p.After)
	if err != nil {
		return "", err
	}
	limit := p.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	limit = min(limit, maxPage)

	c := b.Cursor()
	var k, rec []byte
	step := c.Next
	if p.Backward {
		step = c.Prev
		k, rec = seekBefore(c.Seek, c.Prev, c.Last, s.end(from))
	} else {
		at := append(bytes.Clone(s.prefix), from...)
		if k, rec = c.Seek(at); from != nil && bytes.Equal(k, at) {
			k, rec = c.Next()
		}
	}
	type row struct{ k, rec []byte }
	var rows []row
	for ; s.holds(k) && len(rows) < limit; k, rec = step() {
		rows = append(rows, row{k, rec})
	}
	var next core.Cursor
	if s.holds(k) {
		next = newCursor(rows[len(rows)-1].k[len(s.prefix):])
	}
	if p.Backward {
		slices.Reverse(rows)
	}
	for _, r := range rows {
		if err := f(r.k, r.rec); err != nil {
			return "", err
		}
	}
	return next, nil
}

// end is the first key that a walk back does not reach: the cursor's, or the span's end.
func (s span) end(from []byte) []byte {
	end := after(s.prefix)
	if s.upper != nil {
		end = s.upper
	}
	if from != nil {
		if at := append(bytes.Clone(s.prefix), from...); end == nil || bytes.Compare(at, end) < 0 {
			end = at
		}
	}
	return end
}

// seekBefore finds the last key before end (nil = the bucket's last).
func seekBefore(
	seek func([]byte) (k, rec []byte), prev, last func() (k, rec []byte), end []byte,
) (k, rec []byte) {
	if end == nil {
		return last()
	}
	if k, _ := seek(end); k == nil {
		return last()
	}
	return prev()
}

func newCursor(rest []byte) core.Cursor {
	return core.Cursor(base64.RawURLEncoding.EncodeToString(rest))
}

func parseCursor(c core.Cursor) ([]byte, error) {
	if c == "" {
		return nil, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(string(c))
	if err != nil || len(b) == 0 || len(c) > maxCursor {
		return nil, core.E(core.BadRequest, "the cursor is none of this list", "", err)
	}
	return b, nil
}
