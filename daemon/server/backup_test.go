package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/daemon/api"
)

type someBackups func(w io.Writer) error

func (f someBackups) Create(_ context.Context, w io.Writer, _ bool) error { return f(w) }

func (f someBackups) Compact(context.Context) (api.Compacted, error) {
	return api.Compacted{Before: 20, After: 10}, f(io.Discard)
}

func serveBackup(t *testing.T, f someBackups) (status int, body string, err error) {
	t.Helper()
	s := New(Config{Backups: f})
	web := httptest.NewServer(s.wrap(s.handle(s.backup)))
	defer web.Close()
	resp, err := http.Post(web.URL, "application/json", strings.NewReader("{}")) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func TestBackupThatFailsDoesNotLookWhole(t *testing.T) {
	status, _, err := serveBackup(t, func(w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("x", 100_000))
		return errors.New("the disk is gone")
	})
	if status != http.StatusOK || err == nil {
		t.Errorf("after the first byte: %d, %v", status, err)
	}
	status, body, err := serveBackup(t, func(io.Writer) error { return core.E(core.Conflict, "another one", "", nil) })
	if status != http.StatusConflict || err != nil || !strings.Contains(body, "another one") {
		t.Errorf("before it: %d %s, %v", status, body, err)
	}
}
