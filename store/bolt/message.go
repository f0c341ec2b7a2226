package bolt

import (
	"context"
	"fmt"
	"math"

	"jarvis/core"
)

// refMessage is the kind of a blob reference that a message holds.
const refMessage = "msg"

// putMessages writes messages of a chain with the blob references they hold. Where a message stands comes from its chain's
// position and its own number, so that writing one again changes nothing.
func (t *tx) putMessages(c core.Chain, ms []core.Message) error {
	for _, m := range ms {
		m.Session, m.Chain, m.Pos = c.Session, c.ID, c.Pos
		m.ID = core.MessageID(fmt.Sprintf("%s.%d", c.ID, m.N))
		if err := t.put(bMessage, key(str(c.Session), u64(m.Pos), u32(m.N)), m); err != nil {
			return err
		}
		if m.Marked {
			if err := t.put(bMark, key(str(c.Session), u64(m.Pos), u32(m.N)), true); err != nil {
				return err
			}
		}
		for _, a := range m.Attachments {
			if err := t.put(bBlobRef, refKey(a.Digest, m.ID), true); err != nil {
				return err
			}
		}
	}
	return nil
}

func refKey(d core.Digest, id core.MessageID) []byte { return key(str(d), str(refMessage), str(id)) }

// History pages through a session's messages by chain position and number; p.Through bounds it. A session that is not
// there has none.
func (d *DB) History(ctx context.Context, s core.SessionID, p core.Page) ([]core.Message, core.Cursor, error) {
	var (
		ms   []core.Message
		next core.Cursor
	)
	err := d.view(ctx, "history", func(t *tx) (err error) {
		sp, err := t.positions(bMessage, s, p)
		if err != nil {
			return err
		}
		ms, next, err = page(t, sp, p, readMessage)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return ms, next, nil
}

// positions is the part of a bucket of <sid>/<pos>/… that a page asks for.
func (t *tx) positions(bucket string, s core.SessionID, p core.Page) (span, error) {
	at := func(pos uint64) []byte { return append(key(str(s)), key(u64(pos))...) }
	sp := span{bucket: bucket, prefix: key(str(s))}
	if p.From > 0 {
		sp.lower = at(p.From)
	}
	if p.Through > 0 && p.Through < math.MaxUint64 {
		sp.upper = at(p.Through + 1)
	}
	if p.View == core.ViewAll {
		return sp, nil
	}
	a, err := t.archived(s)
	for _, g := range a.Spans {
		sp.gaps = append(sp.gaps, gap{lo: at(g.From), hi: at(g.To + 1)})
	}
	return sp, err
}

func readMessage(k, rec []byte) (m core.Message, n int, err error) {
	err = decode(bMessage, k, rec, &m)
	return m, len(rec), err
}

// BlobReferenced reports whether a record names the blob; the sweep of store/blob asks it.
func (d *DB) BlobReferenced(ctx context.Context, digest core.Digest) (bool, error) {
	var yes bool
	err := d.view(ctx, "blob reference", func(t *tx) error {
		ks, err := t.keys(bBlobRef, key(str(digest)), 1)
		yes = len(ks) > 0
		return err
	})
	return yes, err
}
