package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/home"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newHome(t *testing.T) home.Home {
	t.Helper()
	dir, err := os.MkdirTemp("", "jv")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	h, err := home.Find(func(name string) string {
		if name == "JARVIS_HOME" {
			return dir
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	return h
}

// serve answers on the socket of a home as a daemon would.
func serve(t *testing.T, h home.Home, handler http.HandlerFunc) {
	t.Helper()
	if err := os.WriteFile(h.Token, []byte("tok\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", h.Socket)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(l)
	}()
	t.Cleanup(func() {
		_ = srv.Close()
		<-done
	})
}

func newClient(t *testing.T, h home.Home, change func(*client.Options)) *client.Client {
	t.Helper()
	o := client.Options{Home: h, NoAutostart: true, Getenv: func(string) string { return "" }}
	if change != nil {
		change(&o)
	}
	c := client.New(o)
	t.Cleanup(c.Close)
	return c
}

func event(seq uint64, t core.EventType, text string) core.Event {
	return core.Event{Type: t, Seq: seq, Chain: "c", Session: "s", Text: text}
}

func send(w http.ResponseWriter, events ...core.Event) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		b, _ := json.Marshal(e)
		_, _ = fmt.Fprintf(w, ": hello\nid: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Type, b)
	}
	w.(http.Flusher).Flush()
}

func refuse(w http.ResponseWriter, code core.Code, message string) {
	status := api.StatusOf(code)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(api.Envelope{Error: api.ErrorBody{Code: code, Message: message, Status: status, RequestID: "r", Hint: "do this"}})
}

func TestAskComesBackAfterEveryCutWithoutGapOrDouble(t *testing.T) {
	var mu sync.Mutex
	var requests []string
	all := []core.Event{event(1, core.EventMessage, "hi"), event(2, core.EventText, "a"), event(3, core.EventText, "b"), event(4, core.EventText, "c"), event(5, core.EventDone, "abc")}
	h := newHome(t)
	serve(t, h, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests = append(requests, r.Method+" "+r.URL.Path+" "+r.Header.Get("Last-Event-ID"))
		n := len(requests)
		mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer tok" {
			refuse(w, core.Unauthorized, "who?")
			return
		}
		switch n {
		case 1: // nothing at all
		case 2:
			send(w, all[:2]...)
		case 3: // one again that was seen, and half a line of the next
			send(w, all[1:3]...)
			_, _ = w.Write([]byte("id: 4\nevent: text\ndata: {\"type\":\"te"))
		default:
			send(w, all[3:]...)
			return
		}
		panic(http.ErrAbortHandler)
	})
	c := newClient(t, h, nil)
	var got []uint64
	for e, err := range c.Ask(t.Context(), api.Chat{Content: "hi", Chain: "018f0000-0000-7000-8000-00000000000a"}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Seq)
	}
	if fmt.Sprint(got) != "[1 2 3 4 5]" {
		t.Errorf("got events %v", got)
	}
	path := "/api/chains/018f0000-0000-7000-8000-00000000000a/events"
	want := []string{"POST /api/chat ", "POST /api/chat ", "GET " + path + " 2", "GET " + path + " 3"}
	if strings.Join(requests, "\n") != strings.Join(want, "\n") {
		t.Errorf("requests\n%s", strings.Join(requests, "\n"))
	}
}

func TestAskEndsWhenTheDaemonRefuses(t *testing.T) {
	h := newHome(t)
	serve(t, h, func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, core.TooLarge, "the prompt is larger than 10 MiB")
	})
	for _, err := range newClient(t, h, nil).Ask(t.Context(), api.Chat{Content: strings.Repeat("x", 2<<20)}) {
		var e *core.Error
		if !errors.As(err, &e) || e.Code != core.TooLarge || e.Message != "the prompt is larger than 10 MiB" || e.Hint != "do this" {
			t.Errorf("got %v", err)
		}
		return
	}
	t.Error("no error")
}

func TestAStoppingDaemonIsAskedAgain(t *testing.T) {
	h := newHome(t)
	n := 0
	serve(t, h, func(w http.ResponseWriter, _ *http.Request) {
		if n++; n == 1 {
			w.Header().Set("Retry-After", "1")
			refuse(w, core.UpstreamUnavailable, "the daemon is stopping")
			return
		}
		send(w, event(1, core.EventDone, ""))
	})
	for _, err := range newClient(t, h, nil).Ask(t.Context(), api.Chat{Content: "x"}) {
		if err != nil {
			t.Error(err)
		}
	}
}

func TestWithoutADaemon(t *testing.T) {
	h := newHome(t)
	c := newClient(t, h, nil)
	s, err := c.Status(t.Context())
	if !errors.Is(err, client.ErrUnreachable) || s.State != api.StateStopped {
		t.Errorf("status %+v %v", s, err)
	}
	for _, err := range c.Ask(t.Context(), api.Chat{Content: "x"}) {
		var e *core.Error
		if !errors.Is(err, client.ErrUnreachable) || !errors.As(err, &e) || e.Hint != "jarvis daemon start" {
			t.Errorf("ask: %v", err)
		}
	}
	if err := c.Stop(t.Context(), api.ChatStop{Chain: "x"}); !errors.Is(err, client.ErrUnreachable) {
		t.Errorf("stop: %v", err)
	}
}

func TestADaemonThatCannotStartSaysWhy(t *testing.T) {
	h := newHome(t)
	c := newClient(t, h, func(o *client.Options) {
		o.NoAutostart = false
		o.Spawn = func(context.Context, []string) (func() error, error) {
			said := "2026/01/01 noise\njarvisd: unknown key \"colour\"\x1b[31m in config.yaml, line 3\nTry: jarvis config edit\n"
			if err := os.WriteFile(h.Logs+"/"+client.ErrLog, []byte(said), 0o600); err != nil {
				return nil, err
			}
			return func() error { return errors.New("exit status 1") }, nil
		}
	})
	_, err := c.Sessions(t.Context(), false, core.Page{})
	var e *core.Error
	if !errors.Is(err, client.ErrUnreachable) || !errors.As(err, &e) || !strings.Contains(e.Message, `unknown key "colour"`) ||
		strings.Contains(e.Message, "\x1b") || e.Hint != "jarvis config edit" {
		t.Errorf("got %q %q", e.Message, e.Hint)
	}
}

func TestATokenThatWasJustRenewedIsReadAgain(t *testing.T) {
	h := newHome(t)
	serve(t, h, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer new" {
			_ = os.WriteFile(h.Token, []byte("new"), 0o600)
			refuse(w, core.Unauthorized, "wrong token")
			return
		}
		_, _ = w.Write([]byte(`{"state":"ready"}`))
	})
	if s, err := newClient(t, h, nil).Status(t.Context()); err != nil || s.State != api.StateReady {
		t.Errorf("%+v %v", s, err)
	}
}

func TestAWrongTokenIsNotRetriedForEver(t *testing.T) {
	h := newHome(t)
	n := 0
	serve(t, h, func(w http.ResponseWriter, _ *http.Request) {
		n++
		refuse(w, core.Unauthorized, "wrong token")
	})
	if _, err := newClient(t, h, nil).Status(t.Context()); core.CodeOf(err) != core.Unauthorized || n != 1 {
		t.Errorf("%v after %d requests", err, n)
	}
}

func TestWarningsComeOnce(t *testing.T) {
	h := newHome(t)
	serve(t, h, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(api.VersionHeader, "9.9.9")
		w.Header().Set(api.VarsHeader, r.Header.Get(api.VarsHeader))
		_, _ = w.Write([]byte(`{}`))
	})
	var said []string
	ask := func() {
		c := newClient(t, h, func(o *client.Options) {
			o.Version = "1.0.0"
			o.Warn = func(s string) { said = append(said, s) }
			o.Getenv = func(name string) string {
				if name == "ANTHROPIC_API_KEY" {
					return "sk-secret"
				}
				return ""
			}
		})
		for range 2 {
			if _, err := c.Status(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	ask()
	if len(said) != 2 || !strings.Contains(said[0], "9.9.9") || !strings.Contains(said[0], "jarvis daemon restart") || !strings.Contains(said[1], "ANTHROPIC_API_KEY") {
		t.Fatalf("said %q", said)
	}
	if all := strings.Join(said, ""); strings.Contains(all, "sk-secret") || strings.Contains(all, "\x1b") {
		t.Errorf("said %q", said)
	}
	said = nil
	ask() // the next command: another version stays worth a word, the variables were named
	if len(said) != 1 || !strings.Contains(said[0], "9.9.9") {
		t.Errorf("the second command said %q", said)
	}
}

func TestPullYieldsUntilTheEnd(t *testing.T) {
	h := newHome(t)
	serve(t, h, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("event: progress\ndata: {\"bytes\":1}\n\nevent: progress\ndata: {\"bytes\":2,\"error\":{\"code\":\"internal\",\"message\":\"no\"}}\n\n"))
	})
	var n int
	var last error
	for _, err := range newClient(t, h, nil).PullModel(t.Context(), "m") {
		n++
		last = err
	}
	if n != 2 || core.CodeOf(last) != core.Internal {
		t.Errorf("%d pairs, %v", n, last)
	}
}

func TestCancelEndsAnAsk(t *testing.T) {
	h := newHome(t)
	serve(t, h, func(w http.ResponseWriter, r *http.Request) {
		send(w, event(1, core.EventMessage, "x"))
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range newClient(t, h, nil).Ask(ctx, api.Chat{Content: "x"}) {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("got %v", last)
	}
}

func FuzzStream(f *testing.F) {
	f.Add([]byte("data: {\"type\":\"text\"}\n\n"))
	f.Add([]byte(": c\nid: 4\ndata: a\ndata: b\r\n\r\ndata"))
	f.Add(bytes.Repeat([]byte("x"), 70<<10))
	f.Fuzz(func(t *testing.T, b []byte) {
		n := 0
		for data := range client.StreamForTest(bytes.NewReader(b)) {
			n += len(data)
		}
		if n > len(b) {
			t.Errorf("%d bytes out of %d", n, len(b))
		}
	})
}
