package session

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"jarvis/core"
)

// Editor keeps what people change of sessions and messages. Every method is one transaction; another user's is core.NotFound.
type Editor interface {
	EditSession(ctx context.Context, user core.UserID, id core.SessionID, e core.SessionEdit) (core.Session, error)
	HideMessage(ctx context.Context, user core.UserID, id core.MessageID, deleted bool) (core.Message, error)
}

// The bounds of what people write, in bytes.
const (
	maxTitle = 200
	maxModel = 4096
)

// Edit changes a session's title, model or context, or keeps one that `ask` made.
func (s *Service) Edit(ctx context.Context, user core.UserID, id core.SessionID, e core.SessionEdit) (core.Session, error) {
	if err := clean(&e); err != nil {
		return core.Session{}, err
	}
	return s.d.Editor.EditSession(ctx, user, id, e)
}

// goodTitle is a title that a person wrote, without the spaces around it.
func goodTitle(t string) (string, error) {
	t = strings.TrimSpace(t)
	if t == "" || len(t) > maxTitle || !utf8.ValidString(t) || strings.ContainsFunc(t, unicode.IsControl) {
		return "", core.E(core.BadRequest, "a title is one line of at most 200 bytes", "jarvis session edit --help", nil)
	}
	return t, nil
}

// HideMessage takes a message out of sight and out of what models are sent, or back. It stays in the store.
func (s *Service) HideMessage(ctx context.Context, user core.UserID, id core.MessageID, deleted bool) (core.Message, error) {
	return s.d.Editor.HideMessage(ctx, user, id, deleted)
}

// clean checks what people write, and trims it.
func clean(e *core.SessionEdit) error {
	if e.Title != nil {
		t, err := goodTitle(*e.Title)
		if err != nil {
			return err
		}
		e.Title = &t
	}
	if e.Model != nil && (len(*e.Model) > maxModel || !utf8.ValidString(*e.Model) || strings.ContainsFunc(*e.Model, unicode.IsControl)) {
		return core.E(core.BadRequest, "this is not the name of a model", "jarvis model list", nil)
	}
	if e.Context != nil {
		c := strings.TrimSpace(*e.Context)
		switch {
		case len(c) > core.MaxContext:
			return core.E(core.TooLarge, fmt.Sprintf("the context has %d bytes, the limit is %d", len(c), core.MaxContext), "jarvis session edit --help", nil)
		case !utf8.ValidString(c) || strings.IndexByte(c, 0) >= 0:
			return core.E(core.BadRequest, "the context is not text", "jarvis session edit --help", nil)
		}
		e.Context = &c
	}
	return nil
}
