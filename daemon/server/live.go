package server

import (
	"context"
	"iter"
	"net/http"

	"jarvis/core"
	"jarvis/core/live"
	"jarvis/daemon/api"
)

// Live gives the events of all chains of a session, as they come, after a place ("" = from the first on); an event without a
// type says that there is nothing more for now. It ends when the session is erased. Another user's is core.NotFound.
type Live interface {
	Events(ctx context.Context, user core.UserID, id core.SessionID, after string) iter.Seq2[core.Event, error]
}

// Streaming tells which chains of a user run now, without private ones.
type Streaming interface {
	Streaming(user core.UserID) []core.Chain
}

// liveRoutes are what screens follow.
func (s *Server) liveRoutes() map[string]handler {
	return map[string]handler{api.RouteEvents: s.changes, api.RouteSessionEvents: s.sessionEvents, api.RouteStreaming: s.streaming}
}

// sessionEvents gives every event of a session since Last-Event-ID (or ?after=).
// Who only looks on does not keep the daemon from ending: a chain that runs does.
func (s *Server) sessionEvents(w http.ResponseWriter, r *http.Request) error {
	s.usage.active.Add(-1)
	defer s.usage.active.Add(1)
	found, err := s.found(r)
	if err != nil {
		return err
	}
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = r.URL.Query().Get("after")
	}
	st := &stream{c: core.Chain{Session: found.ID}, id: live.PlaceOf}
	return s.stream(w, r, st, func(ctx context.Context) iter.Seq2[core.Event, error] {
		return s.c.Live.Events(ctx, user(r), found.ID, after)
	})
}

func (s *Server) streaming(w http.ResponseWriter, r *http.Request) error {
	var out []api.Streaming
	for _, c := range s.c.Streaming.Streaming(user(r)) {
		out = append(out, api.Streaming{Session: c.Session, Chain: c.ID, Agent: c.Agent, Created: c.Created})
	}
	return list(w, out, "")
}
