//go:build unix

package client

import (
	"os"
	"syscall"
)

// released tells whether nobody holds the home's lock any more.
func (c *Client) released() bool {
	f, err := os.OpenFile(c.o.Home.Lock, os.O_RDWR, 0)
	if err != nil {
		return true
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == nil
}
