package server

import (
	"context"
	"net/http"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Windows tells what fills a model's window and takes summaries back; another user's session is core.NotFound.
type Windows interface {
	Window(ctx context.Context, user core.UserID, id core.SessionID) (core.Window, error)
	UndoSummary(ctx context.Context, user core.UserID, id core.SessionID) (core.Summary, error)
}

// windowRoutes are what a session's next request holds.
func (s *Server) windowRoutes() map[string]handler {
	return map[string]handler{api.RouteSessionWindow: s.window, api.RouteSummaryUndo: s.undoSummary}
}

func (s *Server) window(w http.ResponseWriter, r *http.Request) error {
	found, err := s.found(r)
	if err != nil {
		return err
	}
	win, err := s.c.Windows.Window(r.Context(), user(r), found.ID)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, win)
}

func (s *Server) undoSummary(w http.ResponseWriter, r *http.Request) error {
	found, err := s.found(r)
	if err != nil {
		return err
	}
	if err := s.audited(w, r, "summary.undo", string(found.ID), nil); err != nil {
		return err
	}
	sum, err := s.c.Windows.UndoSummary(r.Context(), user(r), found.ID)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, sum)
}
