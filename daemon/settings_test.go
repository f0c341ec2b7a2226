package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/daemon/api"
)

// foreign asks a daemon as a program that is not ours does, and gives the status and the body.
func foreign(t *testing.T, d *running, method, path, body string) (int, string) {
	t.Helper()
	token, err := os.ReadFile(d.h.Token)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", d.h.Socket)
	}}
	defer tr.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://jarvis"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// settingsNow reads the settings and gives their digest.
func settingsNow(t *testing.T, d *running) api.Settings {
	t.Helper()
	status, body := foreign(t, d, "GET", "/api/settings", "")
	var v api.Settings
	if err := json.Unmarshal([]byte(body), &v); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, body, err)
	}
	return v
}

// change sets what a JSON object says against a digest, and gives the status and the error's code.
func change(t *testing.T, d *running, digest, set string) (int, core.Code) {
	t.Helper()
	status, body := foreign(t, d, "PUT", "/api/settings", `{"digest":"`+digest+`","set":`+set+`}`)
	if strings.Contains(body, "very-secret") {
		t.Errorf("%s: the answer tells a secret: %s", set, body)
	}
	var e api.Envelope
	_ = json.Unmarshal([]byte(body), &e)
	return status, e.Error.Code
}

func TestSettingsOfTheDaemon(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), "language: en # mine\n")})
	file := d.h.Config
	edit := func(text string) { // by hand, as an editor that replaces the file
		t.Helper()
		if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	edit(strings.Replace(string(b), "api_key: k,", "api_key: very-secret,", 1))
	first := settingsNow(t, d)
	if _, all := foreign(t, d, "GET", "/api/settings", ""); strings.Contains(all, "very-secret") {
		t.Errorf("a secret is told: %s", all)
	}

	// Set, in force at once, the rest of the file as it was.
	if status, code := change(t, d, first.Digest, `{"language":"de","max_tokens":77}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, code)
	}
	second := settingsNow(t, d)
	if second.Settings["language"] != "de" || second.Settings["max_tokens"] != float64(77) || second.Digest == first.Digest {
		t.Errorf("now %+v", second)
	}
	if b, err = os.ReadFile(file); err != nil || !bytes.Contains(b, []byte("language: de # mine\n")) || !bytes.Contains(b, []byte("very-secret")) {
		t.Errorf("%v\n%s", err, b)
	}
	if status, code := change(t, d, first.Digest, `{"language":"en"}`); status != http.StatusConflict || code != core.Conflict {
		t.Errorf("a stale digest: %d %s", status, code)
	}

	// What is refused changes nothing.
	for set, want := range map[string]core.Code{
		`{"budgets":[{"for":"all","daily_usd":0}]}`:            core.BadRequest,
		`{"budgets":[{"for":"all","daily_usd":-1}]}`:           core.BadRequest,
		`{"budgets":[{"for":"all","daily_usd":"1 potato"}]}`:   core.BadRequest,
		`{"providers.fake.api_key":"other"}`:                   core.ScopeDenied,
		`{"providers.fake.base_url":"http://127.0.0.1:1"}`:     core.ScopeDenied,
		`{"listen":"0.0.0.0:80"}`:                              core.ScopeDenied,
		`{"permissions.mode":"full"}`:                          core.ScopeDenied,
		`{"network":{}}`:                                       core.ScopeDenied,
		`{"model_mirror":"http://127.0.0.1:1"}`:                core.ScopeDenied,
		`{"language":"en","tls":"off"}`:                        core.ScopeDenied,
		`{"colour":"red"}`:                                     core.BadRequest,
		`{"":"x"}`:                                             core.BadRequest,
		`{}`:                                                   core.BadRequest,
		`{"max_tokens":1e99}`:                                  core.BadRequest,
		`{"aliases.` + strings.Repeat("a", 100_000) + `":[1]}`: core.BadRequest,
	} {
		if _, code := change(t, d, second.Digest, set); code != want {
			t.Errorf("%.60s: %s, want %s", set, code, want)
		}
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, b) {
		t.Errorf("%v; the file is now\n%s", err, after)
	}

	// A value is a value, whatever it looks like.
	if status, code := change(t, d, second.Digest, `{"aliases":{"a\nlisten":"0.0.0.0:80\nlisten: 0.0.0.0:80"}}`); status == http.StatusOK {
		second = settingsNow(t, d)
		if b, err = os.ReadFile(file); err != nil || second.Settings["listen"] != "" {
			t.Errorf("listen is now %v (%v)", second.Settings["listen"], err)
		}
	} else if code != core.BadRequest {
		t.Errorf("lines in a value: %d %s", status, code)
	}

	// A person at the file is faster than a screen: what he wrote stays.
	edit(string(b) + "max_iterations: 5\n")
	if status, code := change(t, d, second.Digest, `{"language":"en"}`); status != http.StatusConflict {
		t.Errorf("an edit by hand is written over: %d %s", status, code)
	}
	// One that is wrong stays too, and the answer says what is.
	edit(string(b) + "colour: red\n")
	if status, code := change(t, d, second.Digest, `{"language":"en"}`); status < 400 || code == "" {
		t.Errorf("a bad file: %d %s", status, code)
	}
	if v := settingsNow(t, d); !strings.Contains(v.Problem, "colour") || v.Settings["language"] != "de" {
		t.Errorf("problem %q, language %v", v.Problem, v.Settings["language"])
	}
}

// TestSettingsThatCannotBeWritten: a file that cannot be replaced leaves what is in force, and the answer says why. Its name is so
// long that none fits beside it: root too writes nothing then.
func TestSettingsThatCannotBeWritten(t *testing.T) {
	h := newHome(t, newFakeModel(t), "")
	long := filepath.Join(h.Data, strings.Repeat("c", 250))
	if err := os.Rename(h.Config, long); err != nil {
		t.Fatal(err)
	}
	h.Config = long
	d := start(t, Options{Home: h})
	v := settingsNow(t, d)
	if status, code := change(t, d, v.Digest, `{"language":"de"}`); status != http.StatusInternalServerError || code != core.Internal {
		t.Errorf("%d %s", status, code)
	}
	if now := settingsNow(t, d); now.Digest != v.Digest || now.Settings["language"] != "auto" {
		t.Errorf("now %+v", now)
	}
}
