package server

// contextRoutes say what fills a model's window, summarise, and follow a session.
func (s *Server) contextRoutes() map[string]handler { return nil }
