package server

// usageRoutes tell what was used.
func (s *Server) usageRoutes() map[string]handler { return nil }
