package session

import (
	"context"

	"jarvis/core"
)

// Maker keeps new sessions; one method is one transaction.
type Maker interface {
	// CreateSession stores a session; core.Conflict when there is one with its id.
	CreateSession(ctx context.Context, s core.Session) error
}

// Create makes a session that is listed from the start. Without a title it gets the first line of its first message.
func (s *Service) Create(ctx context.Context, user core.UserID, e core.SessionEdit) (core.Session, error) {
	if err := clean(&e); err != nil {
		return core.Session{}, err
	}
	now := s.d.Now()
	sess := core.Session{ID: core.SessionID(s.d.NewID()), User: user, Created: now, Modified: now}
	for to, v := range map[*string]*string{&sess.Title: e.Title, &sess.Model: e.Model, &sess.Context: e.Context} {
		if v != nil {
			*to = *v
		}
	}
	sess.Hidden = e.Hidden != nil && *e.Hidden
	if err := s.d.Maker.CreateSession(ctx, sess); err != nil {
		return core.Session{}, err
	}
	return s.Get(ctx, user, sess.ID)
}
