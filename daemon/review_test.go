package daemon

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
