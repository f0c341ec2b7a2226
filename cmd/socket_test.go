//go:build linux

package cmd_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// request STATUS METHOD PATH [TOKEN] asks the daemon on its socket as a foreign program would, without a token when none is
// given, and puts the answer on stdout.
func request(ts *testscript.TestScript, _ bool, args []string) {
	want := number(ts, args[0])
	socket := filepath.Join(ts.Getenv("JARVIS_HOME"), "run", "jarvis.sock")
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, args[1], "http://jarvis"+args[2], strings.NewReader(`{"content":"hi"}`))
	ts.Check(err)
	if len(args) > 3 {
		req.Header.Set("Authorization", "Bearer "+args[3])
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, _ = ts.Stdout().Write(b)
	if resp.StatusCode != want {
		ts.Fatalf("status %d, want %d\n%s", resp.StatusCode, want, b)
	}
}
