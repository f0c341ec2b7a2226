//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAPipeHoldsUpNobody would hang where a pipe is opened as a file is: nobody writes into it.
func TestAPipeHoldsUpNobody(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(pipe, nil); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("configuration: %v", err)
	}
	if _, err := Secret("file:"+pipe).Resolve(func(string) string { return "" }, ""); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("key: %v", err)
	}
}
