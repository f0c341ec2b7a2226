package offline

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestOldCopiesOfAnEditAreSwept(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{".edit-1.yaml": 8 * 24 * time.Hour, ".edit-2.yaml": time.Hour, "config.yaml": 800 * time.Hour} {
		f := filepath.Join(dir, name)
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(f, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	sweepCopies(dir)
	for name, want := range map[string]bool{".edit-1.yaml": false, ".edit-2.yaml": true, "config.yaml": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
