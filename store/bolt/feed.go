package bolt

import (
	"context"

	"jarvis/core"
)

// The feed tells a derived index what to look at again. Its rows are written in the transaction of the change itself, and
// deleted when the index has it on the disk: so nothing is missed, and what is told twice does no harm.

// changed notes that a chain's messages are new or were changed.
func (t *tx) changed(s core.SessionID, c core.ChainID) error {
	return t.feed(core.Change{Session: s, Chain: c})
}

// feed gives a change its number and writes it.
func (t *tx) feed(c core.Change) error {
	b, err := t.bucket(bFeed)
	if err != nil {
		return err
	}
	t.dirty = true
	n, err := b.NextSequence()
	if err != nil {
		return err
	}
	t.fed = true
	c.Seq = n
	return t.put(bFeed, key(u64(n)), c)
}

// Changed gets a value, at most one, when the feed has something new.
func (d *DB) Changed() <-chan struct{} { return d.fed }

// tellFed never waits: one value says it all.
func (d *DB) tellFed() {
	select {
	case d.fed <- struct{}{}:
	default:
	}
}

// Changes gives at most n rows of the feed behind a number, oldest first.
func (d *DB) Changes(ctx context.Context, after uint64, n int) ([]core.Change, error) {
	var cs []core.Change
	err := d.view(ctx, "changes", func(t *tx) error {
		b, err := t.bucket(bFeed)
		if err != nil {
			return err
		}
		cs = nil
		cur := b.Cursor()
		for k, rec := cur.Seek(key(u64(after + 1))); k != nil && len(cs) < n; k, rec = cur.Next() {
			t.reads++
			var c core.Change
			if err := decode(bFeed, k, rec, &c); err != nil {
				return err
			}
			cs = append(cs, c)
		}
		return nil
	})
	return cs, err
}

// ackStep is how many rows of the feed one transaction deletes.
const ackStep = 1000

// Ack deletes the rows of the feed up to and with a number.
func (d *DB) Ack(ctx context.Context, upTo uint64) error {
	for more := true; more; {
		err := d.update(ctx, "ack changes", func(t *tx) error {
			b, err := t.bucket(bFeed)
			if err != nil {
				return err
			}
			var old [][]byte
			end := key(u64(upTo))
			cur := b.Cursor()
			for k, _ := cur.First(); k != nil && len(old) < ackStep && string(k) <= string(end); k, _ = cur.Next() {
				old = append(old, append([]byte(nil), k...))
			}
			more = len(old) == ackStep
			for _, k := range old {
				if err := t.del(bFeed, k); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ChainText gives the messages of a chain that has ended, deleted ones too; none when it has not, or is not there.
func (d *DB) ChainText(ctx context.Context, id core.ChainID) ([]core.Indexed, error) {
	var ms []core.Indexed
	err := d.view(ctx, "chain text", func(t *tx) error {
		ms = nil
		c, err := t.chain(id)
		if core.CodeOf(err) == core.NotFound || err == nil && c.State != core.Ended {
			return nil
		}
		if err != nil {
			return err
		}
		if there, err := t.has(bSession, key(str(c.Session))); err != nil || !there {
			return err // being erased
		}
		return t.each(bMessage, key(str(c.Session), u64(c.Pos)), func(k, rec []byte) (bool, error) {
			m := core.Indexed{User: c.User}
			err := decode(bMessage, k, rec, &m.Message)
			ms = append(ms, m)
			return true, err
		})
	})
	return ms, err
}

// AllText walks over the messages of all sessions, those of open chains too, in no order that means anything. It gives about
// n at a time and where to go on; "" at the end.
func (d *DB) AllText(ctx context.Context, after core.Cursor, n int) ([]core.Indexed, core.Cursor, error) {
	return d.text(ctx, nil, after, n)
}

// SessionText walks over those of one session.
func (d *DB) SessionText(ctx context.Context, id core.SessionID, after core.Cursor, n int) ([]core.Indexed, core.Cursor, error) {
	return d.text(ctx, key(str(id)), after, n)
}

func (d *DB) text(ctx context.Context, prefix []byte, after core.Cursor, n int) ([]core.Indexed, core.Cursor, error) {
	var (
		ms   []core.Indexed
		next core.Cursor
	)
	err := d.view(ctx, "all text", func(t *tx) (err error) {
		users := map[core.SessionID]core.UserID{}
		ms, next, err = page(t, span{bucket: bMessage, prefix: prefix}, core.Page{After: after, Limit: n}, func(k, rec []byte) (core.Indexed, int, error) {
			var m core.Indexed
			if err := decode(bMessage, k, rec, &m.Message); err != nil {
				return m, 0, err
			}
			user, known := users[m.Session]
			if !known {
				s, err := t.session(m.Session)
				if err != nil && core.CodeOf(err) != core.NotFound { // being erased: nobody's
					return m, 0, err
				}
				user, users[m.Session] = s.User, s.User
			}
			m.User = user
			return m, len(rec), nil
		})
		return err
	})
	return ms, next, err
}

// CountText counts all messages. It walks over the bucket's pages, so its cost grows with the store: it is for the rare
// moment when an index is built anew.
func (d *DB) CountText(ctx context.Context) (n uint64, err error) {
	err = d.view(ctx, "count messages", func(t *tx) error {
		b, err := t.bucket(bMessage)
		if err != nil {
			return err
		}
		n = uint64(b.Stats().KeyN)
		return nil
	})
	return n, err
}

// LastChange is the number of the newest row that the feed ever had.
func (d *DB) LastChange(ctx context.Context) (n uint64, err error) {
	err = d.view(ctx, "last change", func(t *tx) error {
		b, err := t.bucket(bFeed)
		if err == nil {
			n = b.Sequence()
		}
		return err
	})
	return n, err
}

// MessagesOf gives those of the named messages that belong to the user and are not deleted, each with its session's title.
func (d *DB) MessagesOf(ctx context.Context, user core.UserID, ids []core.MessageID) (map[core.MessageID]core.Message, map[core.SessionID]string, error) {
	var (
		ms     map[core.MessageID]core.Message
		titles map[core.SessionID]string
	)
	err := d.view(ctx, "find messages", func(t *tx) error {
		ms, titles = map[core.MessageID]core.Message{}, map[core.SessionID]string{}
		for _, id := range ids {
			_, m, err := t.message(user, id)
			if core.CodeOf(err) == core.NotFound {
				continue
			}
			if err != nil {
				return err
			}
			if m.Deleted {
				continue
			}
			s, err := t.session(m.Session)
			if core.CodeOf(err) == core.NotFound {
				continue
			}
			if err != nil {
				return err
			}
			ms[id], titles[s.ID] = m, s.Title
		}
		return nil
	})
	return ms, titles, err
}
