package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"

	"jarvis/core"
	"jarvis/daemon/api"
)

// handler is what the routes are made of: an error becomes the envelope, unless the answer has begun.
type handler func(http.ResponseWriter, *http.Request) error

// answer remembers whether a response has begun, and carries the request's id to where an error is written.
type answer struct {
	http.ResponseWriter
	id    string
	begun bool
	told  []core.Audit // what was written down of this request
}

func (a *answer) WriteHeader(status int) {
	if status >= 200 {
		a.begun = true
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	a.begun = true
	return a.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController find the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// wrap is the outermost layer: version and id on every response, and a panic of one handler is one failed request.
func (s *Server) wrap(next http.Handler) http.Handler {
	version := api.Version()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		a := &answer{ResponseWriter: w, id: uuid.NewString()}
		h := w.Header()
		h.Set(api.VersionHeader, version)
		h.Set(api.RequestIDHeader, a.id)
		s.compareVars(h, r.Header.Get(api.VarsHeader))
		defer func() {
			p := recover()
			if p == nil {
				s.c.Log.Debug("Request", "id", a.id, "method", r.Method, "path", r.URL.Path, "ms", time.Since(start).Milliseconds())
				return
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // net/http's own sentinel arrives as the value itself
				panic(p)
			}
			s.c.Log.Error("Handler panicked", "id", a.id, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			if a.begun {
				panic(http.ErrAbortHandler) // cut the connection: an answer that ends early must not look complete
			}
			s.fail(a, r, core.E(core.Internal, "the daemon failed on this request", "jarvis daemon logs", nil))
		}()
		next.ServeHTTP(a, r)
	})
}

func (s *Server) handle(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.undone(w, r, err)
			s.fail(w, r, err)
		}
	})
}

// fail writes the envelope, or cuts the connection when the answer has begun.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	a, ok := w.(*answer)
	if !ok {
		a = &answer{ResponseWriter: w}
	}
	e := public(err)
	level := slog.LevelDebug
	if e.Code == core.Internal || e.Code == core.StoreDamaged {
		level = slog.LevelError
	}
	s.c.Log.Log(r.Context(), level, "Request failed", "id", a.id, "method", r.Method, "path", r.URL.Path, "code", e.Code, "error", cause(err))
	if a.begun {
		panic(http.ErrAbortHandler)
	}
	status := api.StatusOf(e.Code)
	a.Header().Del("Content-Length")
	_ = writeJSON(a, status, api.Envelope{Error: api.ErrorBody{ //nolint:errcheck // nobody is left to tell
		Code: e.Code, Message: e.Message, Status: status, RequestID: a.id, Hint: e.Hint,
	}})
}

// public is what a caller may know of an error: its sentence when it has one, never the cause.
func public(err error) *core.Error {
	var e *core.Error
	if errors.As(err, &e) {
		return e
	}
	var big *http.MaxBytesError
	if errors.As(err, &big) {
		return tooLarge("the request", big.Limit)
	}
	return core.E(core.Internal, "the daemon failed on this request", "jarvis daemon logs", err)
}

func cause(err error) string {
	var e *core.Error
	if errors.As(err, &e) && e.Err != nil {
		return err.Error() + ": " + e.Err.Error()
	}
	return err.Error()
}

// envelopes puts the mux's own plain-text 404 and 405 into the envelope.
func (s *Server) envelopes(mux *http.ServeMux) http.Handler {
	return s.handle(func(w http.ResponseWriter, r *http.Request) error {
		h, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return nil
		}
		probe := &probe{header: http.Header{}}
		h.ServeHTTP(probe, r)
		if probe.status != http.StatusMethodNotAllowed {
			return core.E(core.NotFound, "there is no "+clip(r.URL.Path), "", nil)
		}
		allow := probe.header.Get("Allow")
		w.Header().Set("Allow", allow)
		return core.E(core.MethodNotAllowed, clip(r.URL.Path)+" takes "+allow+", not "+clip(r.Method), "", nil)
	})
}

// probe takes an answer to look at its status.
type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header         { return p.header }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
func (p *probe) WriteHeader(status int)      { p.status = status }

// clip makes a caller's own words fit to be repeated.
func clip(v string) string {
	const most = 80
	v = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, v)
	if len(v) > most {
		v = strings.ToValidUTF8(v[:most], "") + "…"
	}
	return v
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout)) //nolint:errcheck // a test's recorder has none
	w.WriteHeader(status)
	_, err := w.Write(b.Bytes())
	if err != nil {
		return nil //nolint:nilerr // the caller has gone
	}
	return nil
}

// compareVars tells a caller which provider variables its shell has and the daemon has not: names only.
func (s *Server) compareVars(h http.Header, names string) {
	if names == "" {
		return
	}
	have := map[string]bool{}
	for _, v := range s.c.Vars {
		have[v] = true
	}
	var missing []string
	for _, n := range strings.Split(names, ",") {
		if n != "" && !have[n] && len(missing) < 20 {
			missing = append(missing, clip(n))
		}
	}
	if len(missing) > 0 {
		h.Set(api.VarsHeader, strings.Join(missing, ","))
	}
}
