package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
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
	"jarvis/daemon/client"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

// fakeModel is a server of the OpenAI kind. It answers with the words of the last user message behind its last "say ", slowly when
// pace is set, and remembers every request.
type fakeModel struct {
	*httptest.Server
	mu       sync.Mutex // guards what follows
	pace     time.Duration
	hold     chan struct{} // when set, an answer stops after its first word until it is closed
	requests []chatRequest
}

type chatRequest struct {
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
}

func newFakeModel(tb testing.TB) *fakeModel {
	tb.Helper()
	f := &fakeModel{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"m","object":"model"}]}`))
	})
	mux.HandleFunc("POST /v1/chat/completions", f.complete)
	f.Server = httptest.NewServer(mux)
	tb.Cleanup(f.Close)
	return f
}

func (f *fakeModel) complete(w http.ResponseWriter, r *http.Request) {
	var req chatRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	f.requests = append(f.requests, req)
	pace, hold := f.pace, f.hold
	f.mu.Unlock()
	last := plainText(req.Messages[len(req.Messages)-1].Content)
	// A question whose answer was cut before its first word stands in the same turn as the one behind it.
	words := last
	if i := strings.LastIndex(last, "say "); i >= 0 {
		words = last[i+len("say "):]
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for i, word := range strings.SplitAfter(words, " ") {
		b, _ := json.Marshal(word)
		if _, err := fmt.Fprintf(w, `data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":%s}}]}`+"\n\n", b); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		if hold != nil && i == 0 {
			select {
			case <-hold:
			case <-r.Context().Done():
				return
			}
		}
		if pace > 0 {
			select {
			case <-time.After(pace):
			case <-r.Context().Done():
				return
			}
		}
	}
	_, _ = w.Write([]byte(`data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"))
}

// plainText is a message's text, whether it was sent as a string or in parts.
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts)
	for _, p := range parts {
		s += p.Text
	}
	return s
}

func (f *fakeModel) set(change func(*fakeModel)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *fakeModel) asked() []chatRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]chatRequest(nil), f.requests...)
}

// newHome is an empty home whose configuration asks the fake model; more is YAML behind it.
func newHome(tb testing.TB, f *fakeModel, more string) home.Home {
	tb.Helper()
	dir, err := os.MkdirTemp("", "jv") // shorter than TempDir: the socket's path is bounded
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	h, err := home.Find(config.Env{"JARVIS_HOME=" + dir}.Get)
	if err != nil {
		tb.Fatal(err)
	}
	if f == nil {
		return h
	}
	yaml := "model: fake/m\n"
	if !strings.Contains(more, "listen:") {
		yaml += "listen: \"\"\n"
	}
	yaml += "providers:\n  fake: {type: openai-compatible, base_url: \"" + f.URL + "/v1\", api_key: k, models: [{id: m, context_window: 100000}]}\n"
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(yaml+more), 0o600); err != nil {
		tb.Fatal(err)
	}
	return h
}

// running is a daemon in this process.
type running struct {
	h      home.Home
	status api.Status
	cancel context.CancelFunc
	done   chan struct{}
	err    error // valid after done
}

// start runs a daemon until the test ends, and waits until it is ready.
func start(tb testing.TB, o Options) *running {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	r := &running{h: o.Home, cancel: cancel, done: make(chan struct{})}
	ready := make(chan api.Status, 1)
	o.Ready = func(s api.Status) { ready <- s }
	if o.Env == nil {
		o.Env = config.Env{}
	}
	go func() {
		defer close(r.done)
		r.err = Run(ctx, o)
	}()
	tb.Cleanup(func() { r.stop() })
	select {
	case r.status = <-ready:
	case <-r.done:
		tb.Fatalf("daemon did not start: %v", r.err)
	}
	return r
}

func (r *running) stop() error {
	r.cancel()
	<-r.done
	return r.err
}

func (r *running) client(tb testing.TB) *client.Client {
	tb.Helper()
	return newClient(tb, r.h, nil)
}

func newClient(tb testing.TB, h home.Home, change func(*client.Options)) *client.Client {
	tb.Helper()
	o := client.Options{Home: h, NoAutostart: true, Getenv: func(string) string { return "" }}
	if change != nil {
		change(&o)
	}
	c := client.New(o)
	tb.Cleanup(c.Close)
	return c
}

// ask collects a chain's events.
func ask(ctx context.Context, c *client.Client, req api.Chat) (events []core.Event, err error) {
	for e, err := range c.Ask(ctx, req) {
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
	return events, nil
}

func shown(events []core.Event) string {
	var b strings.Builder
	for _, e := range events {
		if e.Type == core.EventText {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}

// journalOf reads a chain's journal from the disk, as nobody's reader would.
func journalOf(tb testing.TB, h home.Home, id core.ChainID) []core.Event {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(h.Runs, "*", string(id)+".jsonl"))
	if err != nil || len(paths) != 1 {
		tb.Fatalf("journal of %s: %v %v", id, paths, err)
	}
	f, err := os.Open(paths[0])
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var out []core.Event
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e core.Event
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Seq > 0 {
			out = append(out, e)
		}
	}
	return out
}
