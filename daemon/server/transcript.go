package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Transcripts copies sessions and turns them into files and back; another user's are core.NotFound.
type Transcripts interface {
	Fork(ctx context.Context, user core.UserID, id core.SessionID, f api.SessionFork) (core.Session, error)
	// Export writes nothing before it knows that it can.
	Export(ctx context.Context, user core.UserID, id core.SessionID, e Exporting, w io.Writer) error
	// Import makes a session of a file, whole or not at all.
	Import(ctx context.Context, user core.UserID, r io.Reader) (api.SessionImported, error)
}

// Exporting says how a session is written.
type Exporting struct {
	Format        string // md, json or html
	NoAttachments bool
	Lang          string
}

// transcriptRoutes copy sessions, and turn them into files and back.
func (s *Server) transcriptRoutes() map[string]handler {
	return map[string]handler{
		api.RouteSessionFork: s.forkSession, api.RouteSessionExport: s.exportSession, api.RouteSessionImport: s.importSession,
	}
}

func (s *Server) forkSession(w http.ResponseWriter, r *http.Request) error {
	found, err := s.found(r)
	if err != nil {
		return err
	}
	var body api.SessionFork
	if r.ContentLength != 0 {
		if err := decode(w, r, smallBody, &body); err != nil {
			return err
		}
	}
	if err := s.audited(w, r, "session.fork", string(found.ID), nil); err != nil {
		return err
	}
	ctx, cancel := s.untilStopping(r.Context())
	defer cancel()
	copied, err := s.c.Transcripts.Fork(ctx, user(r), found.ID, body)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, copied)
}

func (s *Server) exportSession(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	e := Exporting{Format: q.Get("format"), Lang: q.Get("lang")}
	if e.Format == "" {
		e.Format = "md"
	}
	if v := q.Get("attachments"); v != "" && !truthy(v) {
		e.NoAttachments = true
	}
	found, err := s.found(r)
	if err != nil {
		return err
	}
	if err := s.audited(w, r, "session.export", string(found.ID), map[string]any{"format": clip(e.Format)}); err != nil {
		return err
	}
	ctx, cancel := s.untilStopping(r.Context())
	defer cancel()
	h := w.Header()
	name := fmt.Sprintf("jarvis-%s.%s", core.Short(string(found.ID)), e.Format)
	begin := func() {
		h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
		h.Set("Content-Security-Policy", "sandbox")
	}
	// An error after the first byte cuts the connection, so that what was sent is not taken for the whole.
	return s.c.Transcripts.Export(ctx, user(r), found.ID, e, &download{w: w, kind: api.ExportType(e.Format), begin: begin})
}

func (s *Server) importSession(w http.ResponseWriter, r *http.Request) error {
	limit := s.c.Limits().Import
	if r.ContentLength > limit {
		return tooLarge("the file", limit)
	}
	if r.ContentLength == 0 {
		return core.E(core.BadRequest, "the file is empty", "jarvis session export --help", nil)
	}
	if err := s.audited(w, r, "session.import", "", map[string]any{"bytes": r.ContentLength}); err != nil {
		return err
	}
	ctx, cancel := s.untilStopping(r.Context())
	defer cancel()
	made, err := s.c.Transcripts.Import(ctx, user(r), http.MaxBytesReader(inner(w), r.Body, limit))
	if big := (*http.MaxBytesError)(nil); errors.As(err, &big) {
		return tooLarge("the file", limit)
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, made)
}

// untilStopping gives a context that also ends when the daemon does.
func (s *Server) untilStopping(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if s.c.Stopping == nil {
		return ctx, func() { cancel(nil) }
	}
	done := make(chan struct{})
	go func() {
		select {
		case <-s.c.Stopping:
			cancel(errors.New("the daemon is stopping"))
		case <-done:
		}
	}()
	return ctx, func() { close(done); cancel(nil) }
}
