//go:build unix

package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOpenRegularTakesFilesOnly would hang where a pipe is opened as a file is: nobody is at its other end.
func TestOpenRegularTakesFilesOnly(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, dir} {
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_CREATE} {
			f, err := OpenRegular(path, flag, 0o600)
			var e *Error
			if f != nil || !errors.As(err, &e) || e.Message != path+" is not a file" || e.Hint == "" {
				t.Errorf("%s with %x: %v %#v", path, flag, f, err)
			}
		}
	}
	file := filepath.Join(dir, "file")
	if _, err := ReadRegular(file, 3); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if err := os.WriteFile(file, []byte("words"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadRegular(file, 3); err != nil || string(b) != "wor" {
		t.Errorf("%q, %v", b, err)
	}
}
