package bolt

import (
	"bytes"
	"context"

	"jarvis/core"
)

// Summary is the newest summary of a session, false when there is none.
func (d *DB) Summary(ctx context.Context, id core.SessionID) (core.Summary, bool, error) {
	var (
		s  core.Summary
		ok bool
	)
	err := d.view(ctx, "summary", func(t *tx) (err error) {
		_, s, ok, err = t.summary(id)
		return err
	})
	if err != nil || !ok {
		return core.Summary{}, false, err
	}
	return s, true, nil
}

// Summaries pages through a session's summaries, each of which takes in the one before it.
func (d *DB) Summaries(ctx context.Context, id core.SessionID, p core.Page) ([]core.Summary, core.Cursor, error) {
	var (
		ss   []core.Summary
		next core.Cursor
	)
	err := d.view(ctx, "summaries", func(t *tx) (err error) {
		ss, next, err = page(t, span{bucket: bSummary, prefix: key(str(id))}, p, func(k, rec []byte) (s core.Summary, n int, err error) {
			err = decode(bSummary, k, rec, &s)
			return s, len(rec), err
		})
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return ss, next, nil
}

// UndoSummary takes a user's session's newest summary away and returns it: the one that it had taken in counts again, else the
// chains themselves. core.NotFound for another user's session and when there is no summary.
func (d *DB) UndoSummary(ctx context.Context, user core.UserID, id core.SessionID) (core.Summary, error) {
	var s core.Summary
	err := d.update(ctx, "undo summary", func(t *tx) error {
		sess, err := t.session(id)
		if err != nil {
			return err
		}
		if sess.User != user {
			return noSession(id)
		}
		k, newest, ok, err := t.summary(id)
		if err != nil {
			return err
		}
		if !ok {
			return core.E(core.NotFound, "nothing of this session is summarised", "jarvis session context "+core.Short(string(id)), nil)
		}
		s = newest
		return t.del(bSummary, k)
	})
	if err != nil {
		return core.Summary{}, err
	}
	return s, nil
}

// summary reads a session's newest summary and its key.
func (t *tx) summary(id core.SessionID) (k []byte, s core.Summary, ok bool, err error) {
	b, err := t.bucket(bSummary)
	if err != nil {
		return nil, s, false, err
	}
	prefix := key(str(id))
	c := b.Cursor()
	last, rec := seekBefore(c.Seek, c.Prev, c.Last, after(prefix))
	if last == nil || !bytes.HasPrefix(last, prefix) {
		return nil, s, false, nil
	}
	k = bytes.Clone(last)
	err = decode(bSummary, k, rec, &s)
	return k, s, err == nil, err
}

// putSummary writes a summary that a chain's turn made, nil = none.
func (t *tx) putSummary(c core.Chain, s *core.Summary) error {
	if s == nil {
		return nil
	}
	_, newest, _, err := t.summary(c.Session)
	if err != nil {
		return err
	}
	if newest.To != s.Prev || s.To <= s.Prev || s.To >= c.Pos {
		return conflict("the session was summarised differently meanwhile")
	}
	row := *s
	row.Session, row.Chain = c.Session, c.ID
	return t.put(bSummary, key(str(c.Session), u64(row.To)), row)
}

// dropSummaries takes away the summaries that tell of the chain at pos, because what it says in the prompt has changed: the
// chains they stood for go there themselves until they are summarised again.
func (t *tx) dropSummaries(id core.SessionID, pos uint64) error {
	b, err := t.bucket(bSummary)
	if err != nil {
		return err
	}
	prefix := key(str(id))
	c := b.Cursor()
	var gone [][]byte
	for k, rec := c.Seek(key(str(id), u64(pos))); k != nil && bytes.HasPrefix(k, prefix); k, rec = c.Next() {
		var s core.Summary
		if err := decode(bSummary, k, rec, &s); err != nil {
			return err
		}
		if len(gone) > 0 || s.From <= pos { // a later one took it in
			gone = append(gone, bytes.Clone(k))
		}
	}
	for _, k := range gone {
		if err := t.del(bSummary, k); err != nil {
			return err
		}
	}
	return nil
}

// eraseSummaries deletes up to limit summaries of a session.
func (t *tx) eraseSummaries(id core.SessionID, limit int) (int, error) {
	ks, err := t.keys(bSummary, key(str(id)), limit)
	if err != nil {
		return 0, err
	}
	for _, k := range ks {
		if err := t.del(bSummary, k); err != nil {
			return 0, err
		}
	}
	return len(ks), nil
}
