package server_test

import (
	"bufio"
	"context"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/server"
)

// fakeChanges tells one state, unless the reader knows it, and waits for the reader's end.
type fakeChanges struct{}

func (fakeChanges) Events(ctx context.Context, after string) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		e := core.Event{Type: core.EventState, Seq: 1}.With(api.StateChange{State: api.StateSettings, Digest: "d1"})
		if after != "d1" && !yield(e, nil) || !yield(core.Event{}, nil) {
			return
		}
		<-ctx.Done()
	}
}

// TestChangesRoute: the state first, signs of life while nothing changes, and an end with the daemon.
func TestChangesRoute(t *testing.T) {
	for _, tt := range []struct{ after, want string }{
		{"", "id: d1|: idle|: keep-alive"},
		{"d0", "id: d1|: idle|: keep-alive"},
		{"d1", ": idle|: keep-alive"},
	} {
		stopping := make(chan struct{})
		r := newRig(t, func(c *server.Config) {
			c.Changes, c.KeepAlive, c.Stopping = fakeChanges{}, 5*time.Millisecond, stopping
		})
		resp := r.do(t, "GET", "/api/events", "", "Last-Event-ID: "+tt.after)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("status %d, %v", resp.StatusCode, resp.Header)
		}
		var lines []string
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() {
			v := sc.Text()
			if strings.HasPrefix(v, "data: ") && !strings.Contains(v, `"state":"settings","digest":"d1"`) {
				t.Errorf("data %s", v)
			}
			if (strings.HasPrefix(v, "id: ") || strings.HasPrefix(v, ":")) && (len(lines) == 0 || lines[len(lines)-1] != v) {
				lines = append(lines, v)
			}
			if v == ": keep-alive" && lines != nil {
				select {
				case <-stopping:
				default:
					close(stopping)
				}
			}
		}
		if got := strings.Join(lines, "|"); got != tt.want {
			t.Errorf("after %q: %s, want %s", tt.after, got, tt.want)
		}
	}
	r := newRig(t, func(c *server.Config) { c.Changes = fakeChanges{} })
	if resp := r.do(t, "GET", "/api/events", "", "Last-Event-ID: "+strings.Repeat("x", 101)); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a long place: %d", resp.StatusCode)
	}
}

// TestWhoOnlyLooksOnDoesNotKeepTheDaemon from ending when nobody needs it.
func TestWhoOnlyLooksOnDoesNotKeepTheDaemon(t *testing.T) {
	var srv *server.Server
	r := newRigOf(t, func(c *server.Config) { c.Changes = fakeChanges{} }, &srv)
	resp := r.do(t, "GET", "/api/events", "")
	if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil { // the stream is open
		t.Fatal(err)
	}
	if srv.Idle(time.Now().Add(-time.Hour)) == 0 {
		t.Error("an open stream of changes counts as work")
	}
}
