//go:build !unix

package client

import (
	"context"
	"errors"
	"syscall"
)

func detached() *syscall.SysProcAttr { return nil }

// lock is not known here, so that no daemon is started behind a person's back: jarvis daemon run works.
func lock(context.Context, string) (func(), error) {
	return nil, errors.New("starting it in the background is not supported on this system")
}
