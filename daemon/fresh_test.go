package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"jarvis/daemon/api"
	"jarvis/daemon/config"
)

func newFreshness(t *testing.T, text string) (*freshness, func(string)) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	write := func(text string) { // in place, as some editors do
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	live, err := config.Open(file, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return &freshness{live: live, path: file, seen: stampOf(file)}, write
}

// TestAnEditorThatEmptiesTheFileFirst must not take away every provider for a moment.
func TestAnEditorThatEmptiesTheFileFirst(t *testing.T) {
	f, write := newFreshness(t, "max_tokens: 7\n")
	synctest.Test(t, func(t *testing.T) {
		write("")
		go func() { // the editor, while a request looks
			time.Sleep(configSettle / 2)
			write("max_tokens: 8\n")
		}()
		f.look(t.Context())
		if got := f.live.Current().MaxTokens; got != 8 { // 0 would be the emptied file's
			t.Errorf("the request is answered under what the file no longer says: %d", got)
		}
		// One that goes on changing is waited for, but not for ever, and not by everybody.
		stop := make(chan struct{})
		go func() {
			defer close(stop)
			for n := range 12 {
				write(fmt.Sprintf("max_tokens: %d\n%s\n", 100+n, strings.Repeat("#", n))) // of another size each time
				time.Sleep(configSettle / 2)
			}
		}()
		synctest.Wait()
		f.look(t.Context())
		begin := time.Now()
		f.look(t.Context())
		if got := time.Since(begin); got != 0 {
			t.Errorf("waited %v", got)
		}
		if got := f.live.Current().MaxTokens; got != 8 {
			t.Errorf("a file that is being written was taken up: %d", got)
		}
		<-stop
		for range 2 { // the first look after it sees that it is another, the second that it stays so
			f.look(t.Context())
			time.Sleep(configSettle)
		}
		f.look(t.Context())
		if got := f.live.Current().MaxTokens; got != 111 {
			t.Errorf("not taken up: %d", got)
		}
		// Written at once, the very next request finds it.
		write("max_tokens: 10\n")
		f.look(t.Context())
		if got := f.live.Current().MaxTokens; got != 10 {
			t.Errorf("the next request does not find it: %d", got)
		}
		if err := os.Remove(f.path); err != nil {
			t.Fatal(err)
		}
		f.look(t.Context())
		if got := f.live.Current().MaxTokens; got != config.Default().MaxTokens {
			t.Errorf("without a file: %d", got)
		}
	})
}

// TestANewFileThatIsReplacedIsTakenUpAtOnce: `cp` makes the first one, `config set` changes it in the same moment.
func TestANewFileThatIsReplacedIsTakenUpAtOnce(t *testing.T) {
	f, write := newFreshness(t, "max_tokens: 7\n")
	synctest.Test(t, func(t *testing.T) {
		if err := os.Remove(f.path); err != nil {
			t.Fatal(err)
		}
		f.look(t.Context())
		write("max_tokens: 8\n")
		go func() {
			time.Sleep(configSettle / 2)
			if _, err := config.Set(f.path, "max_tokens", "9", nil); err != nil {
				t.Error(err)
			}
		}()
		f.look(t.Context()) // waits for the first, and finds the second
		f.look(t.Context()) // the next request
		if got := f.live.Current().MaxTokens; got != 9 {
			t.Errorf("the next request does not find it: %d", got)
		}
	})
}

func TestAFileReplacedByRenameIsTakenUpAtOnce(t *testing.T) {
	f, _ := newFreshness(t, "max_tokens: 7\n")
	synctest.Test(t, func(t *testing.T) {
		if _, err := config.Set(f.path, "max_tokens", "8", nil); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		f.look(t.Context())
		if got := f.live.Current().MaxTokens; got != 8 || time.Since(begin) != 0 {
			t.Errorf("%d after %v", got, time.Since(begin))
		}
	})
}

// TestAChangeIsSeenWithoutRequests: a daemon that nobody asks takes it up within a second.
func TestAChangeIsSeenWithoutRequests(t *testing.T) {
	f, write := newFreshness(t, "max_tokens: 7\n")
	synctest.Test(t, func(t *testing.T) {
		done := make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { done <- f.serve(ctx) }()
		time.Sleep(time.Millisecond)
		write("max_tokens: 8\n")
		time.Sleep(time.Second)
		synctest.Wait()
		if got := f.live.Current().MaxTokens; got != 8 {
			t.Errorf("got %d", got)
		}
		cancel()
		<-done
	})
}

func TestTheLogHasTheConfiguredFormat(t *testing.T) {
	for format, want := range map[string]string{"auto": "{", "json": "{", "text": "time="} {
		h := newHome(t, newFakeModel(t), "log: {format: "+format+"}\n")
		var stderr lockedBuffer
		d := start(t, Options{Home: h, Stderr: &stderr})
		_ = d.stop()
		b, err := os.ReadFile(filepath.Join(h.Logs, logFile))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			if !strings.HasPrefix(line, want) {
				t.Errorf("%s: the file has %q", format, line)
			}
		}
		onStderr := "time="
		if format == "json" {
			onStderr = "{"
		}
		if got := stderr.String(); !strings.HasPrefix(got, onStderr) {
			t.Errorf("%s: stderr has %q", format, got)
		}
	}
}

// TestTheLogChangesItsFormatWhileTheDaemonRuns, and its level, for loggers that were made before too.
func TestTheLogChangesItsFormatWhileTheDaemonRuns(t *testing.T) {
	h := newHome(t, nil, "")
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	l := openLogs(h, &out)
	made := l.With("part", "x").WithGroup("g")
	l.follow(config.Log{Level: "debug", Format: "json"})
	made.Debug("One", "k", 1)
	l.follow(config.Log{Level: "nonsense", Format: "text"})
	made.Debug("Two")
	made.Info("Three", "k", 1)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "{") || !strings.Contains(lines[0], `"part":"x","g":{"k":1}`) || !strings.HasSuffix(lines[1], "msg=Three part=x g.k=1") {
		t.Errorf("%q", lines)
	}
}

func TestStatusSaysWhatHasNoEffectYet(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), "permissions: {mode: full}\n")})
	s, err := d.client(t).Status(t.Context())
	if err != nil || s.State != api.StateReady || !strings.Contains(strings.Join(s.Warnings, "\n"), "permissions.mode has no effect yet") {
		t.Errorf("%+v %v", s, err)
	}
}

// lockedBuffer takes a log that several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
