//go:build unix

package bolt

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jarvis/core"
)

// TestPipesHoldUpNoStore would hang where one is opened as a file is. Nothing is put aside for it.
func TestPipesHoldUpNoStore(t *testing.T) {
	for _, name := range []string{"jarvis.db", "jarvis.db.lock", "jarvis.db.pid", "jarvis.db.new"} {
		dir := t.TempDir()
		pipe := filepath.Join(dir, name)
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Open(t.Context(), Options{Path: filepath.Join(dir, "jarvis.db")})
		if name == "jarvis.db.new" { // what a crash left under this name is removed, whatever it is
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if core.CodeOf(err) != core.Internal || !strings.Contains(err.Error(), pipe+" is not a file") {
			t.Errorf("%s: %v", name, err)
		}
		if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
			t.Errorf("%s was moved: %v", name, err)
		}
	}
}
