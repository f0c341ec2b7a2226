package config

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
