//go:build linux || darwin

package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
)

func ask(text string) llm.Request { return llm.Request{Messages: []llm.Message{userText(text)}} }

func tiny(t *testing.T, p *Provider) llm.Model {
	t.Helper()
	m, err := p.Model("tiny")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAnswer(t *testing.T) {
	p := fakeProvider(t, "ok", nil)
	m := tiny(t, p)
	a := collect(t.Context(), t, m, ask("one two"), nil)
	want := core.Usage{In: 4, CacheRead: 3, Out: 2}
	if a.err != nil || a.text != "echo one two" || a.usage != want || a.finish != llm.FinishEnd {
		t.Fatalf("%+v", a)
	}
	if len(a.notices) != 1 || a.notices[0] != "local/tiny knows nothing" {
		t.Errorf("notices %q", a.notices)
	}
	pid := p.runner("tiny").child.cmd.Process.Pid
	a = collect(t.Context(), t, m, ask("three"), nil)
	if a.err != nil || a.text != "echo three" || len(a.notices) != 0 {
		t.Errorf("second answer %+v", a)
	}
	if p.runner("tiny").child.cmd.Process.Pid != pid {
		t.Error("the worker was not kept")
	}
	i := m.Info()
	if m.Ref() != "local/tiny" || i.Window != 4096 || i.Price == nil || *i.Price != (llm.Price{}) || !i.Local || !i.Schema || i.Tools || !i.Installed {
		t.Errorf("info %+v", i)
	}
}

func TestWorkerFailures(t *testing.T) {
	for _, c := range []struct {
		mode string
		kind llm.Kind
		says string
		hint string
		text string
	}{
		{"libffi", llm.KindUnavailable, "local models need libffi (package libffi8), which is not installed", "libffi8", ""},
		{"glibc", llm.KindUnavailable, "newer glibc (GLIBC_2.34)", "setup", ""},
		{"load-error", llm.KindUnavailable, "does not load as a model: tensor 7 is short", "jarvis model pull local/tiny", ""},
		{"load-gcc", llm.KindUnavailable, "need libgcc_s.so.1", "libgcc-s1", ""},
		{"load-cpu", llm.KindUnavailable, "fits this processor", "setup", ""},
		{"load-ill", llm.KindUnavailable, "instruction that this processor does not have", "setup", ""},
		{"crash", llm.KindServer, "crashed in native code while answering (SIGSEGV)", "logs", "half "},
		{"crash-silent", llm.KindServer, "crashed in native code", "logs", ""},
		{"abort", llm.KindServer, "crashed in native code while answering (SIGABRT)", "logs", ""},
		{"oom", llm.KindServer, "memory ran out", "", ""},
		{"exit", llm.KindServer, "ended unexpectedly", "logs", ""},
		{"garbage", llm.KindMalformed, "something else than its protocol", "logs", ""},
		{"hang", llm.KindTimeout, "no progress for 100ms", "logs", ""},
		{"too-long", llm.KindTooLong, "300 tokens, the window is 100", "context_window", ""},
		{"empty", llm.KindEmpty, "empty answer", "", ""},
	} {
		t.Run(c.mode, func(t *testing.T) {
			p := fakeProvider(t, c.mode, func(o *Options) {
				if c.mode == "hang" {
					o.Hang = 100 * time.Millisecond
				}
			})
			a := collect(t.Context(), t, tiny(t, p), ask("hi"), nil)
			var e *llm.Error
			if !errors.As(a.err, &e) {
				t.Fatalf("error %v", a.err)
			}
			if e.Kind != c.kind || !strings.Contains(e.Message, c.says) || !strings.Contains(e.Core().Hint, c.hint) || strings.Contains(e.Message, "\n") {
				t.Errorf("kind %s, %q, hint %q", e.Kind, e.Message, e.Core().Hint)
			}
			if a.text != c.text || a.finish != "" || e.Provider != "local" || e.Model != "tiny" {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestCrashFailsOneAnswerOnly(t *testing.T) {
	p := fakeProvider(t, "crash-marked", nil)
	m := tiny(t, p)
	if a := collect(t.Context(), t, m, ask("hello"), nil); a.err != nil {
		t.Fatal(a.err)
	}
	if a := collect(t.Context(), t, m, ask("crash"), nil); a.err == nil {
		t.Fatal("no error")
	}
	if a := collect(t.Context(), t, m, ask("again"), nil); a.err != nil || a.text != "echo again" {
		t.Fatalf("%+v", a)
	}
}

func TestBackoff(t *testing.T) {
	now := time.Unix(1000, 0)
	p := fakeProvider(t, "crash-silent", func(o *Options) { o.Now = func() time.Time { return now } })
	m := tiny(t, p)
	kind := func() *llm.Error {
		var e *llm.Error
		if a := collect(t.Context(), t, m, ask("x"), nil); !errors.As(a.err, &e) {
			t.Fatal(a.err)
		}
		return e
	}
	for i, want := range []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, 30 * time.Second} {
		if e := kind(); e.Kind != llm.KindServer {
			t.Fatalf("death %d: %v", i, e)
		}
		if want == 0 {
			continue
		}
		if e := kind(); e.Kind != llm.KindOverloaded || e.RetryAfter != want {
			t.Fatalf("after death %d: %v, wait %v instead of %v", i+1, e, e.RetryAfter, want)
		}
		now = now.Add(want)
	}
}

func TestCancel(t *testing.T) {
	p := fakeProvider(t, "wait", nil)
	m := tiny(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	a := collect(ctx, t, m, ask("wait"), func(*answer) bool { cancel(); return true })
	if !errors.Is(a.err, context.Canceled) || a.usage.Out != 2 {
		t.Fatalf("%+v", a)
	}
	pid := p.runner("tiny").child.cmd.Process.Pid
	// a caller that stops reading ends the answer too, and the worker stays
	if a = collect(t.Context(), t, m, ask("wait"), func(a *answer) bool { return a.deltas == 0 }); a.text != "waiting " {
		t.Fatalf("%+v", a)
	}
	if a = collect(t.Context(), t, m, ask("go"), nil); a.err != nil || a.text != "echo go" {
		t.Fatalf("%+v", a)
	}
	if p.runner("tiny").child.cmd.Process.Pid != pid {
		t.Error("the worker was not kept")
	}
}

func TestCancelOfADeafWorker(t *testing.T) {
	p := fakeProvider(t, "deaf", nil)
	p.grace = 50 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	a := collect(ctx, t, tiny(t, p), ask("x"), func(a *answer) bool {
		if a.deltas > 0 {
			cancel()
		}
		return true
	})
	if !errors.Is(a.err, context.Canceled) || p.runner("tiny").child != nil {
		t.Fatalf("%+v", a)
	}
}

func TestQueue(t *testing.T) {
	p := fakeProvider(t, "wait", nil)
	m := tiny(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	started, ended := make(chan struct{}), make(chan answer, 1)
	go func() {
		ended <- collect(ctx, t, m, ask("wait"), func(a *answer) bool {
			if a.deltas == 1 && a.usage.Out == 0 {
				close(started)
			}
			return true
		})
	}()
	<-started
	gone, leave := context.WithCancel(t.Context())
	leave()
	if a := collect(gone, t, m, ask("x"), nil); !errors.Is(a.err, context.Canceled) {
		t.Fatalf("a waiting caller that left: %+v", a)
	}
	second := make(chan answer, 1)
	go func() { second <- collect(t.Context(), t, m, ask("second"), nil) }()
	cancel()
	if a := <-ended; !errors.Is(a.err, context.Canceled) {
		t.Fatalf("%+v", a)
	}
	if a := <-second; a.err != nil || a.text != "echo second" {
		t.Fatalf("%+v", a)
	}
}

func TestIdleAndClose(t *testing.T) {
	p := fakeProvider(t, "wait", func(o *Options) { o.Idle = time.Millisecond })
	m := tiny(t, p)
	r := p.runner("tiny")
	var c *child
	if a := collect(t.Context(), t, m, ask("x"), func(*answer) bool { c = r.child; return true }); a.err != nil {
		t.Fatal(a.err)
	}
	<-c.exited // ended when idle
	if a := collect(t.Context(), t, m, ask("y"), nil); a.err != nil || a.text != "echo y" {
		t.Fatalf("after idle: %+v", a)
	}
	started, ended := make(chan struct{}), make(chan answer, 1)
	go func() {
		ended <- collect(t.Context(), t, m, ask("wait"), func(a *answer) bool {
			if a.usage.Out == 0 {
				c = r.child
				close(started)
			}
			return true
		})
	}()
	<-started
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	var e *llm.Error
	if a := <-ended; !errors.As(a.err, &e) || e.Kind != llm.KindUnavailable {
		t.Fatalf("%+v", a)
	}
	<-c.exited
	if a := collect(t.Context(), t, m, ask("z"), nil); a.err == nil {
		t.Fatal("answered after Close")
	}
}

func TestContextFull(t *testing.T) {
	if a := collect(t.Context(), t, tiny(t, fakeProvider(t, "full", nil)), ask("x"), nil); a.err != nil || a.finish != llm.FinishMaxTokens {
		t.Fatalf("%+v", a)
	}
}

func TestPromptBeyondWindowNeverStartsAWorker(t *testing.T) {
	p := fakeProvider(t, "ok", func(o *Options) { o.Program = "/nonexistent" })
	var e *llm.Error
	if a := collect(t.Context(), t, tiny(t, p), ask(strings.Repeat("x", 4096*256+1)), nil); !errors.As(a.err, &e) || e.Kind != llm.KindTooLong {
		t.Fatalf("%+v", a)
	}
}

func TestMissingProgram(t *testing.T) {
	notRunnable := filepath.Join(t.TempDir(), "jarvis-model")
	if err := os.WriteFile(notRunnable, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	noLoader := filepath.Join(t.TempDir(), "jarvis-model") // what the kernel says when the loader is not there
	if err := os.WriteFile(noLoader, []byte("#!/nonexistent/ld.so\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for prog, says := range map[string]string{"": "not installed beside jarvisd", "/nonexistent/jarvis-model": "not installed beside jarvisd", notRunnable: "cannot be run", noLoader: "need glibc"} {
		p := fakeProvider(t, "ok", func(o *Options) { o.Program = prog })
		var e *llm.Error
		if a := collect(t.Context(), t, tiny(t, p), ask("x"), nil); !errors.As(a.err, &e) || e.Kind != llm.KindUnavailable || !strings.Contains(e.Message, says) {
			t.Errorf("%s: %v", prog, a.err)
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	p := fakeProvider(t, "ok", nil)
	m := tiny(t, p)
	lib := filepath.Join(p.opts.ModelsDir, p.src.Libraries[0].folder(), "libllama.v1.so")
	for _, path := range []string{tinyPath(p), lib} {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		flipped := append([]byte(nil), whole...)
		flipped[len(flipped)/2] ^= 1
		for name, b := range map[string][]byte{"truncated": whole[:len(whole)-1], "flipped": flipped, "empty": nil} {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			var e *llm.Error
			if a := collect(t.Context(), t, m, ask("x"), nil); !errors.As(a.err, &e) || e.Kind != llm.KindUnavailable || !strings.Contains(e.Message, "damaged") || !strings.Contains(e.Hint, "jarvis model pull local/tiny") {
				t.Errorf("%s %s: %v", filepath.Base(path), name, a.err)
			}
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if a := collect(t.Context(), t, m, ask("x"), nil); a.err != nil {
			t.Fatal(a.err)
		}
		r := p.runner("tiny")
		r.end(time.Second)
	}
}
