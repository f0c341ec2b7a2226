package server

// backupRoutes make backups and compact the store.
func (s *Server) backupRoutes() map[string]handler { return nil }
