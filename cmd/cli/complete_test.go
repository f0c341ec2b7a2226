package cli

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"jarvis/daemon/api"
	"jarvis/daemon/client"
)

// A daemon that accepts and never answers must not hold the shell: completion gives up by its own deadline.
func TestCompletionGivesUpOnASilentDaemon(t *testing.T) {
	app, out, _ := testApp(t, nil)
	h, err := app.home()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(h.Socket), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", h.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	held := make(chan net.Conn, 16)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(held)
				return
			}
			held <- c
		}
	}()
	if code := app.Run(t.Context(), []string{cobra.ShellCompRequestCmd, "session", "show", ""}); code != api.ExitOK {
		t.Errorf("exit %d", code)
	}
	if lines := strings.Fields(out.String()); len(lines) == 0 || !strings.HasPrefix(lines[0], ":") {
		t.Errorf("completions %q", out)
	}
	l.Close()
	for c := range held {
		c.Close()
	}
}

func TestCompletionHasADeadline(t *testing.T) {
	app, _, _ := testApp(t, nil)
	_, _ = app.forCompletion(t.Context(), func(ctx context.Context, _ *client.Client) []string {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("TAB may take for ever")
		}
		return nil
	})
	if !app.noAutostart {
		t.Error("TAB may start the daemon")
	}
}
