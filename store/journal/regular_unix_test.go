//go:build unix

package journal

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipesHoldUpNoJournal would hang where one is opened as a file is.
func TestPipesHoldUpNoJournal(t *testing.T) {
	for _, name := range []string{"open.log", "open.log.new"} {
		root := t.TempDir()
		if err := syscall.Mkfifo(filepath.Join(root, name), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(root, Options{}); err == nil || !strings.Contains(err.Error(), "is not a file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	d := openT(t, t.TempDir(), Options{})
	l := logT(t, d, id(1))
	appendT(t, l, text("a"), done())
	path := l.s.path
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Unlink(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t.Context(), d, id(1), 0); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("read: %v", err)
	}
	if _, err := sealedFile(path); err == nil {
		t.Error("a pipe passed for a sealed journal")
	}
}
