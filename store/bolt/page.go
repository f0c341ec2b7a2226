package bolt

import (
	"bytes"
	"encoding/base64"
	"slices"
	"sort"

	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
)

const (
	defaultPage = 50
	maxPage     = 1000
	pageBytes   = 4 << 20  // of the records of a page; one that is larger is a page of its own
	maxCursor   = 16 << 10 // bytes of a typed cursor; ours are far shorter
)

// span is a part of a bucket that a list walks over: the keys under prefix, from lower on and before upper (nil = no bound),
// without those in the gaps.
type span struct {
	bucket string
	prefix []byte
	lower  []byte
	upper  []byte
	gaps   []gap // in order
}

// gap is a range of keys that a list jumps over: from lo on and before hi (nil = the span's end).
type gap struct{ lo, hi []byte }

func (s span) holds(k []byte) bool {
	return k != nil && bytes.HasPrefix(k, s.prefix) && (s.upper == nil || bytes.Compare(k, s.upper) < 0) &&
		(s.lower == nil || bytes.Compare(k, s.lower) >= 0)
}

// in finds the gap that a key of the span lies in.
func (s span) in(k []byte) (gap, bool) {
	i := sort.Search(len(s.gaps), func(i int) bool { return bytes.Compare(s.gaps[i].lo, k) > 0 }) - 1
	if i < 0 || s.gaps[i].hi != nil && bytes.Compare(k, s.gaps[i].hi) >= 0 {
		return gap{}, false
	}
	return s.gaps[i], true
}

// over moves a cursor that stands at k out of the gaps, by seeking.
func (s span) over(c *bbolt.Cursor, back bool, k, rec []byte) (key, record []byte) {
	for s.holds(k) {
		g, ok := s.in(k)
		switch {
		case !ok:
			return k, rec
		case back:
			k, rec = seekBefore(c.Seek, c.Prev, c.Last, g.lo)
		case g.hi == nil:
			return nil, nil
		default:
			k, rec = c.Seek(g.hi)
		}
	}
	return k, rec
}

// page walks one page of a span by seeking, so its cost does not depend on the span's length. row decodes a record, which is
// copying, and says how many bytes of the store it is made of: a page ends also where it would take more than pageBytes, but
// has at least one entry. Entries are in reading order. The cursor is what stands behind the prefix in the last key walked over.
func page[T any](t *tx, s span, p core.Page, row func(k, rec []byte) (T, int, error)) ([]T, core.Cursor, error) {
	b, err := t.bucket(s.bucket)
	if err != nil {
		return nil, "", err
	}
	from, err := parseCursor(p.After)
	if err != nil {
		return nil, "", err
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
		behind := from != nil
		if s.lower != nil && bytes.Compare(at, s.lower) < 0 {
			at, behind = s.lower, false
		}
		if k, rec = c.Seek(at); behind && bytes.Equal(k, at) {
			k, rec = c.Next()
		}
	}
	k, rec = s.over(c, p.Backward, k, rec)
	var (
		rows []T
		last []byte
		size int
	)
	for s.holds(k) && len(rows) < limit {
		t.reads++
		v, n, err := row(k, rec)
		if err != nil {
			return nil, "", err
		}
		if size += n; size > pageBytes && len(rows) > 0 {
			break
		}
		rows, last = append(rows, v), k
		k, rec = step()
		k, rec = s.over(c, p.Backward, k, rec)
	}
	var next core.Cursor
	if s.holds(k) {
		next = newCursor(last[len(s.prefix):])
	}
	if p.Backward {
		slices.Reverse(rows)
	}
	return rows, next, nil
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
