package server

import (
	"net/http"
	"sync/atomic"
	"time"
)

// usage knows whether anybody needs the daemon.
type usage struct {
	active atomic.Int64
	last   atomic.Int64 // Unix nanoseconds of the last request's end
}

func (u *usage) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.active.Add(1)
		defer func() {
			u.last.Store(time.Now().UnixNano())
			u.active.Add(-1)
		}()
		next.ServeHTTP(w, r)
	})
}

// Idle is how long no request on the socket has been open, since at the earliest; 0 while one is.
func (s *Server) Idle(since time.Time) time.Duration {
	if s.usage.active.Load() > 0 {
		return 0
	}
	if last := time.Unix(0, s.usage.last.Load()); last.After(since) {
		since = last
	}
	return time.Since(since)
}
