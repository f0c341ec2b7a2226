//go:build linux || darwin

package local

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
)

func TestModels(t *testing.T) {
	p := fakeProvider(t, "ok", nil)
	p.src.Models = append(p.src.Models, ModelSource{Name: "other", Context: 1 << 20, File: p.src.Models[0].File})
	all, err := p.Models(t.Context())
	if err != nil || len(all) != 2 || all[0].Ref != "local/other" || all[0].Installed || all[0].Window != maxWindow || !all[1].Installed {
		t.Fatalf("%+v %v", all, err)
	}
	var e *llm.Error
	if _, err := p.Model("other"); !errors.As(err, &e) || e.Kind != llm.KindNotFound || e.Hint != "jarvis model pull local/other" {
		t.Errorf("%v", err)
	}
	for _, id := range []string{"", "nothing", "../tiny", "tiny/", "_llama.cpp", "TINY"} {
		if _, err := p.Model(id); !errors.As(err, &e) || e.Kind != llm.KindNotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
	if err := os.WriteFile(filepath.Join(p.opts.ModelsDir, "tiny", manifestName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Model("tiny"); !errors.As(err, &e) || e.Kind != llm.KindUnavailable {
		t.Errorf("%v", err)
	}
}

func TestRemove(t *testing.T) {
	p := fakeProvider(t, "ok", nil)
	if a := collect(t.Context(), t, tiny(t, p), ask("x"), nil); a.err != nil {
		t.Fatal(a.err)
	}
	c := p.runner("tiny").child
	if err := p.Remove(t.Context(), "local/tiny"); err != nil {
		t.Fatal(err)
	}
	<-c.exited
	if _, err := os.Stat(filepath.Dir(tinyPath(p))); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for _, n := range []string{"tiny", "", "..", "_llama.cpp", "a/b"} {
		if err := p.Remove(t.Context(), n); core.CodeOf(err) != core.NotFound {
			t.Errorf("%q: %v", n, err)
		}
	}
	if _, err := os.Stat(filepath.Join(p.opts.ModelsDir, "_llama.cpp")); err != nil {
		t.Error(err)
	}
}

func TestAFileOfOnesOwn(t *testing.T) {
	p := fakeProvider(t, "ok", nil)
	folder := filepath.Join(p.opts.ModelsDir, "mine")
	path := filepath.Join(folder, "Mine-7B.gguf")
	write := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("readme.txt", "x")
	if _, err := p.Model("mine"); err == nil {
		t.Fatal("a folder without a model is one")
	}
	write("Mine-7B.gguf", "weights")
	m, err := p.Model("mine")
	if err != nil || !m.Info().Installed {
		t.Fatal(err)
	}
	if a := collect(t.Context(), t, m, ask("x"), nil); a.err != nil || a.text != "echo x" || len(a.notices) != 0 {
		t.Fatalf("%+v", a)
	}
	man, err := readManifest(p.opts.ModelsDir, "mine")
	if err != nil || !man.adopted() || man.Context != 100 || man.File.Size != 7 {
		t.Fatalf("%+v %v", man, err)
	}
	p.runner("mine").end(time.Second)
	if err := os.WriteFile(path, []byte("Weights"), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err = p.Model("mine"); err != nil || m.Info().Window != 100 {
		t.Fatal(err)
	}
	var e *llm.Error
	if a := collect(t.Context(), t, m, ask("x"), nil); !errors.As(a.err, &e) || !strings.Contains(e.Message, "damaged") {
		t.Fatalf("%+v", a)
	}
	if err := os.Remove(filepath.Join(folder, manifestName)); err != nil {
		t.Fatal(err)
	}
	write("Second.gguf", "weights")
	if _, err := p.Model("mine"); err == nil {
		t.Error("two files are one model")
	}
}

func TestWorkerGetsNoSecrets(t *testing.T) {
	env := workerEnv(func(k string) (string, bool) { return "value", true })
	for _, kv := range env {
		if k, _, _ := strings.Cut(kv, "="); strings.Contains(k, "KEY") || strings.Contains(k, "TOKEN") || k == "HOME" {
			t.Errorf("environment has %s", k)
		}
	}
	if len(env) != 7 {
		t.Errorf("environment %v", env)
	}
}
