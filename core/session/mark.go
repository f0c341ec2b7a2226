package session

import (
	"context"

	"jarvis/core"
)

// maxMarked bounds the marked messages of a session: all of them are looked at for each new message.
const maxMarked = 100

// Marker keeps marks. Every method is one transaction; another user's message is core.NotFound.
type Marker interface {
	// MarkMessage marks a message or takes the mark away; core.Conflict while its chain is open, core.RateLimited when the
	// session has most marked messages already.
	MarkMessage(ctx context.Context, user core.UserID, id core.MessageID, marked bool, most int) (core.Message, error)
	// Marked pages through a session's marked messages in order, the archived ones too.
	Marked(ctx context.Context, s core.SessionID, p core.Page) ([]core.Message, core.Cursor, error)
	Message(ctx context.Context, user core.UserID, id core.MessageID) (core.Message, error)
}

// Mark marks a message as important, so that it goes with each later message of its session, or takes the mark away.
func (s *Service) Mark(ctx context.Context, user core.UserID, id core.MessageID, marked bool) (core.Message, error) {
	return s.d.Marker.MarkMessage(ctx, user, id, marked, maxMarked)
}

// Marked pages through a session's marked messages. The caller has found the session for its user.
func (s *Service) Marked(ctx context.Context, id core.SessionID, p core.Page) ([]core.Message, core.Cursor, error) {
	return s.d.Marker.Marked(ctx, id, p)
}

// AllMarked gives every marked message of a session that people have not deleted: what travels with a new message.
func (s *Service) AllMarked(ctx context.Context, id core.SessionID) ([]core.Message, error) {
	var out []core.Message
	for p := (core.Page{Limit: maxMarked}); ; {
		ms, next, err := s.d.Marker.Marked(ctx, id, p)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if !m.Deleted {
				out = append(out, m)
			}
		}
		if p.After = next; next == "" {
			return out, nil
		}
	}
}

// Message reads one message of a user.
func (s *Service) Message(ctx context.Context, user core.UserID, id core.MessageID) (core.Message, error) {
	return s.d.Marker.Message(ctx, user, id)
}
