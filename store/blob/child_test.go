//go:build unix

package blob

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jarvis/core"
)

// TestMain runs the test binary as a child whose disk is full.
func TestMain(m *testing.M) {
	if root := os.Getenv("BLOB_TEST_ROOT"); root != "" {
		os.Exit(fillDisk(root))
	}
	os.Exit(m.Run())
}

func fillDisk(root string) int {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := Open(root, Options{})
	if err != nil {
		return 1
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: 1 << 40}); err != nil {
		return 1
	}
	_, _, err = s.Put(context.Background(), strings.NewReader(strings.Repeat("x", 2000)))
	if core.CodeOf(err) != core.Internal || !strings.Contains(err.Error(), "disk is full") {
		fmt.Fprintln(os.Stderr, "child: full disk gave", err)
		return 1
	}
	if _, _, err = s.Put(context.Background(), strings.NewReader("small")); err != nil {
		fmt.Fprintln(os.Stderr, "child: what fits gave", err)
		return 1
	}
	return 0
}

func TestFullDisk(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "blobs")
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "BLOB_TEST_ROOT="+root)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("child: %v: %s", err, out)
	}
	if got := files(t, &Store{dir: root}); len(got) != 1 {
		t.Errorf("left behind: %q", got)
	}
}
