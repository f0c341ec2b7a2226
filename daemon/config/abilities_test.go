package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWhatAModelTakesMayBeSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	text := "providers:\n  w: {base_url: \"http://127.0.0.1:1/v1\", models: [{id: a, images: true, tools: false}]}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := Load(path, Env{})
	if err != nil {
		t.Fatal(err)
	}
	m := c.Providers["w"].Models[0]
	if m.Images == nil || !*m.Images || m.Tools == nil || *m.Tools || m.PDF != nil {
		t.Errorf("%+v", m)
	}
}

func TestAFarOffKeyIsNoGuess(t *testing.T) {
	for s, want := range map[string]string{"bogus": "", "modle": "model", "warning": "warn", "tokens": "max_tokens"} {
		if got := nearest(s, []string{"model", "log", "warn", "max_tokens", "budgets", "store"}); got != want {
			t.Errorf("%s: %q, want %q", s, got, want)
		}
	}
}
