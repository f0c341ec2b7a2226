package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"jarvis/core"
	"jarvis/daemon/home"
	"jarvis/daemon/offline"
	"jarvis/store"
	"jarvis/store/bolt"
)

// TestRestoreThatIsKilled looks at the home as a kill leaves it after each move: it has the whole of a store, or none and is
// refused, and a second restore brings all of it.
func TestRestoreThatIsKilled(t *testing.T) {
	other := filled(t)
	if err := recordOffline(t.Context(), other, core.Audit{Action: "backup.create"}); err != nil { // it is moved before the store
		t.Fatal(err)
	}
	file := pack(t, other)
	empty, err := home.Find(func(name string) string {
		return map[string]string{"JARVIS_HOME": filepath.Join(t.TempDir(), "home")}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := empty.Ensure(); err != nil {
		t.Fatal(err)
	}
	for what, h := range map[string]home.Home{"an empty home": empty, "a home in use": filled(t)} {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		var killed []string
		r := &restorer{h: h, stamp: "now", staging: filepath.Join(h.Data, "restoring")}
		r.step = func() {
			dir := filepath.Join(t.TempDir(), fmt.Sprint(len(killed)))
			if err := os.CopyFS(dir, os.DirFS(h.Data)); err != nil {
				t.Fatal(err)
			}
			killed = append(killed, dir)
		}
		m, err := store.Restore(t.Context(), f, r.staging)
		if err != nil || f.Close() != nil {
			t.Fatal(err)
		}
		if err := r.swap(m); err != nil {
			t.Fatal(err)
		}
		if len(killed) < 5 {
			t.Fatalf("%s: only %d moves", what, len(killed))
		}
		for n, dir := range killed {
			again(t, fmt.Sprintf("%s after move %d", what, n+1), dir, file, other)
		}
	}
}

// again opens a home that a kill left, and restores once more.
func again(t *testing.T, what, dir, file string, other home.Home) {
	t.Helper()
	h, err := home.Find(func(name string) string { return map[string]string{"JARVIS_HOME": dir}[name] })
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	_, serr := os.Stat(h.DB)
	db, err := bolt.Open(t.Context(), bolt.Options{Path: h.DB, HomeIDPath: h.ID, LockPath: h.Lock})
	if err == nil {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case serr != nil && core.CodeOf(err) != core.StoreDamaged:
		t.Errorf("%s: a home without a store opens: %v", what, err)
	case serr == nil && err != nil:
		t.Errorf("%s: %v", what, err)
	}
	if _, err := restoreBackup(t.Context(), offline.RestoreOptions{Home: h, File: file, Replace: true}); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for from, to := range map[string]string{other.DB: h.DB, other.ID: h.ID, other.Config: h.Config, filepath.Join(other.Secrets, "k"): filepath.Join(h.Secrets, "k")} {
		want, err := os.ReadFile(from)
		got, gerr := os.ReadFile(to)
		if err != nil || gerr != nil || string(want) != string(got) {
			t.Errorf("%s: %s is not as in the backup: %v", what, to, gerr)
		}
	}
	if _, err := os.Stat(filepath.Join(h.Data, "restoring")); err == nil {
		t.Errorf("%s: the folder of the killed one is left", what)
	}
}
