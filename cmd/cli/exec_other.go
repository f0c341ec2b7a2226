//go:build !unix

package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
)

// become runs another program of ours in this one's place: there is no exec here, so it is waited for.
func become(ctx context.Context, program string, args []string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var dead *exec.ExitError
	if errors.As(err, &dead) {
		return exit{code: dead.ExitCode()}
	}
	return err
}
