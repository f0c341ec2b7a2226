//go:build unix

package client

import (
	"errors"
	"os"
	"syscall"

	"jarvis/daemon/home"
)

// released tells whether nobody holds the home's lock any more.
func (c *Client) released() bool {
	f, err := home.OpenRegular(c.o.Home.Lock, os.O_RDWR, 0)
	if err != nil {
		return true
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == nil
}

// terminate sends SIGTERM to the daemon that holds the home, if it is sure which process that is.
func (c *Client) terminate() error {
	pid := c.holder()
	if pid == 0 || pid == os.Getpid() {
		return errors.New("nobody is known to hold the home")
	}
	return syscall.Kill(pid, syscall.SIGTERM)
}
