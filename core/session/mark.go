package session

import (
	"context"
	"slices"

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

// AllMarked gives the marked messages of a session that people have not deleted, in order: what travels with a new message. Of
// more than one page (an imported session may have any number) it is the newest.
func (s *Service) AllMarked(ctx context.Context, id core.SessionID) ([]core.Message, error) {
	ms, _, err := s.d.Marker.Marked(ctx, id, core.Page{Limit: maxMarked, Backward: true})
	return slices.DeleteFunc(ms, func(m core.Message) bool { return m.Deleted }), err
}

// Message reads one message of a user.
func (s *Service) Message(ctx context.Context, user core.UserID, id core.MessageID) (core.Message, error) {
	return s.d.Marker.Message(ctx, user, id)
}
