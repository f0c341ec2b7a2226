package offline

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"jarvis/core"
	"jarvis/daemon/home"
)

// fix mends what is safe to mend, before the checks say what is left.
func (d *doctor) fix(ctx context.Context) {
	for range 2 { // behind a folder that was shut there may be more
		for _, f := range d.h.Inspect() {
			if f.Want == 0 {
				continue
			}
			if err := f.Mend(); err == nil {
				d.fixed = append(d.fixed, d.tf("%s is for its own user only now (%04o)", core.Printable(f.Path), f.Want))
			}
		}
	}
	for _, path := range sweepDead(ctx, d.h) {
		d.fixed = append(d.fixed, d.tf("%s is removed", core.Printable(path)))
	}
}

// sweepDead removes what a dead daemon left in the run folder. The lock on the home is held meanwhile, so that none can be
// starting; a daemon whose lock was taken away still answers on its socket, and keeps what is its own.
func sweepDead(ctx context.Context, h home.Home) (removed []string) {
	if h.CheckSocket() != nil || len(leftBehind(h)) == 0 {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(h.Lock)); err != nil || !info.IsDir() {
		return nil
	}
	f, err := home.OpenRegular(h.Lock, os.O_RDONLY, 0)
	switch {
	case err == nil:
		_ = f.Close() // it is a file, no pipe
	case !errors.Is(err, fs.ErrNotExist):
		return nil
	}
	lock := flock.New(h.Lock, flock.SetPermissions(0o600))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil
	}
	defer func() { _ = lock.Close() }() // ours, and nothing waits for it
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "unix", h.Socket)
	if err == nil {
		_ = conn.Close()
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ECONNREFUSED) {
		return nil // it may live, and be busy
	}
	for _, path := range transient(h) {
		if isTransient(h, path) && os.Remove(path) == nil {
			removed = append(removed, path)
		}
	}
	return removed
}
