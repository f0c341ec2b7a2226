//go:build unix

package daemon

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"jarvis/daemon/home"
)

func uid() int { return os.Getuid() }

// prepare makes the process independent of whoever started it.
func prepare() {
	unix.Umask(0o077)
	_ = os.Chdir("/") // nobody's folder is kept busy
	_ = os.Setenv("PATH", home.SafePath)
}

// closeForeign closes descriptors that a shell left open for us: `x=$(jarvis ask …)` would wait for a daemon that holds the
// pipe. Our own, the runtime's included, are all close-on-exec, which is how they are told apart.
func closeForeign() {
	for _, dir := range []string{"/proc/self/fd", "/dev/fd"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			fd, err := strconv.Atoi(e.Name())
			if err != nil || fd < 3 {
				continue
			}
			if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
				_ = unix.Close(fd)
			}
		}
		return
	}
}
