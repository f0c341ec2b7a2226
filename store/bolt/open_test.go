package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
)

// filled makes a closed store with some hundred records and gives its path and content.
func filled(t *testing.T) (path string, content []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "jarvis.db")
	d := openT(t, Options{Path: path, noSync: true})
	for n := range 40 {
		err := d.update(t.Context(), "fill", func(t *tx) error {
			for i := range 20 {
				if err := t.put(bSource, key(u64(n*20+i)), strings.Repeat("x", 300)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, content
}

func asides(t *testing.T, path string) []string {
	t.Helper()
	old, err := filepath.Glob(path + ".damaged-*")
	if err != nil {
		t.Fatal(err)
	}
	return old
}

var noon = func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func TestNewHome(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "jarvis.db")
	d := openT(t, Options{Path: path, HomeIDPath: filepath.Join(dir, "home.id")})
	id, err := readHomeID(filepath.Join(dir, "home.id"))
	if err != nil || len(id) != 32 || id != d.homeID {
		t.Errorf("home.id is %q, store says %q, %v", id, d.homeID, err)
	}
	for _, p := range []string{path, filepath.Join(dir, "home.id"), path + ".lock", path + ".pid"} {
		if info, err := os.Stat(p); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", p, info, err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	// A crash before home.id was written: the store is there, so it is written now.
	if err := os.Remove(filepath.Join(dir, "home.id")); err != nil {
		t.Fatal(err)
	}
	d = openT(t, Options{Path: path, HomeIDPath: filepath.Join(dir, "home.id")})
	if again, err := readHomeID(filepath.Join(dir, "home.id")); err != nil || again != id || d.homeID != id {
		t.Errorf("home.id is %q, was %q, %v", again, id, err)
	}
}

func TestMissingStore(t *testing.T) {
	path, _ := filled(t)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Path: path})
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.StoreDamaged || e.Hint != newStore {
		t.Errorf("got %v", err)
	}
	if there, _ := exists(path); there {
		t.Error("an empty store was started silently")
	}
	openT(t, Options{Path: path, New: true})
}

// TestNewKeepsGood: asking for a new store never costs a good one.
func TestNewKeepsGood(t *testing.T) {
	path, _ := filled(t)
	d := openT(t, Options{Path: path, New: true})
	if !hasN(t, d, 7) {
		t.Error("the good store is gone")
	}
}

func TestEmptyFileInNewHome(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jarvis.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	openT(t, Options{Path: path})
}

func TestHalfMadeStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jarvis.db")
	if err := os.WriteFile(path+".new", []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	openT(t, Options{Path: path})
}

func TestSecondDaemon(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jarvis.db")
	openT(t, Options{Path: path, PID: 4711})
	_, err := Open(t.Context(), Options{Path: path, LockTimeout: 30 * time.Millisecond})
	if core.CodeOf(err) != core.Conflict || err.Error() != "another jarvis daemon has this home open (pid 4711)" {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(path + ".pid"); err != nil {
		t.Errorf("the loser took the winner's pid file: %v", err)
	}
}

func TestLockedByAnotherProgram(t *testing.T) {
	path, _ := filled(t)
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	_, err = Open(t.Context(), Options{Path: path, LockTimeout: 60 * time.Millisecond})
	if core.CodeOf(err) != core.Conflict || len(asides(t, path)) != 0 {
		t.Errorf("got %v", err)
	}
}

func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("Root may read everything: this test is for others")
		return
	}
	path, _ := filled(t)
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Path: path})
	if core.CodeOf(err) != core.Internal || len(asides(t, path)) != 0 {
		t.Errorf("got %v", err)
	}
}

func TestHomeIsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Path: filepath.Join(path, "jarvis.db")}); core.CodeOf(err) != core.Internal {
		t.Errorf("got %v", err)
	}
}
