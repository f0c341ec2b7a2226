package server

import (
	"context"
	"io"
	"net/http"
	"time"

	"jarvis/daemon/api"
)

// Backups makes backups. Create writes nothing before it knows that it can be made; one at a time, else core.Conflict.
type Backups interface {
	Create(ctx context.Context, w io.Writer, secrets bool) error
	// Compact writes the store anew without its free pages, while it is used.
	Compact(ctx context.Context) (api.Compacted, error)
}

// backupRoutes make backups.
func (s *Server) backupRoutes() map[string]handler {
	return map[string]handler{api.RouteBackup: s.backup, api.RouteCompact: s.compact}
}

func (s *Server) backup(w http.ResponseWriter, r *http.Request) error {
	var body api.BackupCreate
	if err := decode(w, r, smallBody, &body); err != nil {
		return err
	}
	if err := s.audited(w, r, "backup.create", "", map[string]any{"secrets": !body.NoSecrets}); err != nil {
		return err
	}
	ctx, cancel := s.untilStopping(r.Context())
	defer cancel()
	// An error after the first byte cuts the connection, so that what was sent is not taken for a whole archive.
	return s.c.Backups.Create(ctx, &download{w: w, kind: api.BackupType}, !body.NoSecrets)
}

func (s *Server) compact(w http.ResponseWriter, r *http.Request) error {
	if err := s.audited(w, r, "backup.compact", "", nil); err != nil {
		return err
	}
	ctx, cancel := s.untilStopping(r.Context())
	defer cancel()
	done, err := s.c.Backups.Compact(ctx)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, done)
}

// download begins its answer with the first byte, so that what fails before is an envelope. A reader that stops reading is
// given up.
type download struct {
	w     http.ResponseWriter
	kind  string // content type
	begin func() // sets further headers; nil = none
	begun bool
}

func (d *download) Write(p []byte) (int, error) {
	if !d.begun {
		d.begun = true
		h := d.w.Header()
		h.Set("Content-Type", d.kind)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		if d.begin != nil {
			d.begin()
		}
	}
	_ = http.NewResponseController(d.w).SetWriteDeadline(time.Now().Add(writeTimeout)) //nolint:errcheck // a test's recorder has none
	return d.w.Write(p)
}
