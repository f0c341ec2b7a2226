//go:build !linux && !darwin

package local

import (
	"os"
	"os/exec"
)

func socketPair() (ours, theirs *os.File, err error) { return nil, nil, errUnsupported }

func detach(*exec.Cmd) {}

func signalName(*os.ProcessState) string { return "" }
