//go:build unix

package client

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"jarvis/daemon/home"
)

func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// lock waits for the lock of auto-start. A process that dies lets go of it.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := home.OpenRegular(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = f.Close()
			return nil, err
		}
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			_ = f.Close()
			return nil, err
		}
	}
}
