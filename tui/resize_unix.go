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
