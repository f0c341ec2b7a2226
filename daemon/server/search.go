package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"jarvis/core"
	"jarvis/core/search"
	"jarvis/daemon/api"
)

// Searcher finds messages.
type Searcher interface {
	Search(ctx context.Context, user core.UserID, q core.Query, limit int, after core.Cursor) (core.Hits, error)
}

func (s *Server) searchRoutes() map[string]handler {
	return map[string]handler{api.RouteSearch: s.search}
}

func (s *Server) search(w http.ResponseWriter, r *http.Request) error {
	p, err := page(r)
	if err != nil {
		return err
	}
	zone, err := zone(r)
	if err != nil {
		return err
	}
	q, err := search.Parse(r.URL.Query().Get("q"), time.Now(), zone)
	if err != nil {
		return err
	}
	if q.Typed != "" {
		found, err := s.c.Sessions.Find(r.Context(), user(r), q.Typed)
		if err != nil {
			return err
		}
		q.Session = found.ID
	}
	hits, err := s.c.Search.Search(r.Context(), user(r), q.Query, p.Limit, p.After)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, hits)
}

// zone is the caller's: a day begins where the person is.
func zone(r *http.Request) (*time.Location, error) {
	v := r.URL.Query().Get("offset")
	if v == "" {
		return time.Local, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < -24*3600 || n > 24*3600 {
		return nil, core.E(core.BadRequest, "offset is the distance from UTC in seconds", "", err)
	}
	return time.FixedZone("", n), nil
}
