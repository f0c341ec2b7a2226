package server

import (
	"context"
	"iter"
	"net/http"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Changes tells of changes that are no session's: the state after a place ("" = whatever it is), then each new one; of several
// that came while nobody read only the last. An event without a type says that there is nothing more to tell for now.
type Changes interface {
	Events(ctx context.Context, after string) iter.Seq2[core.Event, error]
}

// changes streams to a screen what it must know of. Who only looks on does not keep the daemon from ending.
func (s *Server) changes(w http.ResponseWriter, r *http.Request) error {
	s.usage.active.Add(-1)
	defer s.usage.active.Add(1)
	after := r.Header.Get("Last-Event-ID")
	if len(after) > 100 {
		return core.E(core.BadRequest, "Last-Event-ID must be the id of an event of this stream", "", nil)
	}
	return s.stream(w, r, &stream{id: changeID}, func(ctx context.Context) iter.Seq2[core.Event, error] {
		return s.c.Changes.Events(ctx, after)
	})
}

// changeID is where a reader stands who has seen an event.
func changeID(e core.Event) string {
	var d api.StateChange
	_ = e.Detail(&d) //nolint:errcheck // it is our own
	return d.Digest
}
