package server

import (
	"net/http"

	"jarvis/daemon/api"
)

// infoRoutes tell which build answers.
func (s *Server) infoRoutes() map[string]handler {
	return map[string]handler{api.RouteInfo: func(w http.ResponseWriter, _ *http.Request) error {
		return writeJSON(w, http.StatusOK, api.Build())
	}}
}
