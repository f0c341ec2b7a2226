package server

import (
	"net/http"

	"jarvis/core"
	"jarvis/daemon/api"
)

func (s *Server) sessions(w http.ResponseWriter, r *http.Request) error {
	p, err := page(r)
	if err != nil {
		return err
	}
	items, next, err := s.c.Sessions.List(r.Context(), user(r), truthy(r.URL.Query().Get("hidden")), p)
	if err != nil {
		return err
	}
	for i := range items {
		items[i].Context = "" // it may be long; the session itself has it
	}
	return list(w, items, next)
}

// found reads the session that the path names; a person's short form is taken too.
func (s *Server) found(r *http.Request) (core.Session, error) {
	id := r.PathValue("id")
	if !core.HexDigits(id) {
		return core.Session{}, core.E(core.NotFound, "there is no session "+clip(id), "jarvis session list --all", nil)
	}
	return s.c.Sessions.Find(r.Context(), user(r), id)
}

func (s *Server) session(w http.ResponseWriter, r *http.Request) error {
	found, err := s.found(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, found)
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request) error {
	p, err := page(r)
	if err != nil {
		return err
	}
	if p.View, err = view(r); err != nil {
		return err
	}
	found, err := s.found(r)
	if err != nil {
		return err
	}
	items, next, err := s.c.Sessions.Messages(r.Context(), found.ID, p)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, messageList(items, next))
}

func (s *Server) removeSession(w http.ResponseWriter, r *http.Request) error {
	found, err := s.found(r)
	if err != nil {
		return err
	}
	if err := s.audited(w, r, "session.erase", string(found.ID), nil); err != nil {
		return err
	}
	if err := s.c.Sessions.Delete(r.Context(), user(r), found.ID); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, found)
}

func (s *Server) systemPrompt(w http.ResponseWriter, r *http.Request) error {
	found, err := s.found(r)
	if err != nil {
		return err
	}
	text, _, err := s.c.Sessions.Prompt(r.Context(), user(r), found.ID)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, api.SystemPrompt{Prompt: text})
}

func (s *Server) promptBlocks(w http.ResponseWriter, r *http.Request) error {
	found, err := s.found(r)
	if err != nil {
		return err
	}
	_, blocks, err := s.c.Sessions.Prompt(r.Context(), user(r), found.ID)
	if err != nil {
		return err
	}
	return list(w, blocks, "")
}

// list answers with a listing; an empty one is [] and not null.
func list[T any](w http.ResponseWriter, items []T, next core.Cursor) error {
	if items == nil {
		items = []T{}
	}
	return writeJSON(w, http.StatusOK, api.List[T]{Items: items, NextCursor: next})
}
