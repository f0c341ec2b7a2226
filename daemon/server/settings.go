package server

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Settings reads and changes the configuration; core.Conflict when it is another one than the digest's.
type Settings interface {
	Read(ctx context.Context) (api.Settings, error)
	Change(ctx context.Context, digest string, set map[string]json.RawMessage) (api.Settings, error)
}

// settingsRoutes are the configuration as screens see it.
func (s *Server) settingsRoutes() map[string]handler {
	return map[string]handler{api.RouteSettings: s.settings, api.RouteSettingsSet: s.setSettings}
}

func (s *Server) settings(w http.ResponseWriter, r *http.Request) error {
	v, err := s.c.Settings.Read(r.Context())
	if err != nil {
		return err
	}
	return writeSettings(w, v)
}

func writeSettings(w http.ResponseWriter, v api.Settings) error {
	w.Header().Set("ETag", `"`+v.Digest+`"`)
	return writeJSON(w, http.StatusOK, v)
}

func (s *Server) setSettings(w http.ResponseWriter, r *http.Request) error {
	var body api.SettingsSet
	if err := decode(w, r, smallBody, &body); err != nil {
		return err
	}
	if v := r.Header.Get("If-Match"); v != "" {
		body.Digest = strings.Trim(v, `"`)
	}
	if body.Digest == "" {
		return core.E(core.BadRequest, "give the digest of the settings that are to be changed", "jarvis config show", nil)
	}
	keys := []string{}
	for k := range body.Set {
		keys = append(keys, clip(k))
	}
	slices.Sort(keys)
	if err := s.audited(w, r, "config.set", "", map[string]any{"keys": keys[:min(len(keys), 20)]}); err != nil {
		return err
	}
	v, err := s.c.Settings.Change(r.Context(), body.Digest, body.Set)
	if err != nil {
		return err
	}
	return writeSettings(w, v)
}
