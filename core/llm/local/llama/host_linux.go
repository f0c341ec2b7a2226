package llama

import (
	"errors"
	"os"
	"strconv"

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
	if err := unix.SetNonblock(wire.FD, true); err != nil { // so that reading it costs no thread
		return nil, err
	}
	return os.NewFile(wire.FD, "daemon"), nil
}

// behave makes the worker step back for everything else on the machine: it yields the processor, is the first to go when
// memory ends, dies with the daemon, and leaves no core file with people's words in it. Each is best effort.
func behave() {
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
	// nice belongs to a thread here. The runtime has started some already; later ones inherit from these.
	for range 2 {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return
		}
		for _, t := range tasks {
			if id, err := strconv.Atoi(t.Name()); err == nil {
				_ = unix.Setpriority(unix.PRIO_PROCESS, id, 5)
			}
		}
	}
}
