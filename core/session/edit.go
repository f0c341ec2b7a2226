package session

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"jarvis/core"
)

// Editor keeps what people change of sessions and messages. Every method is one transaction; another user's is core.NotFound.
type Editor interface {
	EditSession(ctx context.Context, user core.UserID, id core.SessionID, e core.SessionEdit) (core.Session, error)
	EditMessage(ctx context.Context, user core.UserID, id core.MessageID, e core.MessageEdit) (core.Message, error)
}

// The bounds of what people write, in bytes.
const (
	maxTitle = 200
	maxModel = 4096
)

// Edit changes a session's title or model, or keeps one that `ask` made. The other fields come with agents and workspaces and
// are core.Unsupported.
func (s *Service) Edit(ctx context.Context, user core.UserID, id core.SessionID, e core.SessionEdit) (core.Session, error) {
	if e.Agent != nil || e.Workspace != nil || e.Context != nil || e.Reviewer != nil || e.Rounds != nil || e.Pinned != nil {
		return core.Session{}, core.E(core.Unsupported, "of a session, only the title, the model and hidden can be changed in this version",
			"jarvis session edit --help", nil)
	}
	if e.Title != nil {
		t := strings.TrimSpace(*e.Title)
		if t == "" || len(t) > maxTitle || !utf8.ValidString(t) || strings.ContainsFunc(t, unicode.IsControl) {
			return core.Session{}, core.E(core.BadRequest, "a title is one line of at most 200 bytes", "jarvis session edit --help", nil)
		}
		e.Title = &t
	}
	if e.Model != nil && (len(*e.Model) > maxModel || !utf8.ValidString(*e.Model) || strings.ContainsFunc(*e.Model, unicode.IsControl)) {
		return core.Session{}, core.E(core.BadRequest, "this is not the name of a model", "jarvis model list", nil)
	}
	return s.d.Editor.EditSession(ctx, user, id, e)
}

// EditMessage takes a message out of sight and out of what models are sent, or back. It stays in the store.
func (s *Service) EditMessage(ctx context.Context, user core.UserID, id core.MessageID, e core.MessageEdit) (core.Message, error) {
	return s.d.Editor.EditMessage(ctx, user, id, e)
}
