//go:build unix

package home

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func testHome(t *testing.T) Home {
	t.Helper()
	root := filepath.Join(t.TempDir(), "home")
	h, err := Find(func(name string) string { return map[string]string{"JARVIS_HOME": root}[name] })
	if err != nil {
		t.Fatal(err)
	}
	if h.Used() {
		t.Error("a home that is not there is used")
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{h.Config, h.DB, h.Token, filepath.Join(h.Secrets, "work"), filepath.Join(h.Logs, "daemon.log")} {
		if err := os.WriteFile(f, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func TestInspectAndMend(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil  func(Home) (string, error)
		kind   Kind
		secret bool
		mended bool
	}{
		"nothing":       {func(Home) (string, error) { return "", nil }, "", false, false},
		"open root":     {func(h Home) (string, error) { return h.Data, os.Chmod(h.Data, 0o755) }, Readable, false, true},
		"writable root": {func(h Home) (string, error) { return h.Data, os.Chmod(h.Data, 0o777) }, Writable, false, true},
		"shut root":     {func(h Home) (string, error) { return h.Data, os.Chmod(h.Data, 0o500) }, Shut, false, true},
		"open runs":     {func(h Home) (string, error) { return h.Runs, os.Chmod(h.Runs, 0o750) }, Readable, false, true},
		"open secrets":  {func(h Home) (string, error) { return h.Secrets, os.Chmod(h.Secrets, 0o755) }, Readable, true, true},
		"open key": {func(h Home) (string, error) {
			p := filepath.Join(h.Secrets, "work")
			return p, os.Chmod(p, 0o644)
		}, Readable, true, true},
		"open token":        {func(h Home) (string, error) { return h.Token, os.Chmod(h.Token, 0o640) }, Readable, true, true},
		"open store":        {func(h Home) (string, error) { return h.DB, os.Chmod(h.DB, 0o644) }, Readable, false, true},
		"usual config":      {func(h Home) (string, error) { return "", os.Chmod(h.Config, 0o644) }, "", false, false},
		"writable config":   {func(h Home) (string, error) { return h.Config, os.Chmod(h.Config, 0o666) }, Writable, false, true},
		"shut config":       {func(h Home) (string, error) { return h.Config, os.Chmod(h.Config, 0o200) }, Shut, false, true},
		"folder for a file": {func(h Home) (string, error) { return h.MCP, os.Mkdir(h.MCP, 0o700) }, Irregular, false, false},
		"file for a folder": {func(h Home) (string, error) {
			_ = os.Remove(h.Models)
			return h.Models, os.WriteFile(h.Models, nil, 0o600)
		}, Irregular, false, false},
		"link to nothing": {func(h Home) (string, error) {
			_ = os.Remove(h.Models)
			return h.Models, os.Symlink("nowhere", h.Models)
		}, Unusable, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t)
			path, err := tt.spoil(h)
			if err != nil {
				t.Fatal(err)
			}
			list := h.Inspect()
			if tt.kind == "" {
				if len(list) != 0 {
					t.Errorf("faults %+v", list)
				}
				return
			}
			if len(list) != 1 || list[0].Path != path || list[0].Kind != tt.kind || list[0].Secret != tt.secret {
				t.Fatalf("faults %+v, want %s of %s", list, tt.kind, path)
			}
			if err := list[0].Mend(); (err == nil) != tt.mended {
				t.Errorf("mend: %v", err)
			}
			if left := h.Inspect(); (len(left) == 0) != tt.mended {
				t.Errorf("left are %+v", left)
			}
		})
	}
}

// TestMendTouchesNothingElse: what was laid in the place of a file after the look keeps its rights.
func TestMendTouchesNothingElse(t *testing.T) {
	h := testHome(t)
	if err := os.Chmod(h.DB, 0o644); err != nil {
		t.Fatal(err)
	}
	list := h.Inspect()
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(h.DB); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, h.DB); err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Mend() == nil {
		t.Errorf("faults %+v: another file was mended", list)
	}
	if info, err := os.Stat(other); err != nil || info.Mode().Perm() != fs.FileMode(0o644) {
		t.Errorf("the other file is %v, %v", info, err)
	}
}
