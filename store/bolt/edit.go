package bolt

import (
	"context"
	"errors"
	"strconv"

	"jarvis/core"
)

// EditSession changes a user's session; another user's is core.NotFound. When it was last used stays as it is.
func (d *DB) EditSession(ctx context.Context, user core.UserID, id core.SessionID, e core.SessionEdit) (core.Session, error) {
	var s core.Session
	err := d.update(ctx, "edit session", func(t *tx) (err error) {
		if s, err = t.session(id); err != nil {
			return err
		}
		if s.User != user {
			return noSession(id)
		}
		old := s
		set(&s.Title, e.Title)
		set(&s.Model, e.Model)
		set(&s.Context, e.Context)
		set(&s.Hidden, e.Hidden)
		set(&s.Pinned, e.Pinned)
		if old.Hidden != s.Hidden {
			if err := t.unindex(old); err != nil {
				return err
			}
			for _, r := range listRows(s) {
				if err := t.put(r.bucket, r.key, s.ID); err != nil {
					return err
				}
			}
		}
		return t.put(bSession, key(str(id)), s)
	})
	if err != nil {
		return core.Session{}, err
	}
	return s, nil
}

// HideMessage takes a message of a user out of sight and out of the prompt, or back; another user's is core.NotFound.
func (d *DB) HideMessage(ctx context.Context, user core.UserID, id core.MessageID, deleted bool) (core.Message, error) {
	var m core.Message
	err := d.update(ctx, "hide message", func(t *tx) error {
		k, found, err := t.messageOf(user, id)
		if err != nil {
			return err
		}
		m = found
		if m.Deleted == deleted {
			return nil
		}
		m.Deleted = deleted
		return errors.Join(t.put(bMessage, k, m), t.dropSummaries(m.Session, m.Pos), t.changed(m.Session, m.Chain))
	})
	if err != nil {
		return core.Message{}, err
	}
	return m, nil
}

func set[T any](to, v *T) {
	if v != nil {
		*to = *v
	}
}

func noMessage(id core.MessageID, cause error) error {
	name := string(id)
	if len(name) > 80 {
		name = name[:80] + "…"
	}
	return core.E(core.NotFound, "there is no message "+strconv.Quote(name), "jarvis session show SESSION -o json", cause)
}
