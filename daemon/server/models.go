package server

import (
	"encoding/json"
	"net/http"
	"time"

	"jarvis/daemon/api"
)

func (s *Server) models(w http.ResponseWriter, r *http.Request) error {
	items, err := s.c.Models.List(r.Context())
	if err != nil {
		return err
	}
	return list(w, items, "")
}

func (s *Server) testModel(w http.ResponseWriter, r *http.Request) error {
	var body api.ModelTest
	if err := decode(w, r, smallBody, &body); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, s.c.Models.Test(r.Context(), body))
}

// pullModel streams the progress of a download; its last event has Done or Error.
func (s *Server) pullModel(w http.ResponseWriter, r *http.Request) error {
	var body api.ModelPull
	if err := decode(w, r, smallBody, &body); err != nil {
		return err
	}
	if err := s.audited(w, r, "model.pull", body.Model, nil); err != nil {
		return err
	}
	o := &sse{w: w, c: http.NewResponseController(w)}
	var last time.Time
	send := func(p api.PullProgress) {
		// A fast download would say more than anybody can read.
		if now := time.Now(); p.Done || p.Error != nil || now.Sub(last) > 100*time.Millisecond {
			last = now
			if b, err := json.Marshal(p); err == nil {
				_ = o.send([]byte("event: progress\ndata: " + string(b) + "\n\n")) //nolint:errcheck // the context ends when the reader leaves
			}
		}
	}
	err := s.c.Models.Pull(r.Context(), body.Model, send)
	if err != nil && !o.begun {
		return err
	}
	if err != nil {
		s.undone(w, r, err)
		e := public(err)
		send(api.PullProgress{Error: &api.ErrorBody{Code: e.Code, Message: e.Message, Status: api.StatusOf(e.Code), Hint: e.Hint}})
		return nil
	}
	send(api.PullProgress{Done: true})
	return nil
}

func (s *Server) removeModel(w http.ResponseWriter, r *http.Request) error {
	ref := r.PathValue("ref")
	if err := s.audited(w, r, "model.rm", ref, nil); err != nil {
		return err
	}
	if err := s.c.Models.Remove(r.Context(), ref); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]string{"ref": ref})
}

func (s *Server) status(w http.ResponseWriter, r *http.Request) error {
	return writeJSON(w, http.StatusOK, s.c.Status(r.Context()))
}

// shutdown answers before the daemon begins to end.
func (s *Server) shutdown(w http.ResponseWriter, r *http.Request) error {
	if err := writeJSON(w, http.StatusAccepted, s.c.Status(r.Context())); err != nil {
		return err
	}
	_ = http.NewResponseController(w).Flush() //nolint:errcheck // the daemon ends all the same
	s.c.Shutdown()
	return nil
}
