package server

// auditRoutes read the audit file and the payload logs.
func (s *Server) auditRoutes() map[string]handler { return nil }
