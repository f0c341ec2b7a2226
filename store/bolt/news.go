package bolt

import (
	"context"

	"jarvis/core"
)

const (
	lookBack = 200  // chains: a lane has far fewer open ones
	lookRefs = 1000 // messages that one blob came with
)

// News gives a session's messages after a position, up to the first open chain's: what waits behind that one comes later, so
// that a reader who remembers one position misses nothing. "" gives the present position alone.
func (d *DB) News(ctx context.Context, s core.SessionID, after core.Cursor) ([]core.Message, core.Cursor, bool, error) {
	var (
		ms   []core.Message
		at   core.Cursor
		open bool
	)
	err := d.view(ctx, "news", func(t *tx) error {
		first, err := t.firstOpen(s)
		if err != nil {
			return err
		}
		open = first > 0
		sp, err := t.positions(bMessage, s, core.Page{Through: first})
		if err != nil {
			return err
		}
		p := core.Page{After: after, Limit: maxPage}
		if after == "" {
			p = core.Page{Backward: true, Limit: 1}
		}
		if ms, _, err = page(t, sp, p, readMessage); err != nil {
			return err
		}
		switch {
		case len(ms) > 0:
			last := ms[len(ms)-1]
			at = newCursor(key(u64(last.Pos), u32(last.N)))
		case after == "":
			at = newCursor(key(u64(0), u32(0)))
		default:
			at = after
		}
		if after == "" {
			ms = nil
		}
		return nil
	})
	if err != nil {
		return nil, "", false, err
	}
	return ms, at, open, nil
}

// firstOpen is the position of a session's first open chain, 0 when none is.
func (t *tx) firstOpen(s core.SessionID) (uint64, error) {
	sp := span{bucket: bOrder, prefix: key(str(s))}
	chains, _, err := page(t, sp, core.Page{Backward: true, Limit: lookBack}, func(k, rec []byte) (c placed, n int, err error) {
		if c, err = readPlaced(k, rec); err != nil {
			return c, 0, err
		}
		open, err := t.has(bOpen, key(str(c.id)))
		if !open {
			c.pos = 0
		}
		return c, 0, err
	})
	if err != nil {
		return 0, err
	}
	for _, c := range chains {
		if c.pos > 0 {
			return c.pos, nil
		}
	}
	return 0, nil
}

// FindAttachment finds a file by its digest among a user's messages; core.NotFound. Knowing a digest is no right to read.
func (d *DB) FindAttachment(ctx context.Context, user core.UserID, digest core.Digest) (core.Attachment, error) {
	unknown := core.E(core.NotFound, "there is no such attachment", "jarvis session show SESSION -o json", nil)
	if len(digest) > maxName {
		return core.Attachment{}, unknown
	}
	var (
		a     core.Attachment
		found bool
	)
	err := d.view(ctx, "find attachment", func(t *tx) error {
		looked := 0
		return t.each(bBlobRef, key(str(digest), str(refMessage)), func(k, _ []byte) (bool, error) {
			parts, err := splitKey(k)
			if err != nil || len(parts) != 3 {
				return false, damaged(errKey)
			}
			looked++
			_, m, err := t.message(user, core.MessageID(parts[2]))
			if core.CodeOf(err) == core.NotFound {
				return looked < lookRefs, nil
			}
			for _, of := range m.Attachments {
				if of.Digest == digest {
					a, found = of, true
				}
			}
			return !found && looked < lookRefs, err
		})
	})
	if err == nil && !found {
		err = unknown
	}
	if err != nil {
		return core.Attachment{}, err
	}
	return a, nil
}
