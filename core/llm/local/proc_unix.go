//go:build linux || darwin

package local

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// socketPair makes a connected pair whose ends no other program inherits.
func socketPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	if err := unix.SetNonblock(fds[0], true); err != nil {
		return nil, nil, errors.Join(err, unix.Close(fds[0]), unix.Close(fds[1]))
	}
	return os.NewFile(uintptr(fds[0]), "worker"), os.NewFile(uintptr(fds[1]), "daemon"), nil
}

// signalName is the signal that ended a process, "" for none.
func signalName(s *os.ProcessState) string {
	if s == nil {
		return ""
	}
	if ws, ok := s.Sys().(unixWait); ok && ws.Signaled() {
		return unix.SignalName(ws.Signal())
	}
	return ""
}
