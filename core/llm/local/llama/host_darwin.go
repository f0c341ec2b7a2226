package llama

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"jarvis/core/llm/local/wire"
)

// inherited opens the socket the daemon passed on.
func inherited() (*os.File, error) {
	var st unix.Stat_t
	if err := unix.Fstat(wire.FD, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return nil, errors.New("no socket on descriptor 3")
	}
	unix.CloseOnExec(wire.FD)
	if err := unix.SetNonblock(wire.FD, true); err != nil {
		return nil, err
	}
	return os.NewFile(wire.FD, "daemon"), nil
}

// behave makes the worker step back for everything else on the machine. The system has no word for dying with the parent:
// there the closed socket alone ends the worker.
func behave() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 5)
}
