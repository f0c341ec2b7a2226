//go:build linux || darwin

package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

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
	if !imported(t.Context(), dir) {
		t.Fatal("JARVIS_TEST_MODELS holds no whole local model: make local-model")
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

// imported reports whether the small model and the libraries of this platform are installed and whole.
func imported(ctx context.Context, modelsDir string) bool {
	src := DefaultSources()
	if len(src.Models) == 0 {
		return false
	}
	c := &checker{}
	_, err := c.anyLibs(ctx, modelsDir, src.libraries())
	return err == nil && len(src.libraries()) > 0 && c.installed(ctx, modelsDir, src.Models[0]) == nil
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

func small(t *testing.T, p *Provider) llm.Model {
	t.Helper()
	m, err := p.Model("smollm2-135m")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRealStopWithinOneToken(t *testing.T) {
	m := small(t, realProvider(t, nil))
	ctx, cancel := context.WithCancel(t.Context())
	after := 0
	var at time.Time
	a := collect(ctx, t, m, llm.Request{Messages: []llm.Message{userText("Write a long story about a dragon.")}}, func(a *answer) bool {
		if ctx.Err() != nil {
			after++
		}
		if a.deltas == 5 && ctx.Err() == nil {
			at = time.Now()
			cancel()
		}
		return true
	})
	took := time.Since(at)
	t.Logf("ended %v after stop, %d deltas after it, usage %+v", took, after, a.usage)
	if !errors.Is(a.err, context.Canceled) || a.deltas != 5 || a.usage.Out > 5+40 {
		t.Fatalf("answer %+v", a)
	}
	if took > 5*time.Second {
		t.Errorf("stopping took %v", took)
	}
	// stop inside the prompt
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	long := strings.Repeat("The lighthouse was built after three fishing boats were lost on the reef. ", 300)
	at = time.Now()
	a = collect(ctx, t, m, llm.Request{Messages: []llm.Message{userText(long)}}, nil)
	t.Logf("a prompt stopped after %v: %v", time.Since(at), a.err)
	if !errors.Is(a.err, context.DeadlineExceeded) || a.deltas != 0 {
		t.Fatalf("answer %+v", a)
	}
	// and the same worker answers again
	if a = collect(t.Context(), t, m, llm.Request{Messages: []llm.Message{userText("Hello!")}, MaxTokens: 20}, nil); a.err != nil || a.text == "" {
		t.Fatalf("answer %+v", a)
	}
}

func TestRealPrefixKept(t *testing.T) {
	m := small(t, realProvider(t, nil))
	r := llm.Request{
		System:    []llm.Block{{Text: "You are a friendly assistant who answers in one short sentence."}},
		Messages:  []llm.Message{userText("My name is Ada. I like boats, and I live in a house by the sea.")},
		MaxTokens: 40,
	}
	a := collect(t.Context(), t, m, r, nil)
	if a.err != nil || a.usage.CacheRead != 0 {
		t.Fatalf("first answer %+v", a)
	}
	first := a.usage.In
	r.Messages = append(r.Messages, llm.Message{Role: core.RoleAssistant, Parts: []llm.Part{{Type: llm.PartText, Text: a.text}}}, userText("What do I like?"))
	b := collect(t.Context(), t, m, r, nil)
	t.Logf("first %+v second %+v: %s", a.usage, b.usage, b.text)
	if b.err != nil || b.usage.CacheRead < first || b.usage.In > b.usage.CacheRead {
		t.Fatalf("second answer %+v", b)
	}
}

func TestRealSchema(t *testing.T) {
	m := small(t, realProvider(t, nil))
	for _, schema := range []string{
		`{"type":"object","properties":{"answer":{"type":"string","maxLength":80}},"required":["answer"],"additionalProperties":false}`,
		`{"type":"object","properties":{"city":{"type":"string","maxLength":30},"population":{"type":"integer"},"capital":{"type":"boolean"}},"required":["city","population","capital"]}`,
		`{"type":"array","items":{"enum":["red","green","blue"]},"minItems":2,"maxItems":3}`,
		`{"enum":["yes","no"]}`,
		`{"type":"object","properties":{"a \"b\"\n":{"type":["null","number"]},"ü":{"const":"\u0007\\"}},"required":["a \"b\"\n","ü"]}`,
		`{"type":"object","properties":{"x":{"type":"array","items":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]},"maxItems":2},"y":{"type":"string","maxLength":20}},"required":["x"]}`,
	} {
		if _, ok := Grammar(json.RawMessage(schema)); !ok {
			t.Fatalf("%s: not expressible", schema)
		}
		start := time.Now()
		a := collect(t.Context(), t, m, llm.Request{Messages: []llm.Message{userText("Tell me about Paris.")}, Schema: json.RawMessage(schema), MaxTokens: 300}, nil)
		t.Logf("%s in %v, %d tokens", a.text, time.Since(start), a.usage.Out)
		if a.err != nil || a.finish != llm.FinishEnd {
			t.Errorf("%s: %+v", schema, a)
			continue
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(a.text))
		if err == nil {
			err = compile(t, []byte(schema)).Validate(v)
		}
		if err != nil {
			t.Errorf("%s: %s: %v", schema, a.text, err)
		}
	}
}

func TestRealTooLong(t *testing.T) {
	m := small(t, realProvider(t, nil))
	a := collect(t.Context(), t, m, llm.Request{Messages: []llm.Message{userText(strings.Repeat("one two three ", 5000))}}, nil)
	var e *llm.Error
	if !errors.As(a.err, &e) || e.Kind != llm.KindTooLong || !strings.Contains(e.Message, "8192") {
		t.Fatalf("error %v", a.err)
	}
	t.Log(e)
	a = collect(t.Context(), t, m, llm.Request{Messages: []llm.Message{userText("Hello!")}, MaxTokens: 10}, nil)
	if a.err != nil {
		t.Fatal(a.err)
	}
}

func TestRealDamaged(t *testing.T) {
	src := os.Getenv("JARVIS_TEST_MODELS")
	whole := realProvider(t, nil)
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(src, "_llama.cpp"), filepath.Join(dir, "_llama.cpp")); err != nil {
		t.Fatal(err)
	}
	m, _ := whole.src.model("smollm2-135m")
	b, err := os.ReadFile(filepath.Join(src, m.Name, m.File.Name))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, m.Name, m.File.Name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(data []byte, man manifest) *Provider {
		if err := errors.Join(os.WriteFile(path, data, 0o600), writeManifest(dir, man)); err != nil {
			t.Fatal(err)
		}
		p := New(Options{ModelsDir: dir, Program: whole.opts.Program})
		t.Cleanup(func() { p.Close() })
		return p
	}
	hi := llm.Request{Messages: []llm.Message{userText("Hello!")}, MaxTokens: 10}
	truncated := b[:len(b)/2]
	noise := append([]byte(nil), b...)
	for i := range 4096 {
		noise[len(noise)/2+i] ^= 0xA5
	}
	lying := func(data []byte) manifest { // a file whose hash is right and whose content is not
		sum := sha256.Sum256(data)
		man := manifestOf(m)
		man.File.Size, man.File.SHA256 = int64(len(data)), hex.EncodeToString(sum[:])
		return man
	}
	for _, c := range []struct {
		name string
		data []byte
		man  manifest
	}{
		{"truncated", truncated, manifestOf(m)},
		{"noise", noise, manifestOf(m)},
		{"truncated, hash right", truncated, lying(truncated)},
		{"no model, hash right", []byte("GGUF nonsense"), lying([]byte("GGUF nonsense"))},
	} {
		p := write(c.data, c.man)
		a := collect(t.Context(), t, small(t, p), hi, nil)
		var e *llm.Error
		if !errors.As(a.err, &e) || e.Kind != llm.KindUnavailable || !strings.Contains(e.Hint, "model pull") {
			t.Errorf("%s: %v", c.name, a.err)
		}
		t.Logf("%s: %v", c.name, a.err)
	}
}

func TestRealWorkerStepsBackAndEndsWithItsSocket(t *testing.T) {
	p := realProvider(t, nil)
	m := small(t, p)
	r := p.runner("smollm2-135m")
	var c *child
	a := collect(t.Context(), t, m, llm.Request{Messages: []llm.Message{userText("Write a long story about a dragon.")}}, func(a *answer) bool {
		if c = r.child; a.deltas == 1 && a.usage.Out == 0 {
			if runtime.GOOS == "linux" {
				checkManners(t, c.cmd.Process.Pid)
			}
			c.conn.Close() // as when the daemon is killed, in the middle of an answer
		}
		return true
	})
	var e *llm.Error
	if !errors.As(a.err, &e) || e.Kind != llm.KindServer {
		t.Errorf("%+v", a)
	}
	<-c.exited
	if c.waitErr != nil {
		t.Errorf("the worker did not end by itself: %v", c.waitErr)
	}
}

func checkManners(t *testing.T, pid int) {
	t.Helper()
	adj, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid))
	if err != nil || strings.TrimSpace(string(adj)) != "500" {
		t.Errorf("oom_score_adj %q %v", adj, err)
	}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if len(tasks) == 0 {
		t.Error("no threads")
	}
	for _, f := range tasks {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // a thread that has ended
		}
		_, rest, _ := strings.Cut(string(b), ") ")
		if fields := strings.Fields(rest); len(fields) < 17 || fields[16] != "5" {
			t.Errorf("%s: nice %v", f, fields)
		}
	}
}
