package server

// historyRoutes are sessions as people change them, and seed 001's history.
func (s *Server) historyRoutes() map[string]handler { return nil }
