package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"jarvis/core"
)

// Audit keeps what was done. What it returns an error for is not done.
type Audit interface {
	Write(ctx context.Context, a core.Audit) error
}

// viaSocket is where requests come from.
const viaSocket = "socket"

// audited writes down what a handler is about to do, before it does it. When the handler fails after that, a second line of the
// same request says so. Details hold no secrets, prompts or answers.
func (s *Server) audited(w http.ResponseWriter, r *http.Request, action, target string, details map[string]any) error {
	if s.c.Audit == nil {
		return nil
	}
	line := core.Audit{Action: action, User: user(r), Via: viaSocket, Target: target, OK: true, Details: details}
	a, ok := w.(*answer)
	if ok {
		line.Request = a.id
	}
	if err := s.c.Audit.Write(r.Context(), line); err != nil {
		return err
	}
	if ok {
		a.told = append(a.told, line)
	}
	return nil
}

// undone says of what was written down that it failed. The request's context may be what has ended.
func (s *Server) undone(w http.ResponseWriter, r *http.Request, err error) {
	a, ok := w.(*answer)
	if !ok || len(a.told) == 0 {
		return
	}
	for _, line := range a.told {
		line.OK, line.Details = false, map[string]any{"code": public(err).Code}
		if err := s.c.Audit.Write(context.WithoutCancel(r.Context()), line); err != nil {
			s.c.Log.Error("A failure could not be written into the audit file", "action", line.Action, "error", err)
		}
	}
	a.told = nil
}

// refusals bounds how many lines a caller without a token can make: one a second, with a number of those between.
type refusals struct {
	mu    sync.Mutex
	last  time.Time
	quiet int
}

const refusalEvery = time.Second

// refuse writes down that somebody without the right token, or of another uid, was turned away.
func (s *Server) refuse(r *http.Request, why string, uid int) {
	if s.c.Audit == nil {
		return
	}
	f := &s.refusals
	f.mu.Lock()
	now := time.Now()
	if now.Sub(f.last) < refusalEvery {
		f.quiet++
		f.mu.Unlock()
		return
	}
	details := map[string]any{"why": why, "uid": uid, "method": clip(r.Method)}
	if f.quiet > 0 {
		details["others_since"] = f.quiet
	}
	f.last, f.quiet = now, 0
	f.mu.Unlock()
	line := core.Audit{Action: "token.refused", Via: viaSocket, Target: clip(r.URL.Path), Details: details}
	if err := s.c.Audit.Write(context.WithoutCancel(r.Context()), line); err != nil {
		s.c.Log.Error("A refused caller could not be written into the audit file", "error", err)
	}
}
