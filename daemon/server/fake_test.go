package server_test

import (
	"context"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/server"
)

const (
	token   = "the-token"
	chainA  = core.ChainID("018f0000-0000-7000-8000-00000000000a")
	chainB  = core.ChainID("018f0000-0000-7000-8000-00000000000b") // another user's
	session = core.SessionID("018f0000-0000-7000-8000-0000000000aa")
)

// fakeChat plays a script for every chain. Its zero value answers each request with three events.
type fakeChat struct {
	mu     sync.Mutex
	asked  []core.Ask
	chains map[core.ChainID]core.Chain
	stops  []core.ChainID
	events func(ctx context.Context, id core.ChainID, after uint64, yield func(core.Event, error) bool)
	askErr error
}

func (f *fakeChat) Ask(_ context.Context, a core.Ask) (core.Chain, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, a)
	if f.askErr != nil {
		return core.Chain{}, f.askErr
	}
	c := core.Chain{ID: a.Chain, Session: session, User: a.User, State: core.Queued}
	if c.ID == "" {
		c.ID = chainA
	}
	if f.chains == nil {
		f.chains = map[core.ChainID]core.Chain{}
	}
	f.chains[c.ID] = c
	return c, nil
}

func (f *fakeChat) Events(ctx context.Context, _ core.UserID, id core.ChainID, after uint64) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		if f.events != nil {
			f.events(ctx, id, after, yield)
			return
		}
		for _, e := range threeEvents(id) {
			if e.Seq > after && !yield(e, nil) {
				return
			}
		}
	}
}

func (f *fakeChat) StopSession(ctx context.Context, u core.UserID, id core.SessionID) error {
	return f.Stop(ctx, u, core.ChainID(id))
}

func (f *fakeChat) Stop(_ context.Context, _ core.UserID, id core.ChainID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stops = append(f.stops, id)
	return nil
}

func (f *fakeChat) Chain(_ context.Context, user core.UserID, id core.ChainID) (core.Chain, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c, ok := f.chains[id]; ok && c.User == user {
		return c, nil
	}
	return core.Chain{}, core.E(core.NotFound, "no such chain", "", nil)
}

func (f *fakeChat) lastAsk() core.Ask {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[len(f.asked)-1]
}

func threeEvents(id core.ChainID) []core.Event {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	e := func(seq uint64, t core.EventType, text string) core.Event {
		return core.Event{Type: t, Seq: seq, Chain: id, Session: session, Time: at, Text: text}
	}
	return []core.Event{e(1, core.EventMessage, "hi"), e(2, core.EventText, "Hello\nyou"), e(3, core.EventDone, "Hello\nyou")}
}

// fakeSessions knows one session, which `ask` made in /here.
type fakeSessions struct{ chains []core.Chain }

func (fakeSessions) known() core.Session {
	return core.Session{ID: session, User: core.Owner, Title: "One", Cwd: "/here", Hidden: true}
}

func (f fakeSessions) Find(_ context.Context, _ core.UserID, typed string) (core.Session, error) {
	if core.MatchID(string(session), typed) {
		return f.known(), nil
	}
	return core.Session{}, core.E(core.NotFound, "there is no session "+typed, "", nil)
}

func (f fakeSessions) List(_ context.Context, _ core.UserID, hidden bool, p core.Page) ([]core.Session, core.Cursor, error) {
	if !hidden {
		return nil, "", nil
	}
	return []core.Session{f.known()}, core.Cursor("c" + string(rune('0'+p.Limit))), nil
}

func (f fakeSessions) Messages(context.Context, core.SessionID, core.Page) ([]core.Message, core.Cursor, error) {
	return []core.Message{{ID: "x.0", Text: "hi", Opaque: &core.Opaque{Provider: "p", Data: []byte(`"secret"`)}}}, "", nil
}

func (f fakeSessions) Chains(context.Context, core.SessionID, core.Page) ([]core.Chain, core.Cursor, error) {
	return f.chains, "", nil
}

func (f fakeSessions) LastAsk(_ context.Context, _ core.UserID, cwd string) (core.Session, error) {
	if cwd == "/nowhere" {
		return core.Session{}, core.E(core.NotFound, "none", "", nil)
	}
	return f.known(), nil
}

func (fakeSessions) Delete(context.Context, core.UserID, core.SessionID) error { return nil }

func (fakeSessions) Prompt(context.Context, core.UserID, core.SessionID) (string, []api.PromptBlock, error) {
	return "You are.", []api.PromptBlock{{Label: "Identity", Content: "You are."}}, nil
}

type fakeTodos struct{}

func (fakeTodos) List(context.Context, core.UserID) ([]core.Todo, error) { return nil, nil }
func (fakeTodos) Add(_ context.Context, _ core.UserID, content string) (core.Todo, error) {
	return core.Todo{N: 1, Content: content, Status: core.TodoPending}, nil
}

func (fakeTodos) Set(_ context.Context, _ core.UserID, n uint64, status string) (core.Todo, error) {
	return core.Todo{N: n, Status: status}, nil
}

type fakeModels struct {
	pull func(func(api.PullProgress)) error
}

func (fakeModels) List(context.Context) ([]api.Model, error) { return []api.Model{{Ref: "a/b"}}, nil }

func (fakeModels) Test(_ context.Context, t api.ModelTest) api.ModelTested {
	return api.ModelTested{Model: t.Model, OK: true}
}

func (f fakeModels) Pull(_ context.Context, _ string, progress func(api.PullProgress)) error {
	return f.pull(progress)
}

func (fakeModels) Remove(_ context.Context, ref string) error {
	if ref != "local/one" {
		return core.E(core.NotFound, "there is no model "+ref, "", nil)
	}
	return nil
}

type fakeBlobs struct {
	mu      sync.Mutex
	m       map[core.Digest][]byte
	private int // of them in memory only
}

func (f *fakeBlobs) Put(_ context.Context, r io.Reader) (core.Digest, int64, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return "", 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.m == nil {
		f.m = map[core.Digest][]byte{}
	}
	d := core.Digest(strings.Repeat("a", 63) + string(rune('0'+len(f.m))))
	f.m[d] = b
	return d, int64(len(b)), nil
}

func (f *fakeBlobs) PutPrivate(ctx context.Context, r io.Reader) (core.Digest, int64, error) {
	f.mu.Lock()
	f.private++
	f.mu.Unlock()
	return f.Put(ctx, r)
}

func (f *fakeBlobs) Get(_ context.Context, d core.Digest) (io.ReadCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b, ok := f.m[d]
	if !ok {
		return nil, core.E(core.NotFound, "no blob", "", nil)
	}
	return io.NopCloser(strings.NewReader(string(b))), nil
}

// rig is a server on a real socket.
type rig struct {
	chat   *fakeChat
	blobs  *fakeBlobs
	conf   server.Config
	client *http.Client
	url    string
}

func newRig(t *testing.T, change func(*server.Config)) *rig {
	t.Helper()
	return newRigOf(t, change, new(*server.Server))
}

// newRigOf gives the server itself too.
func newRigOf(t *testing.T, change func(*server.Config), made **server.Server) *rig {
	t.Helper()
	r := &rig{chat: &fakeChat{}, blobs: &fakeBlobs{}, url: "http://jarvis"}
	r.conf = server.Config{
		Chat: r.chat, Sessions: fakeSessions{}, Todos: fakeTodos{}, Models: fakeModels{}, Blobs: r.blobs,
		Limits:   func() server.Limits { return server.Limits{Prompt: 1000, Attachment: 2000, Request: 8000} },
		Status:   func(context.Context) api.Status { return api.Status{State: api.StateReady, Warnings: []string{}} },
		Ready:    func(context.Context) api.Ready { return api.Ready{Ready: true} },
		Shutdown: func() {},
		Token:    token, UID: os.Getuid(), Vars: []string{"OPENAI_API_KEY"},
	}
	if change != nil {
		change(&r.conf)
	}
	s := server.New(r.conf)
	*made = s
	path := filepath.Join(t.TempDir(), "s")
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	srv := s.HTTP(s.Socket())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = srv.Serve(l)
	}()
	tr := &http.Transport{ExpectContinueTimeout: 5 * time.Second, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	r.client = &http.Client{Transport: tr}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		_ = srv.Close()
		<-served
	})
	return r
}

// tcp serves the handler of the TCP listener.
func tcp(t *testing.T, c server.Config) string {
	t.Helper()
	ts := httptest.NewServer(server.New(c).TCP())
	t.Cleanup(ts.Close)
	return ts.URL
}

// do sends a request with the token; header lines are "Name: value" and replace what is there ("Name:" removes it).
func (r *rig) do(t *testing.T, method, path, body string, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for _, h := range header {
		name, value, _ := strings.Cut(h, ":")
		value = strings.TrimSpace(value)
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Del(name)
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func text(t *testing.T, resp *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
