package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/daemon/api"
)

// someTranscripts reads and writes as it is told.
type someTranscripts struct {
	export func(e Exporting, w io.Writer) error
	read   int64 // bytes of what was imported
}

func (f *someTranscripts) Fork(_ context.Context, _ core.UserID, id core.SessionID, _ api.SessionFork) (core.Session, error) {
	return core.Session{ID: id}, nil
}

func (f *someTranscripts) Export(_ context.Context, _ core.UserID, _ core.SessionID, e Exporting, w io.Writer) error {
	return f.export(e, w)
}

func (f *someTranscripts) Import(_ context.Context, _ core.UserID, r io.Reader) (api.SessionImported, error) {
	n, err := io.Copy(io.Discard, r)
	f.read += n
	return api.SessionImported{Messages: int(n)}, err
}

type oneSession struct{ Sessions }

func (oneSession) Find(context.Context, core.UserID, string) (core.Session, error) {
	return core.Session{ID: "0199a0de-0000-7000-8000-000000000001"}, nil
}

func serveTranscripts(t *testing.T, f *someTranscripts) *httptest.Server {
	t.Helper()
	s := New(Config{Transcripts: f, Sessions: oneSession{}, Limits: func() Limits { return Limits{Import: 1000} }})
	mux := http.NewServeMux()
	for pattern, h := range s.transcriptRoutes() {
		mux.Handle(pattern, s.handle(h))
	}
	web := httptest.NewServer(s.wrap(mux))
	t.Cleanup(web.Close)
	return web
}

func TestExportAnswers(t *testing.T) {
	f := &someTranscripts{}
	web := serveTranscripts(t, f)
	get := func(query string) (*http.Response, string, error) {
		resp, err := http.Get(web.URL + "/api/sessions/000001/export" + query) //nolint:noctx // a test
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return resp, string(b), err
	}
	f.export = func(e Exporting, w io.Writer) error {
		if e.Format != "html" || !e.NoAttachments || e.Lang != "de" {
			t.Errorf("asked for %+v", e)
		}
		_, err := io.WriteString(w, "page")
		return err
	}
	resp, body, err := get("?format=html&attachments=0&lang=de")
	h := resp.Header
	if err != nil || body != "page" || h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("Content-Security-Policy") != "sandbox" ||
		!strings.HasPrefix(h.Get("Content-Disposition"), "attachment") || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%v, %s, %v", h, body, err)
	}
	f.export = func(_ Exporting, w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("x", 100_000))
		return errors.New("the session is gone")
	}
	if resp, _, err := get(""); resp.StatusCode != http.StatusOK || err == nil {
		t.Errorf("cut off it looks whole: %d, %v", resp.StatusCode, err)
	}
	f.export = func(Exporting, io.Writer) error { return core.E(core.BadRequest, "another format", "", nil) }
	if resp, body, err := get("?format=x"); resp.StatusCode != http.StatusBadRequest || err != nil || !strings.Contains(body, "another format") {
		t.Errorf("%d, %s, %v", resp.StatusCode, body, err)
	}
}

func TestImportBounds(t *testing.T) {
	for name, c := range map[string]struct {
		body   io.Reader
		status int
		most   int64 // bytes read
	}{
		"fits":           {strings.NewReader(strings.Repeat("x", 1000)), http.StatusCreated, 1000},
		"said too large": {strings.NewReader(strings.Repeat("x", 1001)), http.StatusRequestEntityTooLarge, 0},
		"too large":      {io.LimitReader(ones{}, 1<<30), http.StatusRequestEntityTooLarge, 1000},
		"empty":          {http.NoBody, http.StatusBadRequest, 0},
	} {
		f := &someTranscripts{}
		web := serveTranscripts(t, f)
		resp, err := http.Post(web.URL+"/api/sessions/import", "application/json", c.body) //nolint:noctx // a test
		if err != nil {
			if name == "too large" { // the server hung up while we were sending, which is right
				continue
			}
			t.Fatalf("%s: %v", name, err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if resp.StatusCode != c.status || f.read > c.most {
			t.Errorf("%s: %d after %d bytes", name, resp.StatusCode, f.read)
		}
	}
}

type ones struct{}

func (ones) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '1'
	}
	return len(p), nil
}
