package server

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Notes marks messages, makes sessions and finds what hangs on messages; another user's are core.NotFound.
type Notes interface {
	Create(ctx context.Context, user core.UserID, e core.SessionEdit) (core.Session, error)
	Mark(ctx context.Context, user core.UserID, id core.MessageID, marked bool) (core.Message, error)
	Marked(ctx context.Context, s core.SessionID, p core.Page) ([]core.Message, core.Cursor, error)
	// Attachment finds a file by its digest, or by its message and place.
	Attachment(ctx context.Context, user core.UserID, id string) (core.Attachment, error)
	// News gives what a session has after a position, and waits for it that long; without a position it gives the present one.
	News(ctx context.Context, s core.SessionID, after core.Cursor, wait time.Duration) ([]core.Message, core.Cursor, bool, error)
}

// readRoutes are the rest of seed 001's history, and new sessions.
func (s *Server) readRoutes() map[string]handler {
	return map[string]handler{
		api.RouteSessionNew:   s.newSession,
		api.RouteHistory:      s.history,
		api.RoutePoll:         s.poll,
		api.RouteHistoryChain: s.readChain,
		api.RouteAttachment:   s.attachment,
		api.RouteMessageMark:  s.markMessage,
	}
}

// named reads the session that was typed in a body or a query.
func (s *Server) named(r *http.Request, id string) (core.Session, error) {
	if id == "" {
		return core.Session{}, core.E(core.BadRequest, "session_id names the session", "jarvis session list --all", nil)
	}
	if !core.HexDigits(id) {
		return core.Session{}, core.E(core.NotFound, "there is no session "+clip(id), "jarvis session list --all", nil)
	}
	return s.c.Sessions.Find(r.Context(), user(r), id)
}

// asked reads the session of a query, in our spelling or seed 001's.
func (s *Server) asked(r *http.Request) (core.Session, error) {
	q := r.URL.Query()
	id := q.Get("session_id")
	if id == "" {
		id = q.Get("sessionId")
	}
	return s.named(r, id)
}

func (s *Server) newSession(w http.ResponseWriter, r *http.Request) error {
	var body api.SessionNew
	if r.ContentLength != 0 {
		if err := decode(w, r, smallBody, &body); err != nil {
			return err
		}
	}
	var e core.SessionEdit
	for to, v := range map[**string]*string{&e.Title: &body.Title, &e.Model: &body.Model, &e.Context: &body.Context} {
		if *v != "" {
			*to = v
		}
	}
	made, err := s.c.Notes.Create(r.Context(), user(r), e)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, made)
}

func (s *Server) history(w http.ResponseWriter, r *http.Request) error {
	p, err := page(r)
	if err != nil {
		return err
	}
	if p.View, err = view(r); err != nil {
		return err
	}
	found, err := s.asked(r)
	if err != nil {
		return err
	}
	read := s.c.Sessions.Messages
	if truthy(r.URL.Query().Get("marked")) {
		read = s.c.Notes.Marked
	}
	ms, next, err := read(r.Context(), found.ID, p)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, messageList(ms, next))
}

// view reads which messages a listing has.
func view(r *http.Request) (core.View, error) {
	switch v := core.View(r.URL.Query().Get("view")); v {
	case core.ViewLive, core.ViewAll:
		return v, nil
	}
	return "", core.E(core.BadRequest, "view is all, or is left out", "", nil)
}

// messageList is a page of messages without what is for providers only.
func messageList(ms []core.Message, next core.Cursor) api.List[core.Message] {
	if ms == nil {
		ms = []core.Message{}
	}
	for i := range ms {
		ms[i].Opaque = nil // a provider's own data is for that provider
	}
	return api.List[core.Message]{Items: ms, NextCursor: next}
}

func (s *Server) poll(w http.ResponseWriter, r *http.Request) error {
	wait := 0
	if v := r.URL.Query().Get("wait"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			return core.E(core.BadRequest, "wait must be a whole number of seconds", "", nil)
		}
		wait = min(n, int(api.MaxPoll/time.Second))
	}
	found, err := s.asked(r)
	if err != nil {
		return err
	}
	ctx, cancel := s.untilStopping(r.Context())
	defer cancel()
	ms, at, running, err := s.c.Notes.News(ctx, found.ID, core.Cursor(r.URL.Query().Get("after")), time.Duration(wait)*time.Second)
	switch {
	case r.Context().Err() != nil:
		return nil // the reader has gone
	case ctx.Err() != nil:
		return core.E(core.UpstreamUnavailable, "the daemon is stopping", "jarvis daemon start", nil)
	case err != nil:
		return err
	}
	return writeJSON(w, http.StatusOK, api.News{Items: messageList(ms, "").Items, Position: at, Running: running})
}

func (s *Server) readChain(w http.ResponseWriter, r *http.Request) error {
	p, err := page(r)
	if err != nil {
		return err
	}
	c, err := s.owned(r, core.ChainID(r.PathValue("id")))
	if err != nil {
		return err
	}
	p.View, p.From, p.Through = core.ViewAll, c.Pos, c.Pos
	ms, next, err := s.c.Sessions.Messages(r.Context(), c.Session, p)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, api.ChainRead{Chain: c, List: messageList(ms, next)})
}

// attachment sends a file as something to be kept, never as something to be shown in the daemon's name.
func (s *Server) attachment(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	a, err := s.c.Notes.Attachment(r.Context(), user(r), id)
	if err != nil {
		return err
	}
	body, err := s.c.Blobs.Get(r.Context(), a.Digest)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // only read
	h := w.Header()
	h.Set("Content-Type", a.MediaType)
	h.Set("Content-Length", strconv.FormatInt(a.Size, 10))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": fileName(a.Name)}))
	h.Set("Content-Security-Policy", "sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_, _ = io.Copy(&patient{w}, body) // the reader has gone, or the file is cut and the connection with it
	return nil
}

// patient gives a reader time for each piece.
type patient struct{ w http.ResponseWriter }

func (p *patient) Write(b []byte) (int, error) {
	_ = http.NewResponseController(p.w).SetWriteDeadline(time.Now().Add(writeTimeout)) //nolint:errcheck // a test's recorder has none
	return p.w.Write(b)
}

func (s *Server) markMessage(w http.ResponseWriter, r *http.Request) error {
	var body api.MessageMark
	if r.ContentLength != 0 {
		if err := decode(w, r, smallBody, &body); err != nil {
			return err
		}
	}
	m, err := s.c.Notes.Mark(r.Context(), user(r), core.MessageID(r.PathValue("id")), body.Marked == nil || *body.Marked)
	if err != nil {
		return err
	}
	m.Opaque = nil // a provider's own data is for that provider
	return writeJSON(w, http.StatusOK, m)
}
