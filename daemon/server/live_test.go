package server_test

import (
	"bufio"
	"context"
	"iter"
	"net/http"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/daemon/server"
)

// fakeLive tells the three events of chainA, is idle, and waits for its end.
type fakeLive struct {
	over  chan struct{}
	after chan string
}

func (f fakeLive) Events(ctx context.Context, _ core.UserID, _ core.SessionID, after string) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		f.after <- after
		for _, e := range append(threeEvents(chainA), core.Event{}) {
			if !yield(e, nil) {
				return
			}
		}
		select {
		case <-f.over:
		case <-ctx.Done():
		}
	}
}

func TestSessionEvents(t *testing.T) {
	f := fakeLive{over: make(chan struct{}), after: make(chan string, 1)}
	r := newRig(t, func(c *server.Config) { c.Live = f })
	resp := r.do(t, "GET", "/api/sessions/"+string(session)+"/events?after=end", "", "Last-Event-ID: "+string(chainA))
	if got := <-f.after; got != string(chainA) || resp.StatusCode != http.StatusOK {
		t.Fatalf("after %q, status %d", got, resp.StatusCode)
	}
	var lines []string
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		if v := sc.Text(); strings.HasPrefix(v, "id: ") || strings.HasPrefix(v, ":") {
			lines = append(lines, v)
		}
		if sc.Text() == ": idle" {
			close(f.over) // erased: the stream ends in order
		}
	}
	a := string(chainA)
	want := "id: " + a + ":1|id: " + a + ":2|id: " + a + "|: idle"
	if got := strings.Join(lines, "|"); got != want || sc.Err() != nil {
		t.Errorf("%v\n got %s\nwant %s", sc.Err(), got, want)
	}
	if resp := r.do(t, "GET", "/api/sessions/abcdef/events", ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown session: %d", resp.StatusCode)
	}
}
