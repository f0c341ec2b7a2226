package bolt

import (
	"context"

	"jarvis/core"
)

// CreateSession stores a new session; core.Conflict when there is one with its id.
func (d *DB) CreateSession(ctx context.Context, s core.Session) error {
	if s.ID == "" || len(s.ID) > maxName || len(s.Cwd) > maxName {
		return core.E(core.BadRequest, "the new session's id or folder is too long", "", nil)
	}
	s.Cwd = folder(s.Cwd)
	return d.update(ctx, "create session", func(t *tx) error {
		for _, bucket := range []string{bSession, bGone} {
			if there, err := t.has(bucket, key(str(s.ID))); err != nil {
				return err
			} else if there {
				return conflict("there is a session with this id already")
			}
		}
		return t.putSession(s, nil, s.Created)
	})
}
