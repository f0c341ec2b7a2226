package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"jarvis/core"
	"jarvis/daemon/home"
)

// renderer is `jarvis-tui render --events`, started as git starts a pager. While it runs it alone writes to the terminal.
type renderer struct {
	cmd *exec.Cmd
	in  io.WriteCloser

	closed bool
	err    error // of its end
}

func (a *App) startRenderer() (*renderer, error) {
	programs, err := home.Siblings()
	if err != nil {
		return nil, err
	}
	path, err := programs.Path("jarvis-tui")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "render", "--events") //nolint:noctx // it ends by itself when its input ends
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the renderer: %w", err)
	}
	return &renderer{cmd: cmd, in: in}, nil
}

// event gives it one event; an error says that it lives no more.
func (r *renderer) event(e core.Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := r.in.Write(append(b, '\n')); err != nil {
		_ = r.cmd.Process.Kill() // when it lives it reads no more, and close would wait for ever
		return fmt.Errorf("the renderer: %w", err)
	}
	return nil
}

// close ends the renderer's input and waits until it has shown all; its error says that it has not.
func (r *renderer) close() error {
	if r.closed {
		return r.err
	}
	r.closed = true
	_ = r.in.Close()
	if err := r.cmd.Wait(); err != nil {
		r.err = fmt.Errorf("the renderer ended: %w", err)
	}
	return r.err
}
