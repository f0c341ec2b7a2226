//go:build unix

package cli

import (
	"os"
	"syscall"
)

// nonblock keeps open(2) of a FIFO from waiting for a writer.
const nonblock = syscall.O_NONBLOCK

// stopSignals end an answer: Ctrl-C, and what a closing terminal or a shell's kill sends.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
