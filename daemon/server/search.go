package server

// searchRoutes search messages.
func (s *Server) searchRoutes() map[string]handler { return nil }
