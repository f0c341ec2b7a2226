package local

import (
	"os/exec"
	"syscall"
)

type unixWait = syscall.WaitStatus

// detach gives the worker a process group of its own, so that a terminal's Ctrl-C is not its end.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
