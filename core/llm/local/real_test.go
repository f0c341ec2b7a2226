package local

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"jarvis/core"
	"jarvis/core/llm"
)

// realProvider gives a provider over the real worker and the real model; the test is skipped where they are not installed.
func realProvider(t *testing.T, change func(*Options)) *Provider {
	t.Helper()
	dir := os.Getenv("JARVIS_TEST_MODELS")
	if dir == "" {
		t.Skip("no JARVIS_TEST_MODELS: the folder of an installed local model")
	}
	if !Imported(t.Context(), dir) {
		t.Skip("JARVIS_TEST_MODELS holds no whole local model: make local-model")
	}
	prog := filepath.Join(t.TempDir(), "jarvis-model")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", prog, "jarvis/cmd/jarvis-model").CombinedOutput()
	if err != nil {
		t.Fatalf("build worker: %v\n%s", err, out)
	}
	o := Options{ModelsDir: dir, Program: prog}
	if change != nil {
		change(&o)
	}
	p := New(o)
	t.Cleanup(func() { p.Close() })
	return p
}

func userText(s string) llm.Message {
	return llm.Message{Role: core.RoleUser, Parts: []llm.Part{{Type: llm.PartText, Text: s}}}
}

type answer struct {
	text    string
	deltas  int
	notices []string
	usage   core.Usage
	finish  string
	err     error
}

func collect(ctx context.Context, t *testing.T, m llm.Model, r llm.Request, each func(*answer) bool) answer {
	t.Helper()
	var a answer
	for d, err := range m.Stream(ctx, r) {
		if err != nil {
			a.err = err
			break
		}
		switch d.Kind {
		case llm.DeltaText:
			a.text += d.Text
			a.deltas++
		case llm.DeltaNotice:
			a.notices = append(a.notices, d.Text)
		case llm.DeltaUsage:
			a.usage = *d.Usage
		case llm.DeltaFinish:
			a.finish = d.Finish
		}
		if each != nil && !each(&a) {
			break
		}
	}
	return a
}

func TestRealAnswer(t *testing.T) {
	p := realProvider(t, nil)
	m, err := p.Model("smollm2-135m")
	if err != nil {
		t.Fatal(err)
	}
	a := collect(t.Context(), t, m, llm.Request{Messages: []llm.Message{userText("Write one sentence about the sea.")}, MaxTokens: 60}, nil)
	t.Logf("%+v", a)
	if a.err != nil || a.deltas < 3 || a.finish == "" || len(a.notices) != 1 {
		t.Fatalf("answer %+v", a)
	}
}
