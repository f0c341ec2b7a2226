package server

import "net/http"

// ChatForTest is the chat route behind the check of who is calling.
func (s *Server) ChatForTest(w http.ResponseWriter, r *http.Request) {
	s.wrap(s.handle(s.chat)).ServeHTTP(w, r)
}
