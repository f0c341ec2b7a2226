package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"jarvis/core"
)

// lockHome takes the lock on the home, a file of its own: the database itself may not exist yet, and must not be looked at
// or put aside while another daemon is just making it. The lock goes with the process, however that ends. crashed says that
// the last daemon did not close the store.
func lockHome(ctx context.Context, o Options) (l *flock.Flock, pidPath string, crashed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.LockTimeout)
	defer cancel()
	pidPath = o.Path + ".pid"
	if f, err := openRegular(o.LockPath, os.O_RDONLY|os.O_CREATE, 0o600); err != nil {
		return nil, "", false, unusable(o.LockPath, err)
	} else if err := f.Close(); err != nil {
		return nil, "", false, unusable(o.LockPath, err)
	}
	l = flock.New(o.LockPath, flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err == nil && !ok {
		ok, err = l.TryLockContext(ctx, 20*time.Millisecond)
	}
	switch {
	case ok:
	case err == nil || errors.Is(err, context.DeadlineExceeded):
		return nil, "", false, inUse(pidPath)
	case errors.Is(err, context.Canceled):
		return nil, "", false, explain("lock home", err)
	default:
		return nil, "", false, unusable(o.Path, fmt.Errorf("lock home: %w", err))
	}
	if crashed, err = exists(pidPath); err != nil {
		_ = l.Unlock()
		return nil, "", false, unusable(o.Path, err)
	}
	pid := o.PID
	if pid == 0 {
		pid = os.Getpid()
	}
	if err := writeSmall(pidPath, strconv.Itoa(pid)+"\n"); err != nil {
		_ = l.Unlock()
		return nil, "", false, unusable(pidPath, err)
	}
	return l, pidPath, crashed, nil
}

func inUse(pidPath string) error {
	who := ""
	if text, err := readSmall(pidPath); err == nil {
		if pid, err := strconv.Atoi(text); err == nil && pid > 0 {
			who = fmt.Sprintf(" (pid %d)", pid)
		}
	}
	return core.E(core.Conflict, "another jarvis daemon has this home open"+who, "jarvis daemon status", nil)
}

// unusable is a home that cannot be read or written, which is no damage: nothing is put aside.
func unusable(path string, err error) error {
	if e := (*core.Error)(nil); errors.As(err, &e) { // judged already
		return err
	}
	cause := fmt.Errorf("open store: %w", err)
	switch {
	case full(err):
		return core.E(core.Internal, "the disk is full: the store cannot be opened", "df -h", cause)
	case errors.Is(err, os.ErrPermission):
		return core.E(core.Internal, "the store "+path+" may not be read and written by this user", "ls -l "+path, cause)
	}
	return core.E(core.Internal, "the store "+path+" cannot be opened: "+rootText(err), "ls -l "+path, cause)
}

func rootText(err error) string {
	for e := errors.Unwrap(err); e != nil; e = errors.Unwrap(e) {
		err = e
	}
	return err.Error()
}
