package server_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/server"
)

func TestChatStreamsTheChain(t *testing.T) {
	r := newRig(t, nil)
	resp := r.do(t, "POST", "/api/chat", `{"content":"hi","chain":"`+string(chainA)+`","origin":"cli","cwd":"/x","lang":"de","tools":[]}`)
	if ct := resp.Header.Get("Content-Type"); ct != "text/event-stream" {
		t.Fatalf("content type %q: %s", ct, text(t, resp))
	}
	if resp.Header.Get(api.ChainHeader) != string(chainA) || resp.Header.Get(api.SessionHeader) != string(session) {
		t.Errorf("headers do not name chain and session")
	}
	want := ""
	for _, e := range threeEvents(chainA) {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		want += fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Type, b)
	}
	if got := text(t, resp); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	a := r.chat.lastAsk()
	if a.User != core.Owner || a.Text != "hi" || a.Origin.Kind != "cli" || a.Params.Cwd != "/x" || a.Params.Lang != "de" || a.Params.Tools == nil {
		t.Errorf("asked %+v", a)
	}
}

func TestASecondRequestOfAChainAttaches(t *testing.T) {
	r := newRig(t, nil)
	body := `{"content":"hi","chain":"` + string(chainA) + `"}`
	first := text(t, r.do(t, "POST", "/api/chat", body))
	if second := text(t, r.do(t, "POST", "/api/chat", body)); second != first {
		t.Errorf("the second request got\n%s", second)
	}
	if n := len(r.chat.asked); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestAnotherUsersChainIsUnknown(t *testing.T) {
	r := newRig(t, nil)
	r.chat.chains = map[core.ChainID]core.Chain{chainB: {ID: chainB, User: 2}}
	for _, path := range []string{"/api/chains/" + string(chainB), "/api/chains/" + string(chainB) + "/events"} {
		if e := failure(t, r.do(t, "GET", path, "")); e.Code != core.NotFound {
			t.Errorf("%s: %s", path, e.Code)
		}
	}
	r.do(t, "POST", "/api/chat", `{"content":"hi","chain":"`+string(chainB)+`"}`)
	if n := len(r.chat.asked); n != 1 {
		t.Errorf("the service was not asked, which alone may refuse the id")
	}
}

func TestResume(t *testing.T) {
	r := newRig(t, nil)
	r.chat.chains = map[core.ChainID]core.Chain{chainA: {ID: chainA, User: core.Owner, Session: session}}
	path := "/api/chains/" + string(chainA) + "/events"
	for _, tt := range []struct {
		query, header string
		first         string
	}{
		{"", "", "id: 1\n"},
		{"?after=1", "", "id: 2\n"},
		{"", "Last-Event-ID: 2", "id: 3\n"},
		{"?after=1", "Last-Event-ID: 2", "id: 3\n"},
		{"?after=3", "", ""},
	} {
		var h []string
		if tt.header != "" {
			h = append(h, tt.header)
		}
		resp := r.do(t, "GET", path+tt.query, "", h...)
		if got := text(t, resp); resp.StatusCode != 200 || !strings.HasPrefix(got, tt.first) {
			t.Errorf("%s %s: %d %q", tt.query, tt.header, resp.StatusCode, got)
		}
	}
}

func TestContinueTakesTheNewestAskOfTheFolder(t *testing.T) {
	r := newRig(t, nil)
	for _, cwd := range []string{"/here", "/elsewhere", ""} {
		text(t, r.do(t, "POST", "/api/chat", `{"content":"on","continue":true,"cwd":"`+cwd+`"}`))
		if got := r.chat.lastAsk().Session; got != session {
			t.Errorf("%s: session %q", cwd, got)
		}
	}
	if e := failure(t, r.do(t, "POST", "/api/chat", `{"content":"on","continue":true,"cwd":"/nowhere"}`)); e.Code != core.NotFound {
		t.Errorf("nothing to continue: %s", e.Code)
	}
	text(t, r.do(t, "POST", "/api/chat", `{"content":"on","sessionId":"0000aa"}`))
	if got := r.chat.lastAsk().Session; got != session {
		t.Errorf("seed 001's spelling: session %q", got)
	}
}

func TestAnErrorBeforeTheFirstEventIsAnEnvelope(t *testing.T) {
	r := newRig(t, nil)
	r.chat.events = func(_ context.Context, _ core.ChainID, _ uint64, yield func(core.Event, error) bool) {
		yield(core.Event{}, core.E(core.NotFound, "there is no journal", "", nil))
	}
	if e := failure(t, r.do(t, "POST", "/api/chat", `{"content":"hi"}`)); e.Code != core.NotFound {
		t.Errorf("got %s", e.Code)
	}
	r.chat.askErr = core.E(core.UpstreamUnavailable, "the daemon is stopping", "", nil)
	resp := r.do(t, "POST", "/api/chat", `{"content":"hi"}`)
	if resp.Header.Get("Retry-After") == "" || failure(t, resp).Code != core.UpstreamUnavailable {
		t.Errorf("a stopping daemon does not ask to come back")
	}
}

func TestAnErrorInTheStreamCutsTheConnection(t *testing.T) {
	r := newRig(t, nil)
	r.chat.events = func(_ context.Context, id core.ChainID, _ uint64, yield func(core.Event, error) bool) {
		yield(threeEvents(id)[0], nil)
		yield(core.Event{}, errors.New("disk"))
	}
	resp := r.do(t, "POST", "/api/chat", `{"content":"hi"}`)
	if b, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the stream ended in order: %v %q", err, b)
	}
}

func TestEventsGoOutAtOnceAndStreamsStayAlive(t *testing.T) {
	r := newRig(t, func(c *server.Config) { c.KeepAlive = 5 * time.Millisecond })
	left := make(chan struct{})
	r.chat.events = func(ctx context.Context, id core.ChainID, _ uint64, yield func(core.Event, error) bool) {
		defer close(left)
		yield(threeEvents(id)[0], nil)
		<-ctx.Done()
	}
	resp := r.do(t, "POST", "/api/chat", `{"content":"hi"}`)
	b := bufio.NewReader(resp.Body)
	for _, want := range []string{"id: 1\n", "event: message\n"} {
		if got, err := b.ReadString('\n'); got != want {
			t.Fatalf("got %q %v", got, err)
		}
	}
	for line := ""; line != ": keep-alive\n"; {
		var err error
		if line, err = b.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	_ = resp.Body.Close()
	<-left // the reader's going is seen, and the iterator is left
}

func TestAStoppingDaemonCutsItsStreams(t *testing.T) {
	stopping := make(chan struct{})
	r := newRig(t, func(c *server.Config) { c.Stopping = stopping })
	r.chat.events = func(ctx context.Context, id core.ChainID, _ uint64, yield func(core.Event, error) bool) {
		yield(threeEvents(id)[0], nil)
		<-ctx.Done()
	}
	resp := r.do(t, "POST", "/api/chat", `{"content":"hi"}`)
	close(stopping)
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the stream ended in order: %v", err)
	}
}

func TestASlowReaderBoundsItsBuffer(t *testing.T) {
	r := newRig(t, nil)
	const n, size = 400, 64 << 10
	big := strings.Repeat("x", size)
	sent := make(chan int, n)
	r.chat.events = func(_ context.Context, id core.ChainID, _ uint64, yield func(core.Event, error) bool) {
		for i := range n {
			e := threeEvents(id)[1]
			e.Seq, e.Text = uint64(i+1), big
			if !yield(e, nil) {
				return
			}
			sent <- i
		}
	}
	resp := r.do(t, "POST", "/api/chat", `{"content":"hi"}`)
	b := bufio.NewReader(resp.Body)
	if _, err := b.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	// Nobody reads: what can be ahead of the reader is two buffers, net/http's and the kernel's, far from 25 MB.
	for range 20 {
		<-sent
		if len(sent) == 0 {
			break
		}
	}
	if ahead := len(sent); ahead > n/2 {
		t.Errorf("%d events are ahead of a reader that does not read", ahead)
	}
	got := 0
	for {
		line, err := b.ReadString('\n')
		if err != nil {
			break
		}
		if strings.HasPrefix(line, "data: ") {
			got++
		}
	}
	if got != n {
		t.Errorf("%d of %d events came", got, n)
	}
}

func TestAttachments(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	pdf := "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
	tests := []struct {
		name, file, said, data string
		want                   string // media type
		code                   core.Code
		says                   string
	}{
		{name: "text", file: "a.txt", data: "hello", want: "text/plain"},
		{name: "code", file: "main.go", said: "application/octet-stream", data: "package main", want: "text/plain"},
		{name: "json", file: "a.json", said: "application/json", data: "{}", want: "text/plain"},
		{name: "png", file: "dir/a.PNG", data: png, want: "image/png"},
		{name: "pdf", file: "a.pdf", said: "application/pdf", data: pdf, want: "application/pdf"},
		{name: "stdin image", file: "stdin", data: png, want: "image/png"},
		{name: "html is text", file: "a.html", data: "<html>", want: "text/plain"},
		{name: "png that is text", file: "a.png", data: "hello", code: core.BadRequest, says: "not a PNG image but text"},
		{name: "jpg that is png", file: "a.jpg", data: png, code: core.BadRequest, says: "not a JPEG image but a PNG image"},
		{name: "pdf that is noise", file: "a.pdf", data: "\x00\x01\x02", code: core.BadRequest, says: "not a PDF"},
		{name: "said png", file: "a", said: "image/png", data: "hello", code: core.BadRequest, says: "not a PNG image but text"},
		{name: "said text", file: "a", said: "text/csv; charset=utf-8", data: png, code: core.BadRequest, says: "not text but a PNG image"},
		{name: "noise", file: "a.bin", data: "\x00\x01\x02", code: core.BadRequest, says: "neither text"},
		{name: "empty", file: "a.txt", data: "", code: core.BadRequest, says: "empty"},
		{name: "too large", file: "a.txt", data: strings.Repeat("x", 2001), code: core.TooLarge, says: "a.txt"},
		{name: "name of a terminal", file: "a\x1b[31m.bin", data: "\x00", code: core.BadRequest, says: "a[31m.bin"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, nil)
			body, err := json.Marshal(map[string]any{"content": "look", "attachments": []map[string]string{
				{"name": tt.file, "media_type": tt.said, "data": base64.StdEncoding.EncodeToString([]byte(tt.data))},
			}})
			if err != nil {
				t.Fatal(err)
			}
			resp := r.do(t, "POST", "/api/chat", string(body))
			if tt.code != "" {
				if e := failure(t, resp); e.Code != tt.code || !strings.Contains(e.Message, tt.says) {
					t.Errorf("got %s %q", e.Code, e.Message)
				}
				if len(r.blobs.m) > 0 {
					t.Errorf("a refused file was stored")
				}
				return
			}
			text(t, resp)
			a := r.chat.lastAsk().Attachments
			if len(a) != 1 || a[0].MediaType != tt.want || a[0].Size != int64(len(tt.data)) || strings.ContainsAny(a[0].Name, "/\\") {
				t.Errorf("got %+v", a)
			}
			// The same file named by its digest.
			text(t, r.do(t, "POST", "/api/chat", `{"content":"again","attachments":[{"name":"`+a[0].Name+`","blob":"`+string(a[0].Digest)+`"}]}`))
			if b := r.chat.lastAsk().Attachments; len(b) != 1 || b[0].MediaType != tt.want {
				t.Errorf("by digest: %+v", b)
			}
		})
	}
}

func TestThePrivateRequestsFileTouchesNoDisk(t *testing.T) {
	r := newRig(t, nil)
	for private, want := range map[string]int{"false": 0, "true": 1} {
		r.blobs.private = 0
		text(t, r.do(t, "POST", "/api/chat", `{"content":"x","private":`+private+`,"attachments":[{"name":"a.txt","data":"aGVsbG8="}]}`))
		if r.blobs.private != want {
			t.Errorf("private %s: %d files were kept in memory only, want %d", private, r.blobs.private, want)
		}
	}
}

// TestAPanicInAStreamIsLoggedAndEndsIt would otherwise be met again and again by a reader that comes back.
func TestAPanicInAStreamIsLoggedAndEndsIt(t *testing.T) {
	var log lockedBuffer
	r := newRig(t, func(c *server.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	for _, shown := range []bool{false, true} {
		log.Reset()
		r.chat.events = func(_ context.Context, id core.ChainID, _ uint64, yield func(core.Event, error) bool) {
			if shown {
				yield(threeEvents(id)[0], nil)
			}
			panic("boom")
		}
		resp := r.do(t, "POST", "/api/chat", `{"content":"hi"}`)
		if !shown {
			if e := failure(t, resp); e.Code != core.Internal {
				t.Errorf("before the first event: %+v", e)
			}
		} else if got := text(t, resp); !strings.Contains(got, "id: 2\nevent: error\n") || !strings.Contains(got, `"code":"internal"`) || strings.Contains(got, "boom") {
			t.Errorf("after the first event: %s", got)
		}
		if got := log.String(); !strings.Contains(got, "boom") || !strings.Contains(got, "stack=") || !strings.Contains(got, string(chainA)) {
			t.Errorf("the log has %q", got)
		}
	}
}

// lockedBuffer takes a log that several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *lockedBuffer) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Reset()
}

func TestABlobThatIsNotThereIsUnknown(t *testing.T) {
	r := newRig(t, nil)
	for _, d := range []string{"../../etc/passwd", strings.Repeat("b", 64)} {
		resp := r.do(t, "POST", "/api/chat", `{"content":"x","attachments":[{"name":"a","blob":"`+d+`"}]}`)
		if e := failure(t, resp); e.Code != core.NotFound {
			t.Errorf("%s: %s", d, e.Code)
		}
	}
}

func FuzzChatBody(f *testing.F) {
	for _, s := range []string{`{"content":"hi"}`, `{"content":"hi","attachments":[{"name":"a","data":"AAAA"}]}`, `{`, `null`, `{"content":"\ud800"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		chat := &fakeChat{}
		s := server.New(server.Config{
			Chat: chat, Sessions: fakeSessions{}, Blobs: &fakeBlobs{}, Token: token, UID: 0,
			Limits: func() server.Limits { return server.Limits{Prompt: 1000, Attachment: 1000, Request: 4000} },
		})
		w := &recorder{header: http.Header{}}
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://jarvis/api/chat", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		s.ChatForTest(w, req)
		if w.status != 200 && !strings.Contains(w.body.String(), `"request_id"`) {
			t.Errorf("status %d without an envelope: %s", w.status, w.body.String())
		}
	})
}

type recorder struct {
	header http.Header
	body   strings.Builder
	status int
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }
func (r *recorder) WriteHeader(s int)           { r.status = s }
func (r *recorder) FlushError() error           { return nil }
