//go:build unix

package home

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestUnreadableHome runs as nobody when it is root's: for root no folder is unreadable.
func TestUnreadableHome(t *testing.T) {
	if dir := os.Getenv("HOME_OF_ANOTHER"); dir != "" {
		refusesUnreadable(t, dir)
		return
	}
	dir := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(dir, 0); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		refusesUnreadable(t, dir)
		return
	}
	const nobody = 65534
	if err := os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o755); err != nil { // the test's own folder
		t.Fatal(err)
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir() // where a test program with coverage writes
	if err := os.Chown(tmp, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), copyOfSelf(t), "-test.run=^TestUnreadableHome$", "-test.v")
	cmd.Env = []string{"HOME_OF_ANOTHER=" + dir, "TMPDIR=" + tmp}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: TestUnreadableHome") {
		t.Errorf("%v\n%s", err, out)
	}
}

func refusesUnreadable(t *testing.T, dir string) {
	t.Helper()
	h, err := Find(env("JARVIS_HOME", dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{h.Ensure(), h.EnsureConfig()} {
		e, ok := err.(*Error) //nolint:errorlint // the type itself is the promise
		if !ok || e.Message != "no permission to use "+dir || e.Hint != "ls -ld "+dir {
			t.Errorf("got %#v", err)
		}
	}
	// It is named once, not for all that should lie in it, and can be mended by its owner.
	if list := h.Inspect(); len(list) != 1 || list[0].Path != dir || list[0].Kind != Shut {
		t.Errorf("faults %+v", list)
	} else if err := list[0].Mend(); err != nil {
		t.Error(err)
	}
	if list := h.Inspect(); len(list) != 0 {
		t.Errorf("left are %+v", list)
	}
}

// copyOfSelf is the test program where another user may run it.
func copyOfSelf(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	path := filepath.Join(t.TempDir(), "test")
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
