package client

import (
	"context"
	"net/http"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Shutdown asks a running daemon to end and waits until it has let go of its home. running is false when there was none.
func (c *Client) Shutdown(ctx context.Context) (running bool, err error) {
	var s api.Status
	if err := c.json(ctx, call{method: http.MethodPost, path: "/api/shutdown"}, nil, &s); err != nil {
		if notRunning(err) {
			return false, nil
		}
		return true, err
	}
	c.Close()
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		if notRunning(c.probe(ctx)) && c.released() {
			return true, nil
		}
		if err := sleep(ctx, wait); err != nil {
			return true, core.E(core.Conflict, "the daemon is still ending: it lets its running chains finish", "jarvis daemon status", err)
		}
	}
}
