package daemon

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/config"
)

func TestAPrivateRequestLeavesNothingOfItsFile(t *testing.T) {
	const secret = "the word that must not stay"
	f := newFakeModel(t)
	d := start(t, Options{Home: newHome(t, f, "")})
	req := api.Chat{Content: "say one", Private: true, Attachments: []api.Attachment{{Name: "a.txt", Data: []byte(secret)}}}
	if _, err := ask(t.Context(), d.client(t), req); err != nil {
		t.Fatal(err)
	}
	sent := ""
	for _, m := range f.asked()[0].Messages {
		sent += plainText(m.Content)
	}
	if !strings.Contains(sent, secret) {
		t.Errorf("the model did not get the file: %q", sent)
	}
	err := filepath.WalkDir(d.h.Data, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), secret) || strings.HasPrefix(path, d.h.Blobs+string(filepath.Separator)) {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAChangedMirrorReachesTheNextPull(t *testing.T) {
	asked := make(chan string, 100)
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		http.NotFound(w, r)
	}))
	t.Cleanup(mirror.Close)
	h := newHome(t, newFakeModel(t), "model_mirror: http://127.0.0.1:1\n")
	d := start(t, Options{Home: h})
	if _, err := config.Set(h.Config, "model_mirror", mirror.URL, config.Env{}); err != nil {
		t.Fatal(err)
	}
	pullable := d.client(t)
	list, err := pullable.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if m.Local && !m.Installed {
			for _, err := range pullable.PullModel(t.Context(), m.Ref) {
				if err != nil {
					break
				}
			}
			break
		}
	}
	if len(asked) == 0 {
		t.Error("the mirror was not asked")
	}
}

// TestWhatPeopleGetWrongIsSaidInTheirWords: the server leaves what core/chat and core/session know to them.
func TestWhatPeopleGetWrongIsSaidInTheirWords(t *testing.T) {
	c := start(t, Options{Home: newHome(t, newFakeModel(t), "")}).client(t)
	for _, tt := range []struct {
		req        api.Chat
		code       core.Code
		says, hint string
	}{
		{api.Chat{Content: "x", Session: "zzz"}, core.BadRequest, `"zzz" is not the id of a session`, "jarvis session list --all"},
		{api.Chat{Content: "x", Session: "abcdef"}, core.NotFound, "there is no session abcdef", "jarvis session list --all"},
		{api.Chat{Content: "  "}, core.BadRequest, "the message is empty", "jarvis ask --help"},
		{api.Chat{Content: "x", OnDisconnect: "maybe"}, core.BadRequest, "on_disconnect", "jarvis ask --help"},
		{api.Chat{Content: "x", TimeoutMS: -1}, core.BadRequest, "timeout", "jarvis ask --help"},
		{api.Chat{Content: "x", Agent: "bob"}, core.Unsupported, "agents", "jarvis ask PROMPT"},
		{api.Chat{Content: "x", Lang: strings.Repeat("x", 65)}, core.TooLarge, "too long", ""},
	} {
		_, err := ask(t.Context(), c, tt.req)
		e, ok := err.(*core.Error) //nolint:errorlint // the client gives the daemon's own
		if !ok || e.Code != tt.code || !strings.Contains(e.Message, tt.says) || tt.hint != "" && e.Hint != tt.hint {
			t.Errorf("%+v: %#v", tt.req, err)
		}
	}
}

// TestStatusAlwaysHasWhatIsPromised, also in the first second of a daemon.
func TestStatusAlwaysHasWhatIsPromised(t *testing.T) {
	b, err := json.Marshal(api.Status{})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(b, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pid", "version", "home", "socket", "listen", "uptime_seconds", "warnings", "state"} {
		if _, ok := fields[name]; !ok {
			t.Errorf("%s is missing in %s", name, b)
		}
	}
}

// TestTheDaemonHoldsTheLockThatClientsLookAt: `daemon stop` waits for it.
func TestTheDaemonHoldsTheLockThatClientsLookAt(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), "")})
	l := flock.New(d.h.Lock)
	defer func() { _ = l.Close() }()
	if free, err := l.TryLock(); err != nil || free {
		t.Errorf("free %v, %v", free, err)
	}
	if err := d.stop(); err != nil {
		t.Fatal(err)
	}
	if free, err := l.TryLock(); err != nil || !free {
		t.Errorf("after the end: free %v, %v", free, err)
	}
}

func TestAPipeInPlaceOfCertificatesHoldsUpNobody(t *testing.T) {
	if _, err := httpClient(config.Network{Proxy: "off", CAFile: t.TempDir()}); core.CodeOf(err) != core.BadRequest {
		t.Errorf("got %v", err)
	}
}

// TestALongConversationComesInPages: no answer of the daemon has all of it.
func TestALongConversationComesInPages(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), "")})
	c := d.client(t)
	var session core.SessionID
	for range 3 {
		// Not even the window takes it: that it was asked stays all the same.
		for e := range c.Ask(t.Context(), api.Chat{Content: strings.Repeat("x ", 1<<20) + "say one", Session: session}) {
			session = e.Session
		}
	}
	pages, size := 0, 0
	for p := (core.Page{}); ; pages++ {
		list, err := c.Messages(t.Context(), string(session), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list.Items {
			size += len(m.Text)
		}
		if p.After = list.NextCursor; p.After == "" {
			break
		}
	}
	if pages == 0 || size < 3<<21 {
		t.Errorf("%d pages, %d bytes", pages+1, size)
	}
}
