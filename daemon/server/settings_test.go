package server_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/server"
)

// fakeSettings holds the digest of what is in force and remembers what was to be set.
type fakeSettings struct {
	mu     sync.Mutex
	digest string
	set    []map[string]json.RawMessage
}

func (f *fakeSettings) Read(context.Context) (api.Settings, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return api.Settings{Digest: f.digest, Settings: map[string]any{"language": "auto"}, Changeable: []string{"language"}}, nil
}

func (f *fakeSettings) Change(_ context.Context, digest string, set map[string]json.RawMessage) (api.Settings, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if digest != f.digest {
		return api.Settings{}, core.E(core.Conflict, "the settings were changed meanwhile", "", nil)
	}
	f.set, f.digest = append(f.set, set), "d2"
	return api.Settings{Digest: f.digest}, nil
}

// TestSettingsRoutes holds what the routes decide themselves: bodies, digests, and that nothing is set on an error.
func TestSettingsRoutes(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		header     []string
		want       int
		set        string // keys that were set
	}{
		{name: "by the body's digest", body: `{"digest":"d1","set":{"language":"de"}}`, want: 200, set: "language"},
		{name: "by If-Match", body: `{"set":{"language":"de","model":null}}`, header: []string{`If-Match: "d1"`}, want: 200, set: "language model"},
		{name: "If-Match decides", body: `{"digest":"d1","set":{"language":"de"}}`, header: []string{`If-Match: "old"`}, want: 409},
		{name: "a stale digest", body: `{"digest":"d0","set":{"language":"de"}}`, want: 409},
		{name: "without one", body: `{"set":{"language":"de"}}`, want: 400},
		{name: "any digest", body: `{"set":{"language":"de"}}`, header: []string{`If-Match: *`}, want: 409},
		{name: "an unknown field", body: `{"digest":"d1","sets":{"language":"de"}}`, want: 400},
		{name: "set is no object", body: `{"digest":"d1","set":[1]}`, want: 400},
		{name: "two values", body: `{"digest":"d1","set":{"language":"de"}} {}`, want: 400},
		{name: "empty", body: ``, want: 400},
		{name: "no JSON", body: `language: de`, want: 400},
		{name: "huge", body: `{"digest":"d1","set":{"model":"` + strings.Repeat("x", 2<<20) + `"}}`, header: []string{"Expect: 100-continue"}, want: 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fakeSettings{digest: "d1"}
			r := newRig(t, func(c *server.Config) { c.Settings = f })
			resp := r.do(t, "PUT", "/api/settings", tt.body, tt.header...)
			if resp.StatusCode != tt.want {
				t.Fatalf("status %d, want %d: %s", resp.StatusCode, tt.want, text(t, resp))
			}
			keys := ""
			for _, set := range f.set {
				keys += strings.Join(slices.Sorted(maps.Keys(set)), " ")
			}
			if keys != tt.set {
				t.Errorf("set %q, want %q", keys, tt.set)
			}
			if tt.want != http.StatusOK {
				failure(t, resp)
			} else if got := resp.Header.Get("ETag"); got != `"d2"` {
				t.Errorf("ETag %s", got)
			}
		})
	}
}

func TestSettingsCarryTheirDigest(t *testing.T) {
	r := newRig(t, func(c *server.Config) { c.Settings = &fakeSettings{digest: "d1"} })
	resp := r.do(t, "GET", "/api/settings", "")
	var v api.Settings
	if err := json.Unmarshal([]byte(text(t, resp)), &v); err != nil || v.Digest != "d1" || resp.Header.Get("ETag") != `"d1"` || v.Settings["language"] != "auto" {
		t.Errorf("%v %+v %v", resp.Header, v, err)
	}
	if resp := r.do(t, "POST", "/api/settings", "{}"); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", resp.StatusCode)
	}
}
