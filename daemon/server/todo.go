package server

import (
	"net/http"
	"strconv"

	"jarvis/core"
	"jarvis/daemon/api"
)

func (s *Server) todos(w http.ResponseWriter, r *http.Request) error {
	items, err := s.c.Todos.List(r.Context(), user(r))
	if err != nil {
		return err
	}
	return list(w, items, "")
}

func (s *Server) addTodo(w http.ResponseWriter, r *http.Request) error {
	var body api.TodoAdd
	if err := decode(w, r, smallBody, &body); err != nil {
		return err
	}
	t, err := s.c.Todos.Add(r.Context(), user(r), body.Content)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, t)
}

func (s *Server) setTodo(w http.ResponseWriter, r *http.Request) error {
	n, err := strconv.ParseUint(r.PathValue("n"), 10, 64)
	if err != nil {
		return core.E(core.NotFound, "there is no todo "+clip(r.PathValue("n")), "jarvis todo list", nil)
	}
	var body api.TodoSet
	if err := decode(w, r, smallBody, &body); err != nil {
		return err
	}
	t, err := s.c.Todos.Set(r.Context(), user(r), n, body.Status)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, t)
}
