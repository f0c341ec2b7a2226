package client_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/daemon/client"
)

// TestChangesOverSeveralConnections: a stream that breaks is taken up behind what was seen, and nothing is told twice.
func TestChangesOverSeveralConnections(t *testing.T) {
	h := newHome(t)
	var asked []string // Last-Event-ID of each connection; one comes after the other
	serve(t, h, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Last-Event-ID"))
		w.Header().Set("Content-Type", "text/event-stream")
		tell := func(digest string) {
			_, _ = fmt.Fprintf(w, "id: %s\nevent: state\ndata: {\"type\":\"state\",\"seq\":1,\"state\":\"settings\",\"digest\":%q}\n\n", digest, digest)
		}
		switch len(asked) {
		case 1:
			tell("a")
			_, _ = w.Write([]byte(": idle\n\nid: x\nevent: moon\ndata: {\"type\":\"moon\",\"seq\":2}\n\ndata: no JSON\n\n"))
		case 2:
			w.WriteHeader(http.StatusOK) // cut before anything came
		case 3:
			tell("a") // as a daemon does that was started anew
			tell("b")
		default:
			tell("c")
		}
	})
	c := client.New(client.Options{Home: h, NoAutostart: true, Getenv: func(string) string { return "" }})
	defer c.Close()
	var got []string
	for d, err := range c.Changes(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, d.Digest); d.Digest == "c" {
			break
		}
	}
	if !slices.Equal(got, []string{"a", "b", "c"}) || strings.Join(asked, ",") != ",a,a,b" {
		t.Errorf("told %q, asked behind %q", got, asked)
	}
}

func TestChangesOfADaemonThatDoesNotTell(t *testing.T) {
	h := newHome(t)
	serve(t, h, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"error":{"code":"not_found","message":"there is no such route","status":404}}`))
	})
	c := client.New(client.Options{Home: h, NoAutostart: true, Getenv: func(string) string { return "" }})
	defer c.Close()
	n := 0
	for _, err := range c.Changes(t.Context()) {
		if n++; core.CodeOf(err) != core.NotFound {
			t.Errorf("got %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d pairs", n)
	}
}

// TestChangesWaitForADaemon: none is started for a screen that only looks on, and ctx ends the waiting.
func TestChangesWaitForADaemon(t *testing.T) {
	spawned := false
	c := client.New(client.Options{Home: newHome(t), Getenv: func(string) string { return "" }, Heal: 1, Spawn: func(context.Context, []string) (func() error, error) {
		spawned = true
		return func() error { return nil }, nil
	}})
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100e6) // 0.1 s
	defer cancel()
	for d, err := range c.Changes(ctx) {
		t.Errorf("got %+v %v", d, err)
	}
	if spawned {
		t.Error("a daemon was started")
	}
}
