//go:build unix

package offline

import (
	"os"

	"golang.org/x/sys/unix"
)

// room is how many bytes this user may still write below dir, and which device that is.
func room(dir string) (free, device uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, os.NewSyscallError("statfs", err)
	}
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return 0, 0, os.NewSyscallError("stat", err)
	}
	return uint64(s.Bavail) * uint64(s.Bsize), uint64(st.Dev), nil //nolint:unconvert // the types differ by system
}
