//go:build unix

package bolt

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncDir makes a rename in dir durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// room is how many bytes this user may still write below dir.
func room(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, os.NewSyscallError("statfs", err)
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil //nolint:unconvert // the types differ by system
}

// unlockFile lets go of bbolt's lock. Closing the file is not enough after a fault: the mapping, which stays, holds it too.
func unlockFile(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
