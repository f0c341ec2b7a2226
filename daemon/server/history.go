package server

import (
	"context"
	"net/http"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Editor changes sessions and messages; another user's are core.NotFound.
type Editor interface {
	Edit(ctx context.Context, user core.UserID, id core.SessionID, e core.SessionEdit) (core.Session, error)
	HideMessage(ctx context.Context, user core.UserID, id core.MessageID, deleted bool) (core.Message, error)
}

// historyRoutes are sessions as people change them, and seed 001's history.
func (s *Server) historyRoutes() map[string]handler {
	return map[string]handler{api.RouteSessionEdit: s.editSession, api.RouteMessageDelete: s.deleteMessage}
}

func (s *Server) editSession(w http.ResponseWriter, r *http.Request) error {
	found, err := s.found(r)
	if err != nil {
		return err
	}
	var e core.SessionEdit
	if err := decode(w, r, smallBody, &e); err != nil {
		return err
	}
	changed, err := s.c.Editor.Edit(r.Context(), user(r), found.ID, e)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, changed)
}

func (s *Server) deleteMessage(w http.ResponseWriter, r *http.Request) error {
	var body api.MessageDelete
	if r.ContentLength != 0 {
		if err := decode(w, r, smallBody, &body); err != nil {
			return err
		}
	}
	id, deleted := core.MessageID(r.PathValue("id")), body.Deleted == nil || *body.Deleted
	if err := s.audited(w, r, "message.delete", string(id), map[string]any{"deleted": deleted}); err != nil {
		return err
	}
	m, err := s.c.Editor.HideMessage(r.Context(), user(r), id, deleted)
	if err != nil {
		return err
	}
	m.Opaque = nil // a provider's own data is for that provider
	return writeJSON(w, http.StatusOK, m)
}
