package client_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/daemon/client"
)

// TestSessionEventsOverSeveralConnections: each asks for what is behind the last event that came whole; a session that is erased
// ends it.
func TestSessionEventsOverSeveralConnections(t *testing.T) {
	h := newHome(t)
	var asked []string // one connection comes after the other
	serve(t, h, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RawQuery+r.Header.Get("Last-Event-ID"))
		tell := func(chain string, seq int, kind string) {
			_, _ = fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q,\"seq\":%d,\"chain\":%q}\n\n", kind, kind, seq, chain)
		}
		switch len(asked) {
		case 1:
			tell("c1", 1, "message")
			tell("c1", 2, "text")
			_, _ = w.Write([]byte("event: text\ndata: {\"type\":\"text\",\"seq\":3,"))
		case 2:
			tell("c1", 3, "text")
			tell("c1", 4, "done")
		case 3:
			tell("c2", 1, "message")
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"error":{"code":"not_found","message":"there is no session abc","status":404}}`))
		}
	})
	c := client.New(client.Options{Home: h, NoAutostart: true, Getenv: func(string) string { return "" }})
	defer c.Close()
	var got []string
	var last error
	for e, err := range c.SessionEvents(t.Context(), "abc") {
		if last = err; err == nil {
			got = append(got, fmt.Sprint(e.Chain, e.Seq))
		}
	}
	if core.CodeOf(last) != core.NotFound || !slices.Equal(got, []string{"c11", "c12", "c13", "c14", "c21"}) {
		t.Errorf("told %q, then %v", got, last)
	}
	if v := strings.Join(asked, " "); v != "after=end c1:2 c1 c2:1" {
		t.Errorf("asked behind %s", v)
	}
}
