package bolt

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"jarvis/core"
)

// MarkMessage marks a user's message of an ended chain, or takes the mark away; another user's is core.NotFound. A session has
// at most most marked messages.
func (d *DB) MarkMessage(ctx context.Context, user core.UserID, id core.MessageID, marked bool, most int) (core.Message, error) {
	var m core.Message
	err := d.update(ctx, "mark message", func(t *tx) error {
		k, found, err := t.messageOf(user, id)
		if err != nil {
			return err
		}
		m = found
		if m.Marked == marked {
			return nil
		}
		m.Marked = marked
		mark := t.del
		if marked {
			if err := t.markable(m, most); err != nil {
				return err
			}
			mark = func(bucket string, k []byte) error { return t.put(bucket, k, true) }
		}
		return errors.Join(t.put(bMessage, k, m), mark(bMark, k), t.changed(m.Session, m.Chain))
	})
	if err != nil {
		return core.Message{}, err
	}
	return m, nil
}

func (t *tx) markable(m core.Message, most int) error {
	if m.Type != core.TypeText {
		return core.E(core.BadRequest, "only what was said can be marked, not a "+m.Type, "jarvis session show "+core.Short(string(m.Session))+" -o json", nil)
	}
	marks, err := t.keys(bMark, key(str(m.Session)), most)
	if err == nil && len(marks) >= most {
		err = core.E(core.RateLimited, "the session has "+strconv.Itoa(len(marks))+" marked messages already",
			"jarvis session mark "+core.Short(string(m.Session)), nil)
	}
	return err
}

// Marked pages through a session's marked messages in order, the archived ones too.
func (d *DB) Marked(ctx context.Context, s core.SessionID, p core.Page) ([]core.Message, core.Cursor, error) {
	var (
		ms   []core.Message
		next core.Cursor
	)
	err := d.view(ctx, "marked", func(t *tx) (err error) {
		ms, next, err = page(t, span{bucket: bMark, prefix: key(str(s))}, p, func(k, _ []byte) (core.Message, int, error) {
			var m core.Message
			ok, err := t.get(bMessage, k, &m)
			if err == nil && !ok {
				err = damaged(errors.New("a marked message is missing"))
			}
			return m, len(m.Text) + len(m.Context), err
		})
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return ms, next, nil
}

// Message reads one message of a user; core.NotFound.
func (d *DB) Message(ctx context.Context, user core.UserID, id core.MessageID) (core.Message, error) {
	var m core.Message
	err := d.view(ctx, "message", func(t *tx) (err error) {
		_, m, err = t.message(user, id)
		return err
	})
	if err != nil {
		return core.Message{}, err
	}
	return m, nil
}

// messageOf finds a user's message whose chain has ended, with its key: what still runs may write it again.
func (t *tx) messageOf(user core.UserID, id core.MessageID) (k []byte, m core.Message, err error) {
	k, m, err = t.message(user, id)
	if err != nil {
		return nil, m, err
	}
	if open, err := t.has(bOpen, key(str(m.Chain))); err != nil {
		return nil, m, err
	} else if open {
		return nil, m, core.E(core.Conflict, "the message is still being answered", "jarvis session stop "+core.Short(string(m.Session)), nil)
	}
	return k, m, nil
}

// message finds a user's message with its key.
func (t *tx) message(user core.UserID, id core.MessageID) (k []byte, m core.Message, err error) {
	chain, num, _ := strings.Cut(string(id), ".")
	n, err := strconv.ParseUint(num, 10, 32)
	if err != nil || len(chain) > maxName || strconv.FormatUint(n, 10) != num {
		return nil, m, noMessage(id, err)
	}
	c, err := t.chain(core.ChainID(chain))
	if core.CodeOf(err) == core.NotFound || err == nil && c.User != user {
		return nil, m, noMessage(id, err)
	}
	if err != nil {
		return nil, m, err
	}
	k = key(str(c.Session), u64(c.Pos), u32(uint32(n)))
	ok, err := t.get(bMessage, k, &m)
	if err == nil && !ok {
		err = noMessage(id, nil)
	}
	return k, m, err
}
