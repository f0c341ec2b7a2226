package server

// infoRoutes are settings, build and changes.
func (s *Server) infoRoutes() map[string]handler { return nil }
