// Package llmtest is a scripted provider for tests and benchmarks of any package: one server that speaks OpenAI's chat
// completions, Anthropic's messages and Ollama's chat, and refuses what the real ones refuse. It answers by a script, which is
// chosen by the model's name (see Named) or given in Options. It is never linked into a program that people run.
package llmtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options make a server.
type Options struct {
	Key     string            // the only key that is accepted; "" = any
	Models  []string          // the only models that exist; nil = every name that does not begin with "missing"
	Scripts map[string]Script // by model; others answer by Named, and what that does not know echoes
	Lists   int               // status of the model lists; 0 = 200
}

// Recorded is one request as it came in.
type Recorded struct {
	Path   string
	Header http.Header
	Body   []byte
	Model  string
	Gone   bool // the client hung up before the answer's end
}

// Server is a running scripted provider.
type Server struct {
	URL string // without a path

	o    Options
	mux  *http.ServeMux
	http *httptest.Server

	mu        sync.Mutex // guards everything below
	requests  []*Recorded
	counts    map[string]int // requests answered by model, for Script.Next
	installed []string       // Ollama's models
	done      chan struct{}  // closed when a recorded request changes; replaced
	stop      chan struct{}
}

// Cleaner is what New needs of a testing.TB.
type Cleaner interface{ Cleanup(func()) }

// New starts a server that ends with the test.
func New(t Cleaner, o Options) *Server {
	s := newServer(o)
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL
	t.Cleanup(func() {
		close(s.stop)
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// Handler gives the provider as a handler, for programs that serve it themselves.
func Handler(o Options) http.Handler { return newServer(o) }

// Serve serves on addr until ctx ends and tells the address it got by ready (which may be nil).
func Serve(ctx context.Context, addr string, o Options, ready func(addr string)) error {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("serve scripted provider: %w", err)
	}
	if ready != nil {
		ready(ln.Addr().String())
	}
	s := newServer(o)
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() {
		close(s.stop)
		srv.Close() //nolint:errcheck,gosec // it is over either way
	})
	defer stop()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve scripted provider: %w", err)
	}
	return nil
}

func newServer(o Options) *Server {
	s := &Server{o: o, counts: map[string]int{}, done: make(chan struct{}), stop: make(chan struct{})}
	s.installed = slices.Clone(o.Models)
	if s.installed == nil {
		s.installed = []string{"llama3.1:8b", "nomic-embed-text:latest", "echo:latest"}
	}
	s.mux = http.NewServeMux()
	s.mux.HandleFunc("POST /v1/chat/completions", s.openai)
	s.mux.HandleFunc("POST /chat/completions", s.openai)
	s.mux.HandleFunc("POST /v1/messages", s.anthropic)
	s.mux.HandleFunc("GET /v1/models", s.models)
	s.mux.HandleFunc("GET /models", s.models)
	s.mux.HandleFunc("POST /api/chat", s.ollama)
	s.mux.HandleFunc("GET /api/tags", s.tags)
	s.mux.HandleFunc("POST /api/show", s.show)
	s.mux.HandleFunc("POST /api/pull", s.pull)
	s.mux.HandleFunc("DELETE /api/delete", s.remove)
	s.mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 200, map[string]string{"version": "0.17.4"})
	})
	return s
}

// maxRequest bounds what a request may hold, in bytes.
const maxRequest = 128 << 20

// ServeHTTP records and answers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mux.ServeHTTP(w, r)
}

// record reads and keeps a request.
func (s *Server) record(r *http.Request) (*Recorded, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return nil, err
	}
	rec := &Recorded{Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	s.mu.Lock()
	s.requests = append(s.requests, rec)
	s.mu.Unlock()
	return rec, nil
}

// name notes a request's model.
func (s *Server) name(rec *Recorded, model string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec.Model = model
}

// Requests gives copies of the requests for answers so far, in order.
func (s *Server) Requests() []Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Recorded, len(s.requests))
	for i, r := range s.requests {
		out[i] = *r
	}
	return out
}

// Last gives the newest request; the zero value when there is none.
func (s *Server) Last() Recorded {
	all := s.Requests()
	if len(all) == 0 {
		return Recorded{}
	}
	return all[len(all)-1]
}

// WaitGone waits until the client of some request has hung up before its answer's end; false after ten seconds.
func (s *Server) WaitGone() bool {
	deadline := time.After(10 * time.Second)
	for {
		s.mu.Lock()
		gone := slices.ContainsFunc(s.requests, func(r *Recorded) bool { return r.Gone })
		changed := s.done
		s.mu.Unlock()
		if gone {
			return true
		}
		select {
		case <-changed:
		case <-deadline:
			return false
		}
	}
}

// finish notes how a request ended.
func (s *Server) finish(rec *Recorded, gone bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec.Gone = gone
	close(s.done)
	s.done = make(chan struct{})
}

// exists reports whether a model is there.
func (s *Server) exists(model string) bool {
	if s.o.Models == nil {
		return model != "" && !strings.HasPrefix(model, "missing")
	}
	_, scripted := s.o.Scripts[model]
	return scripted || slices.Contains(s.o.Models, model)
}

// script chooses what a request gets. rounds is how many tool results came since the user's last text.
func (s *Server) script(model, user string, rounds int) Script {
	sc, ok := s.o.Scripts[model]
	if !ok {
		sc, ok = Named(model)
	}
	if !ok {
		sc = Script{}
	}
	s.mu.Lock()
	n := s.counts[model]
	s.counts[model]++
	s.mu.Unlock()
	if len(sc.Next) > 0 && n > 0 {
		sc = sc.Next[min(n, len(sc.Next))-1]
	}
	for range rounds {
		if sc.Then == nil {
			break
		}
		sc = *sc.Then
	}
	return sc.filled(user, rounds)
}

// models is OpenAI's list and, for a client that names its version, Anthropic's.
func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	anthropic := r.Header.Get("Anthropic-Version") != ""
	fail := openaiError
	if anthropic {
		fail = anthropicError
	}
	if !s.authorized(r) {
		fail(w, 401, "", "")
		return
	}
	if s.o.Lists >= 400 {
		fail(w, s.o.Lists, "", "")
		return
	}
	names := s.o.Models
	if names == nil {
		names = []string{"echo", "reason", "call-time", "text-200"}
	}
	var data []map[string]any
	for _, n := range names {
		if anthropic {
			data = append(data, map[string]any{"type": "model", "id": n, "display_name": n, "created_at": "2026-01-01T00:00:00Z"})
		} else {
			data = append(data, map[string]any{"id": n, "object": "model", "created": 1, "owned_by": "llmtest"})
		}
	}
	if anthropic {
		writeJSON(w, 200, map[string]any{"data": data, "has_more": false, "first_id": names[0], "last_id": names[len(names)-1]})
		return
	}
	writeJSON(w, 200, map[string]any{"object": "list", "data": data})
}

// authorized reports whether a request brings the key.
func (s *Server) authorized(r *http.Request) bool {
	key := r.Header.Get("X-Api-Key")
	if b, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		key = b
	}
	if s.o.Key != "" {
		return key == s.o.Key
	}
	return key != ""
}
