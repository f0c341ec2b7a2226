package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/daemon/server"
)

// TestABodyThatStallsIsGivenUp: a caller that announces a body and sends half of it is answered, and holds nothing.
func TestABodyThatStallsIsGivenUp(t *testing.T) {
	r := newRig(t, func(c *server.Config) { c.BodyStall = 50 * time.Millisecond })
	half, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	go func() { _, _ = w.Write([]byte(`{"content":"hal`)) }()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/api/todo", half)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if e := failure(t, resp); e.Code != core.BadRequest || !strings.Contains(e.Message, "stopped coming") {
		t.Errorf("got %+v", e)
	}
}
