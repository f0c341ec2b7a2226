package bolt

import (
	"bytes"
	"context"
	"time"

	"jarvis/core"
)

// pruneStep is how many accounts one transaction of PruneSpending looks at.
const pruneStep = 500

// PruneSpending forgets what was spent in days and months that were over before a time, in bounded steps, and says how many
// rows went: no budget asks for them any more, and usage has them too. What is still held stays.
func (d *DB) PruneSpending(ctx context.Context, before time.Time) (int, error) {
	day, month := before.Format(time.DateOnly), before.Format("2006-01")
	over := func(p string) bool { return len(p) == len(day) && p < day || len(p) == len(month) && p < month }
	gone := 0
	for from := []byte{}; from != nil; {
		var old [][]byte
		next, err := d.spentBefore(ctx, from, over, &old)
		if err != nil {
			return gone, err
		}
		from = next
		if len(old) == 0 { // nothing to write: no commit
			continue
		}
		n := 0
		err = d.update(ctx, "prune spending", func(t *tx) (err error) {
			n, err = t.forgetSpent(old)
			return err
		})
		if err != nil {
			return gone, err
		}
		gone += n
	}
	return gone, nil
}

// spentBefore finds, from a key on, the accounts of periods that are over; next is nil behind the last.
func (d *DB) spentBefore(ctx context.Context, from []byte, over func(string) bool, old *[][]byte) (next []byte, err error) {
	err = d.view(ctx, "prune spending", func(t *tx) error {
		next, *old = nil, nil
		b, err := t.bucket(bSpent)
		if err != nil {
			return err
		}
		c := b.Cursor()
		n := 0
		for k, _ := c.Seek(from); k != nil; k, _ = c.Next() {
			if n++; n > pruneStep {
				next = bytes.Clone(k)
				return nil
			}
			t.reads++
			if parts, err := splitKey(k); err != nil || len(parts) != 2 {
				return damaged(errKey)
			} else if over(string(parts[1])) {
				*old = append(*old, bytes.Clone(k))
			}
		}
		return nil
	})
	return next, err
}

func (t *tx) forgetSpent(ks [][]byte) (n int, err error) {
	for _, k := range ks {
		var s core.Spent
		if ok, err := t.get(bSpent, k, &s); err != nil {
			return n, err
		} else if !ok || s.Held > 0 {
			continue
		}
		if err := t.del(bSpent, k); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// closeSession forgets the account of an erased session. Nothing of it is held: its chains have ended.
func (t *tx) closeSession(id core.SessionID) error {
	ks, err := t.keys(bSpent, key(str("session:"+id)), eraseStep)
	if err != nil {
		return err
	}
	for _, k := range ks {
		if err := t.del(bSpent, k); err != nil {
			return err
		}
	}
	return nil
}
