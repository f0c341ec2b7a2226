//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"
)

// resizes tells when the window has another size.
func resizes() <-chan os.Signal {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGWINCH)
	return ch
}

// suspender stops this process as Ctrl-Z does where the terminal is not in raw mode: restore before, raw after.
func suspender(restore func(), raw func() error) func() error {
	return func() error {
		restore()
		if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
			return err
		}
		return raw()
	}
}
