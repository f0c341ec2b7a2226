package cli

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jarvis/daemon/api"
	"jarvis/daemon/home"
)

// TestADaemonThatDiesIsNoClosedPipe: what breaks over the socket in the middle of an upload is an error, and not a reader of
// stdout who left.
func TestADaemonThatDiesIsNoClosedPipe(t *testing.T) {
	app, out, errs := testApp(t, nil)
	h, err := home.Find(app.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Token, []byte("token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", h.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.CopyN(io.Discard, c, 100_000)
			_ = c.Close() // in the middle of the body
		}
	}()
	file := filepath.Join(t.TempDir(), "talk.json")
	if err := os.WriteFile(file, []byte(`{"format":"`+strings.Repeat("x", 8<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := app.Run(t.Context(), []string{"session", "import", file}); code != api.ExitUnreachable {
		t.Errorf("code %d, stdout %q, stderr %q", code, out, errs)
	}
	if !strings.Contains(errs.String(), "Try: ") {
		t.Errorf("stderr %q", errs)
	}
}
