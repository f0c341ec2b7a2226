package cli

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"jarvis/core"
	"jarvis/daemon/api"
)

// limitedApp is a testApp whose daemon has these limits; asked counts how often it was asked for them.
func limitedApp(t *testing.T, in *os.File, limits api.Limits) (app *App, asked *atomic.Int32) {
	t.Helper()
	app, _, _ = testApp(t, in)
	h, err := app.home()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", h.Socket)
	if err != nil {
		t.Fatal(err)
	}
	asked = &atomic.Int32{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/status" {
			asked.Add(1)
		}
		w.Header().Set(api.VersionHeader, api.Version())
		_ = json.NewEncoder(w).Encode(api.Status{State: api.StateReady, Limits: &limits})
	}))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	return app, asked
}

func TestWhatIsLargeIsMeasuredByTheDaemonsLimits(t *testing.T) {
	const mib = 1 << 20
	dir := t.TempDir()
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, []byte(strings.Repeat("x", 40*mib)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		o      AskOptions
		stdin  int
		limits api.Limits
		asked  int32
		says   string // "" = it is taken
	}{
		{"small: nobody is asked", AskOptions{}, mib, api.Limits{Prompt: 20 * mib}, 0, ""},
		{"within a wider prompt", AskOptions{}, 15 * mib, api.Limits{Prompt: 20 * mib, Attachment: 32 * mib}, 1, ""},
		{"over it", AskOptions{}, 21 * mib, api.Limits{Prompt: 20 * mib, Attachment: 32 * mib}, 1, "stdin is larger than 20 MiB"},
		{"over a narrow one", AskOptions{}, 11 * mib, api.Limits{Prompt: 1000, Attachment: 32 * mib}, 1, "stdin is larger than 1000 bytes"},
		{"never over the own bound", AskOptions{}, 65 * mib, api.Limits{Prompt: 1 << 40, Attachment: 1 << 40}, 1, "stdin is larger than 64 MiB"},
		{"a file through stdin", AskOptions{Files: []string{"-"}}, 33 * mib, api.Limits{Prompt: mib, Attachment: 40 * mib}, 1, ""},
		{"a file", AskOptions{Files: []string{big}, NoStdin: true}, 0, api.Limits{Prompt: mib, Attachment: 40 * mib}, 1, ""},
		{"a file over it", AskOptions{Files: []string{big}, NoStdin: true}, 0, api.Limits{Prompt: mib, Attachment: 33 * mib}, 1, "larger than 33 MiB"},
		{"files together", AskOptions{Files: []string{big, big}, NoStdin: true}, 0, api.Limits{Prompt: mib, Attachment: 40 * mib}, 1, "with its files is larger than 64 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			app, asked := limitedApp(t, pipe(t, strings.Repeat("x", tt.stdin)), tt.limits)
			_, err := app.readInput(t.Context(), tt.o)
			if tt.says == "" && err != nil || tt.says != "" && (core.CodeOf(err) != core.TooLarge || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("error %v, want %q", err, tt.says)
			}
			if tt.says != "" && exitCode(err) != api.ExitLimit {
				t.Errorf("exit %d", exitCode(err))
			}
			if asked.Load() != tt.asked {
				t.Errorf("asked %d times, want %d", asked.Load(), tt.asked)
			}
		})
	}
}

func TestTooManyFilesAreTheServersTooMany(t *testing.T) {
	app, _, _ := testApp(t, nil)
	_, err := app.readInput(t.Context(), AskOptions{Prompt: []string{"q"}, Files: make([]string, api.MaxAttachments+1)})
	if core.CodeOf(err) != core.BadRequest || !strings.Contains(err.Error(), "at most 100 files") {
		t.Error(err)
	}
}
