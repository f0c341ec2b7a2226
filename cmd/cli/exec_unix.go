//go:build unix

package cli

import (
	"context"
	"os"
	"syscall"
)

// become replaces this process by another program of ours.
func become(_ context.Context, program string, args []string) error {
	return syscall.Exec(program, append([]string{program}, args...), os.Environ())
}
