package offline

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

func TestSetupWithoutQuestions(t *testing.T) {
	w := newWorld(t)
	w.want(0, w.run("setup", "--yes"), "No language model is connected", "builtin/offline", "Next: jarvis setup --provider")
	if w.file() != "model: auto\n" {
		t.Errorf("file %q", w.file())
	}
	w.write("")

	w.env = append(w.env, "ANTHROPIC_API_KEY=sk-env")
	w.want(0, w.run("setup"), "ANTHROPIC_API_KEY", "2 models", "It answers", "Next: jarvis ask")
	if want := "providers:\n  anthropic:\n    api_key: \"${ANTHROPIC_API_KEY}\"\n"; w.file() != want {
		t.Errorf("file %q", w.file())
	}
	if !slices.Equal(w.tested, []string{"anthropic/big"}) || w.keys[0] != "sk-env" {
		t.Errorf("tested %v with %v", w.tested, w.keys)
	}
	w.want(0, w.run("setup", "--model", "anthropic/small"))
	if !strings.HasSuffix(w.file(), "\nmodel: anthropic/small\n") || w.tested[1] != "anthropic/small" {
		t.Errorf("file %q, tested %v", w.file(), w.tested)
	}
	before := w.file()
	w.want(6, w.run("setup", "--model", "anthropic/gone"), "404", "Try: jarvis model list")
	w.want(2, w.run("setup", "--model", "nobody/x"), "nobody")
	if w.file() != before {
		t.Error("a failed test was written")
	}
	w.want(0, w.run("setup", "-o", "json"))
	var s struct {
		Config, Model string
		Providers     []finding
	}
	if err := json.Unmarshal([]byte(w.out), &s); err != nil || s.Model != "anthropic/small" || len(s.Providers) != 1 || !s.Providers[0].OK {
		t.Errorf("json %+v, %v\n%s", s, err, w.out)
	}
}

// TestSetupGoesOnToTheNext: a key that lists models and then answers nothing does not keep the second provider from being found.
func TestSetupGoesOnToTheNext(t *testing.T) {
	w := newWorld(t)
	w.write("providers:\n  broke: {base_url: http://a, api_key: k}\n  fine: {base_url: http://b}\n")
	before := w.file()
	test := w.deps.Test
	w.deps.Test = func(ctx context.Context, h home.Home, c *config.Config, p config.Provider, model string) error {
		if err := test(ctx, h, c, p, model); err != nil || p.Name == "fine" {
			return err
		}
		return core.E(core.UpstreamUnavailable, "broke: 402 no money", "jarvis setup", nil)
	}
	w.want(0, w.run("setup", "--yes"), "402", "fine is connected")
	if !slices.Equal(w.tested, []string{"broke/big", "fine/big"}) || w.file() != before+"model: fine/big\n" {
		t.Errorf("tested %v, file %q", w.tested, w.file())
	}
	w.want(0, w.run("setup", "--yes", "-o", "yaml"), "name: fine", "ok: true")
}

func TestSetupOfOneProvider(t *testing.T) {
	w := newWorld(t)
	w.write("# mine\nmodel: auto # best\n")
	w.in = "sk-typed\n"
	w.want(0, w.run("setup", "--provider", "work", "--base-url", "https://h/v1", "--model", "work/small", "--key-stdin"))
	want := "# mine\nmodel: work/small # best\nproviders:\n  work:\n    base_url: https://h/v1\n    api_key: file:secrets/work\n"
	if w.file() != want {
		t.Errorf("file %q", w.file())
	}
	secret := filepath.Join(w.home, "secrets", "work")
	b, err := os.ReadFile(secret)
	if err != nil || string(b) != "sk-typed\n" {
		t.Errorf("secret %q, %v", b, err)
	}
	for path, mode := range map[string]os.FileMode{secret: 0o600, filepath.Dir(secret): 0o700, w.home: 0o700} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if w.keys[0] != "sk-typed" || strings.Contains(w.out+w.err, "sk-typed") {
		t.Errorf("tested with %v, said %s%s", w.keys, w.out, w.err)
	}
	c, _, err := config.Load(filepath.Join(w.home, "config.yaml"), w.env)
	if err != nil {
		t.Fatal(err)
	}
	if p := c.ProviderList(w.env.Get)[0]; p.Key.Reveal() != "sk-typed" || p.Problem != nil {
		t.Errorf("the written provider does not resolve: %v %v", p, p.Problem)
	}

	w.in = "bad\n"
	w.want(6, w.run("setup", "--provider", "anthropic", "--key-stdin"), "401", "Try: ")
	if _, err := os.Stat(filepath.Join(w.home, "secrets", "anthropic")); !errors.Is(err, os.ErrNotExist) || w.file() != want {
		t.Error("a refused key was kept")
	}
	w.in = ""
	w.want(2, w.run("setup", "--provider", "anthropic", "--key-stdin"), "no key on stdin")
	w.want(2, w.run("setup", "--provider", "anthropic"), "no key for anthropic", "--key-stdin")
	w.want(2, w.run("setup", "--provider", "own"), "--base-url")
	w.want(2, w.run("setup", "--provider", "../x", "--base-url", "http://h"), "provider name")
	w.want(2, w.run("setup", "--key-stdin"), "--provider")
}

func TestSetupAsking(t *testing.T) {
	w := newWorld(t)
	w.env = append(w.env, "ANTHROPIC_API_KEY=sk-env")
	w.ask = &answers{choose: []string{"anthropic: 2 models", "auto"}}
	w.want(0, w.run("setup"))
	if want := "providers:\n  anthropic:\n    api_key: \"${ANTHROPIC_API_KEY}\"\nmodel: auto\n"; w.file() != want {
		t.Errorf("file %q", w.file())
	}
	w.ask = &answers{choose: []string{"server of your own"}, text: []string{"https://h/v1", "work", "small"}, secret: []string{"k"}}
	w.want(0, w.run("setup"))
	if !strings.Contains(w.file(), "model: work/small\n") || !strings.Contains(w.file(), "api_key: file:secrets/work\n") {
		t.Errorf("file %q", w.file())
	}
	// A refused key: another try, then enough.
	before := w.file()
	w.ask = &answers{choose: []string{"openai: with a key", "none now"}, secret: []string{"bad"}, yes: true}
	w.want(0, w.run("setup"), "openai does not answer", "Nothing was changed")
	if w.file() != before {
		t.Errorf("file %q", w.file())
	}
	w.ask = &answers{secret: []string{"typed"}}
	w.want(0, w.run("setup", "--provider", "other", "--base-url", "http://h/v1", "--no-test"))
	if b, err := os.ReadFile(filepath.Join(w.home, "secrets", "other")); err != nil || string(b) != "typed\n" {
		t.Errorf("typed key %q, %v", b, err)
	}
	before = w.file()
	w.ask = &answers{}
	w.want(130, w.run("setup"), "stopped")
	if w.file() != before {
		t.Error("the file changed")
	}
}
