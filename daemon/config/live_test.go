package config

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

func open(t *testing.T, text string) (*Live, func(string)) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	l, err := Open(file, Env{"JARVIS_ODD=1"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return l, write
}

func TestABadEditKeepsTheLastGoodOne(t *testing.T) {
	l, write := open(t, "max_tokens: 1\n")
	var log bytes.Buffer
	l.log = slog.New(slog.NewTextHandler(&log, nil))
	var seen []int
	stop := l.Subscribe(func(old, now *Config) { seen = append(seen, old.MaxTokens, now.MaxTokens) })
	snapshot := l.Current()

	write("max_tokens: 2\n")
	if err := l.Reload(); err != nil || l.Current().MaxTokens != 2 {
		t.Fatal(err)
	}
	write("max_token: 3\n")
	for range 2 {
		if err := l.Reload(); err == nil || l.Problem() == nil || !strings.Contains(l.Problem().Error(), "max_tokens") {
			t.Errorf("problem %v", l.Problem())
		}
	}
	if strings.Count(log.String(), "not taken up") != 1 {
		t.Errorf("the same problem was logged again: %s", log.String())
	}
	if l.Current().MaxTokens != 2 {
		t.Errorf("lost the last good one: %d", l.Current().MaxTokens)
	}
	write("max_tokens: 2\n") // back to what is in force
	if err := l.Reload(); err != nil || l.Problem() != nil {
		t.Errorf("the problem stayed: %v", l.Problem())
	}
	stop()
	write("max_tokens: 4\n")
	if err := l.Reload(); err != nil {
		t.Fatal(err)
	}
	if snapshot.MaxTokens != 1 {
		t.Error("a configuration that was handed out has changed")
	}
	if want := []int{1, 2, 2, 2}; len(seen) != 4 || seen[1] != want[1] || seen[3] != want[3] {
		t.Errorf("subscriber saw %v", seen)
	}
	if len(l.Warnings()) != 1 {
		t.Errorf("warnings %v", l.Warnings())
	}
	if err := os.Remove(l.path); err != nil { // no file is the defaults
		t.Fatal(err)
	}
	if err := l.Reload(); err != nil || l.Current().MaxTokens != 4096 {
		t.Errorf("without the file: %v, %d", err, l.Current().MaxTokens)
	}
}

func TestOpenRefusesABadFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("modle: a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := Open(file, nil, slog.New(slog.DiscardHandler)); err == nil {
		t.Errorf("opened %v", l.Current())
	}
}

func TestNeedsRestart(t *testing.T) {
	l, write := open(t, "model: a\n")
	write("model: b\nlisten: \"\"\ntls: auto\nlog: {level: debug}\n")
	if err := l.Reload(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(l.NeedsRestart(), " "); got != "listen tls" {
		t.Errorf("got %q", got)
	}
	write("model: c\n")
	if err := l.Reload(); err != nil || len(l.NeedsRestart()) != 0 {
		t.Errorf("changed back: %v %v", l.NeedsRestart(), err)
	}
}

// TestEventsAreGathered drives follow by hand: an editor's burst is one reload, and only when it is over.
func TestEventsAreGathered(t *testing.T) {
	l, write := open(t, "max_tokens: 1\n")
	synctest.Test(t, func(t *testing.T) {
		events, errs := make(chan fsnotify.Event), make(chan error)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.follow(ctx, events, errs) }()

		write("max_tokens: [") // half written
		events <- fsnotify.Event{Name: l.path, Op: fsnotify.Create}
		time.Sleep(settle / 2)
		write("max_tokens: 2\n")
		events <- fsnotify.Event{Name: l.path, Op: fsnotify.Write}
		time.Sleep(settle - time.Millisecond)
		synctest.Wait()
		if l.Current().MaxTokens != 1 || l.Problem() != nil {
			t.Errorf("read too early: %d %v", l.Current().MaxTokens, l.Problem())
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if l.Current().MaxTokens != 2 {
			t.Errorf("not read: %d", l.Current().MaxTokens)
		}
		write("max_tokens: 3\n")
		for _, e := range []fsnotify.Event{{Name: l.path + "~", Op: fsnotify.Write}, {Name: l.path, Op: fsnotify.Chmod}} {
			events <- e
		}
		time.Sleep(2 * settle)
		synctest.Wait()
		if l.Current().MaxTokens != 2 {
			t.Error("read for another file or for its rights")
		}
		errs <- errors.New("overflow") // events were lost
		time.Sleep(2 * settle)
		synctest.Wait()
		if l.Current().MaxTokens != 3 {
			t.Error("not read after lost events")
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestPollingWhereNothingCanBeWatched(t *testing.T) {
	l, write := open(t, "max_tokens: 1\n")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.poll(ctx, errors.New("too many open files")) }()
		synctest.Wait()
		write("max_tokens: 2\n")
		time.Sleep(look + time.Millisecond)
		synctest.Wait()
		if l.Current().MaxTokens != 2 {
			t.Errorf("not read: %d", l.Current().MaxTokens)
		}
		cancel()
		<-ended
	})
}

// TestServeSeesAReplacedFile does what editors do: write beside, rename over; also through a link.
func TestServeSeesAReplacedFile(t *testing.T) {
	for _, linked := range []bool{false, true} {
		l, _ := open(t, "max_tokens: 1\n")
		if linked {
			real := filepath.Join(t.TempDir(), "real.yaml")
			if err := os.Rename(l.path, real); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(real, l.path); err != nil {
				t.Fatal(err)
			}
		}
		changed := make(chan int, 4)
		l.Subscribe(func(_, now *Config) { changed <- now.MaxTokens })
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.Serve(ctx) }()
		if _, err := Set(l.path, "max_tokens", "2", nil); err != nil {
			t.Fatal(err)
		}
		if got := <-changed; got != 2 {
			t.Errorf("linked %v: got %d", linked, got)
		}
		if _, err := Set(l.path, "max_tokens", "3", nil); err != nil {
			t.Fatal(err)
		}
		if got := <-changed; got != 3 {
			t.Errorf("linked %v: got %d", linked, got)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	}
}
