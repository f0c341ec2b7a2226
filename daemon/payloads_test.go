package daemon

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jarvis/daemon/api"
)

// TestPayloads: what was sent and answered is written down when the daemon ends at the latest, without any key, and goes with
// its session.
func TestPayloads(t *testing.T) {
	f := newFakeModel(t)
	h := newHome(t, f, "log: {payloads: true, payloads_gzip: true}\n")
	conf, err := os.ReadFile(h.Config)
	if err != nil {
		t.Fatal(err)
	}
	const key = "correcthorsebattery"
	if err := os.WriteFile(h.Config, []byte(strings.Replace(string(conf), "api_key: k,", "api_key: "+key+",", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, Options{Home: h})
	token, err := os.ReadFile(h.Token)
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{
		key, strings.TrimSpace(string(token)), "sk-abcdefgh12345", "dXNlcjpwYXNz", "ghp_0123456789abcdefghij", "hunter22", "AKIAABCDEFGHIJKLMNOP",
	}
	prompt := "say the pelican " + key + " " + secrets[1] + " sk-abcdefgh12345 end\nAuthorization: Basic dXNlcjpwYXNz\n" +
		"ghp_0123456789abcdefghij password=hunter22 https://me:hunter22@example.com AKIAABCDEFGHIJKLMNOP"
	events, err := ask(t.Context(), r.client(t), api.Chat{Content: prompt})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	id := events[0].Chain
	path := filepath.Join(h.Logs, "payloads", string(id)+".jsonl.gz")
	got := unpack(t, path)
	for _, want := range []string{`"type":"request"`, `"type":"answer"`, "the pelican"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	for _, s := range secrets {
		if strings.Contains(got, s) {
			t.Errorf("%s is in %s", s, got)
		}
	}
	r = start(t, Options{Home: h})
	if _, err := r.client(t).DeleteSession(t.Context(), string(events[0].Session)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("after the session was erased: %v", err)
	}
}

func unpack(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if b, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return string(b)
}
