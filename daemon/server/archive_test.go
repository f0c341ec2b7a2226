package server_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/daemon/server"
)

const anArchive = "0199a0de-0000-7000-8000-00000000000a"

type fakeArchives struct{ pick core.ArchivePick }

func (f *fakeArchives) Archive(_ context.Context, _ core.UserID, s core.SessionID, pick core.ArchivePick) (core.Archive, error) {
	f.pick = pick
	return core.Archive{ID: anArchive, Session: s}, nil
}

func (f *fakeArchives) RestoreArchive(_ context.Context, _ core.UserID, id core.ArchiveID) (core.Archive, error) {
	if id != anArchive {
		return core.Archive{}, core.E(core.NotFound, "none", "", nil)
	}
	return core.Archive{ID: id}, nil
}

func (f *fakeArchives) Archives(context.Context, core.SessionID, core.Page) ([]core.Archive, core.Cursor, error) {
	return nil, "", nil
}

func (f *fakeArchives) ReadArchive(
	_ context.Context, _ core.UserID, id core.ArchiveID, _ core.Page,
) (core.Archive, []core.Message, core.Cursor, error) {
	return core.Archive{ID: id}, []core.Message{{Text: "hi", Opaque: &core.Opaque{Data: []byte(`"secret"`)}}}, "next", nil
}

type fakeNotes struct{ made core.SessionEdit }

func (f *fakeNotes) Create(_ context.Context, _ core.UserID, e core.SessionEdit) (core.Session, error) {
	f.made = e
	return core.Session{ID: "s"}, nil
}

func (f *fakeNotes) Mark(_ context.Context, _ core.UserID, id core.MessageID, marked bool) (core.Message, error) {
	return core.Message{ID: id, Marked: marked}, nil
}

func (f *fakeNotes) Marked(context.Context, core.SessionID, core.Page) ([]core.Message, core.Cursor, error) {
	return []core.Message{{Text: "important"}}, "", nil
}

func (f *fakeNotes) Attachment(_ context.Context, _ core.UserID, id string) (core.Attachment, error) {
	if id != "c.0" {
		return core.Attachment{}, core.E(core.NotFound, "none", "", nil)
	}
	return core.Attachment{Name: "../a\"b.html", MediaType: "text/plain", Size: 5, Digest: core.Digest(strings.Repeat("a", 63) + "0")}, nil
}

func (f *fakeNotes) News(ctx context.Context, _ core.SessionID, after core.Cursor, wait time.Duration) ([]core.Message, core.Cursor, bool, error) {
	if wait > 0 {
		<-ctx.Done()
		return nil, "", false, ctx.Err()
	}
	return nil, after + "1", true, nil
}

// TestHistoryRoutes asks each route, rightly and wrongly.
func TestHistoryRoutes(t *testing.T) {
	archives, notes := &fakeArchives{}, &fakeNotes{}
	r := newRig(t, func(c *server.Config) { c.Archives, c.Notes = archives, notes })
	id := "?session_id=" + string(session)
	for _, tc := range []struct {
		method, path, body string
		status             int
		has                string
	}{
		{"POST", "/api/sessions", "", 201, `"id":"s"`},
		{"POST", "/api/sessions", `{"title":"x","context":"y"}`, 201, `"id":"s"`},
		{"POST", "/api/sessions", `{"titel":"x"}`, 400, "unknown field"},
		{"GET", "/api/history" + id, "", 200, `"items":[{`},
		{"GET", "/api/history?sessionId=" + string(session), "", 200, `"items":[{`},
		{"GET", "/api/history" + id + "&marked=1", "", 200, "important"},
		{"GET", "/api/history" + id + "&view=some", "", 400, "view is all"},
		{"GET", "/api/history", "", 400, "session_id"},
		{"GET", "/api/history?session_id=../x", "", 404, "no session"},
		{"GET", "/api/history/poll" + id, "", 200, `{"items":[],"position":"1","running":true}`},
		{"GET", "/api/history/poll" + id + "&wait=-1", "", 400, "wait"},
		{"GET", "/api/history/poll?session_id=%00", "", 404, "no session"},
		{"POST", "/api/history/archive", `{"session_id":"` + string(session) + `","keep":3}`, 201, anArchive},
		{"POST", "/api/history/archive", `{"sessionId":"` + string(session) + `","before":"2026-01-02T00:00:00Z"}`, 201, anArchive},
		{"POST", "/api/history/archive", `{"session_id":"` + string(session) + `","keep":-1}`, 400, "keep"},
		{"POST", "/api/history/archive", `{"session_id":"` + string(session) + `","keep":1,"all":true}`, 400, "keep"},
		{"POST", "/api/history/archive", `{"session_id":"` + string(session) + `","before":"yesterday"}`, 400, ""},
		{"POST", "/api/history/archive", `{}`, 400, "session_id"},
		{"GET", "/api/history/archives" + id, "", 200, `{"items":[],"next_cursor":""}`},
		{"GET", "/api/history/archive/" + anArchive, "", 200, `"next_cursor":"next"`},
		{"GET", "/api/history/archive/" + strings.Repeat("a", 5000), "", 404, "no archive"},
		{"POST", "/api/history/archive/" + anArchive + "/restore", "", 200, anArchive},
		{"POST", "/api/history/archive/..%2f..%2fx/restore", "", 404, "no archive"},
		{"PUT", "/api/history/messages/c.1/mark", "", 200, `"marked":true`},
		{"PUT", "/api/history/messages/c.1/mark", `{"marked":false}`, 200, `"marked":false`},
		{"GET", "/api/history/chains/nothing", "", 404, "no chain"},
		{"GET", "/api/history/attachments/nothing", "", 404, "none"},
	} {
		resp := r.do(t, tc.method, tc.path, tc.body)
		got := text(t, resp)
		if resp.StatusCode != tc.status || !strings.Contains(got, tc.has) || strings.Contains(got, "secret") {
			t.Errorf("%s %.80s %s: %d %s", tc.method, tc.path, tc.body, resp.StatusCode, got)
		}
	}
	if archives.pick.Before.Year() != 2026 || notes.made.Context == nil || *notes.made.Context != "y" || notes.made.Model != nil {
		t.Errorf("asked for %+v, %+v", archives.pick, notes.made)
	}
}

// TestAttachmentIsAFile: whatever it is, nobody shows it in the daemon's name.
func TestAttachmentIsAFile(t *testing.T) {
	r := newRig(t, func(c *server.Config) { c.Notes = &fakeNotes{} })
	if _, _, err := r.blobs.Put(t.Context(), strings.NewReader("hello")); err != nil {
		t.Fatal(err)
	}
	resp := r.do(t, "GET", "/api/history/attachments/c.0", "")
	h := resp.Header
	if got := text(t, resp); got != "hello" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Security-Policy") != "sandbox" ||
		h.Get("Content-Disposition") != `attachment; filename="a\"b.html"` || h.Get("Content-Length") != "5" {
		t.Errorf("%q, %v", got, h)
	}
}

// TestPollEndsWithTheDaemon: who waits for news is told to come back.
func TestPollEndsWithTheDaemon(t *testing.T) {
	stopping := make(chan struct{})
	r := newRig(t, func(c *server.Config) { c.Notes, c.Stopping = &fakeNotes{}, stopping })
	time.AfterFunc(20*time.Millisecond, func() { close(stopping) })
	resp := r.do(t, "GET", "/api/history/poll?wait=1000&session_id="+string(session), "")
	if resp.StatusCode != http.StatusBadGateway && resp.StatusCode != http.StatusServiceUnavailable {
		b, err := io.ReadAll(resp.Body)
		t.Errorf("%d %s %v", resp.StatusCode, b, err)
	}
}
