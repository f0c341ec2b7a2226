package home

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func env(kv ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(kv); i += 2 {
			if kv[i] == name {
				return kv[i+1]
			}
		}
		return ""
	}
}

func TestFind(t *testing.T) {
	tests := []struct {
		name                string
		env                 []string
		config, data, state string
	}{
		{"flat", []string{"JARVIS_HOME", "/srv/j", "HOME", "/h", "XDG_CONFIG_HOME", "/x"}, "/srv/j", "/srv/j", "/srv/j"},
		{"flat, untidy", []string{"JARVIS_HOME", "/srv//j/../j/"}, "/srv/j", "/srv/j", "/srv/j"},
		{"usual", []string{"HOME", "/h"}, "/h/.config/jarvis", "/h/.local/share/jarvis", "/h/.local/state/jarvis"},
		{
			"XDG",
			[]string{"HOME", "/h", "XDG_CONFIG_HOME", "/c", "XDG_DATA_HOME", "/d", "XDG_STATE_HOME", "/s"},
			"/c/jarvis", "/d/jarvis", "/s/jarvis",
		},
		{"relative XDG is ignored", []string{"HOME", "/h", "XDG_DATA_HOME", "d"}, "/h/.config/jarvis", "/h/.local/share/jarvis", "/h/.local/state/jarvis"},
		{
			"a service: configuration in /etc, the rest together",
			[]string{"XDG_CONFIG_HOME", "/etc", "XDG_DATA_HOME", "/var/lib", "XDG_STATE_HOME", "/var/lib"},
			"/etc/jarvis", "/var/lib/jarvis", "/var/lib/jarvis",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, err := Find(env(tt.env...))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range []struct{ got, want string }{
				{h.Config, tt.config + "/config.yaml"},
				{h.MCP, tt.config + "/mcp.json"},
				{h.Commands, tt.config + "/commands"},
				{h.Secrets, tt.config + "/secrets"},
				{h.DB, tt.data + "/jarvis.db"},
				{h.ID, tt.data + "/home.id"},
				{h.Runs, tt.data + "/runs"},
				{h.Blobs, tt.data + "/blobs"},
				{h.Models, tt.data + "/models"},
				{h.Socket, tt.state + "/run/jarvis.sock"},
				{h.Token, tt.state + "/run/token"},
				{h.Logs, tt.state + "/logs"},
				{h.Pointer, ""},
			} {
				if p.got != p.want {
					t.Errorf("got %s, want %s", p.got, p.want)
				}
			}
		})
	}
}

func TestFindRelativeAndNone(t *testing.T) {
	t.Chdir(t.TempDir())
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	h, err := Find(env("JARVIS_HOME", "j"))
	if err != nil || h.Data != filepath.Join(wd, "j") {
		t.Errorf("got %s, %v", h.Data, err)
	}
	for _, e := range [][]string{{}, {"HOME", "relative"}, {"XDG_CONFIG_HOME", "/c"}} {
		if h, err := Find(env(e...)); err == nil {
			t.Errorf("%v gave %+v", e, h)
		}
	}
}

// long gives a home whose usual socket path does not fit.
func long(t *testing.T) Home {
	t.Helper()
	h, err := Find(env("JARVIS_HOME", filepath.Join(t.TempDir(), strings.Repeat("x", 100))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(h.Socket)) })
	return h
}

func TestLongSocket(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	h := long(t)
	if !strings.HasPrefix(h.Socket, "/tmp/jarvis-") || len(h.Socket) > 104 {
		t.Fatalf("socket %s", h.Socket)
	}
	if err := h.CheckSocket(); err != nil {
		t.Fatalf("no folder yet: %v", err)
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(h.Pointer)
	if err != nil || strings.TrimSpace(string(b)) != h.Socket {
		t.Errorf("pointer %q, %v", b, err)
	}
	// Through a link to the home the same socket is found.
	link := filepath.Join(t.TempDir(), strings.Repeat("y", 100))
	if err := os.Symlink(h.Data, link); err != nil {
		t.Fatal(err)
	}
	l, err := Find(env("JARVIS_HOME", link))
	if err != nil || l.Socket != h.Socket {
		t.Errorf("through a link: %s, %v", l.Socket, err)
	}
	// A folder that others may enter could hold another's socket.
	if err := os.Chmod(filepath.Dir(h.Socket), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := h.CheckSocket(); err == nil {
		t.Error("a folder open to others was accepted")
	}
}

func TestPointerCannotLeadElsewhere(t *testing.T) {
	h := long(t)
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	for _, evil := range []string{"/tmp/evil/jarvis.sock", "/tmp/jarvis-1/../evil/jarvis.sock", "/run/jarvis-1/jarvis.sock", "/tmp/jarvis-1/other.sock", "", "jarvis.sock"} {
		if err := os.WriteFile(h.Pointer, []byte(evil), 0o600); err != nil {
			t.Fatal(err)
		}
		if again, _ := Find(env("JARVIS_HOME", h.Data)); again.Socket != h.Socket {
			t.Errorf("pointer %q led to %s", evil, again.Socket)
		}
	}
}

func TestEnsureModesWhateverTheUmask(t *testing.T) {
	for _, mask := range []int{0o000, 0o022, 0o277, 0o777} {
		h, err := Find(env("JARVIS_HOME", filepath.Join(t.TempDir(), "a", "home")))
		if err != nil {
			t.Fatal(err)
		}
		withUmask(mask, func() { err = h.Ensure() })
		if err != nil {
			t.Fatalf("umask %o: %v", mask, err)
		}
		for _, dir := range []string{h.Data, h.Secrets, h.Runs, h.Blobs, h.Models, h.Logs, h.Run} {
			if mode := modeOf(t, dir); mode != 0o700 {
				t.Errorf("umask %o: %s has %o", mask, dir, mode)
			}
		}
		if err := h.Ensure(); err != nil {
			t.Errorf("a second time: %v", err)
		}
		file := filepath.Join(h.Secrets, "k")
		withUmask(mask, func() { err = WriteFile(file, []byte("x")) })
		if err != nil || modeOf(t, file) != 0o600 {
			t.Errorf("umask %o: file %o, %v", mask, modeOf(t, file), err)
		}
	}
}

func TestEnsureTightensWhatIsPrivate(t *testing.T) {
	h, err := Find(env("JARVIS_HOME", t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{h.Run, h.Secrets} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	if modeOf(t, h.Run) != 0o700 || modeOf(t, h.Secrets) != 0o700 {
		t.Error("run or secrets stayed open")
	}
}

func TestEnsureRefuses(t *testing.T) {
	tests := []struct {
		name  string
		make  func(path string) error
		words string
	}{
		{"a file", func(p string) error { return os.WriteFile(p, nil, 0o600) }, "is not a folder"},
		{"writable by the group", func(p string) error { return mkdirMode(p, 0o770) }, "can be written by other users"},
		{"writable by everybody", func(p string) error { return mkdirMode(p, 0o777) }, "can be written by other users"},
		{"a dangling link", func(p string) error { return os.Symlink(p+"-none", p) }, "cannot use"},
		{"a file in the way of the parents", func(p string) error { return os.WriteFile(filepath.Dir(p), nil, 0o600) }, "cannot use"},
		{"a file in the way of run", func(p string) error {
			if err := os.Mkdir(p, 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(p, "run"), nil, 0o600)
		}, "run"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			parent := filepath.Join(t.TempDir(), "p")
			root := filepath.Join(parent, "home")
			if !strings.Contains(tt.name, "parents") {
				if err := os.Mkdir(parent, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := tt.make(root); err != nil {
				t.Fatal(err)
			}
			h, err := Find(env("JARVIS_HOME", root))
			if err != nil {
				t.Fatal(err)
			}
			err = h.Ensure()
			e, ok := err.(*Error) //nolint:errorlint // the type itself is the promise
			if !ok || !strings.Contains(e.Message, tt.words) || e.Hint == "" || strings.Contains(e.Message, "\n") {
				t.Errorf("got %#v", err)
			}
		})
	}
}

func TestAHomeBehindALinkOfOurs(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	h, err := Find(env("JARVIS_HOME", link))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Ensure(); err != nil {
		t.Error(err)
	}
}

func TestUnusableSaysWhy(t *testing.T) {
	err := unusable("/x", &os.PathError{Op: "open", Path: "/x/y", Err: os.ErrPermission})
	if err.Error() != "no permission to use /x/y" {
		t.Errorf("got %q", err)
	}
}

func TestAFullDiskIsNamedByAFolderThatExists(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run", ".token-1")
	e, ok := unusable(path, &os.PathError{Op: "open", Path: path, Err: syscall.ENOSPC}).(*Error) //nolint:errorlint // the type is the promise
	if !ok || e.Message != "the disk is full: nothing can be written into "+dir || e.Hint != "df -h "+dir {
		t.Errorf("got %+v", e)
	}
}

func mkdirMode(path string, mode os.FileMode) error {
	if err := os.Mkdir(path, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

func modeOf(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestPrograms(t *testing.T) {
	root := t.TempDir()
	put := func(path string, mode os.FileMode) string {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	self := put("bin/jarvis", 0o755)
	daemon := put("bin/jarvisd", 0o755)
	screen := put("libexec/jarvis/jarvis-tui", 0o755)
	put("bin/jarvis-model", 0o644)
	link := filepath.Join(root, "link")
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(root, "bin"))
	for _, from := range []string{self, link} {
		p := FindPrograms(from, env())
		for name, want := range map[string]string{Daemon: daemon, Screen: screen} {
			got, err := p.Path(name)
			if err != nil || !sameFile(got, want) {
				t.Errorf("%s from %s: %s, %v", name, from, got, err)
			}
		}
		if got, err := p.Path(Model); err == nil {
			t.Errorf("a file that cannot run was found: %s", got)
		}
	}
	other := put("tests/jarvisd", 0o755)
	p := FindPrograms(self, env("JARVIS_LIBEXEC", filepath.Dir(other)))
	if got, err := p.Path(Daemon); err != nil || got != other {
		t.Errorf("JARVIS_LIBEXEC: %s, %v", got, err)
	}
	if _, err := p.Path(Screen); err == nil || !strings.Contains(err.Error(), "jarvis-tui") {
		t.Errorf("JARVIS_LIBEXEC is not the only place: %v", err)
	}
	// Never by PATH, nor from an empty name of one's own.
	if got, err := FindPrograms(put("elsewhere/jarvis", 0o755), env()).Path(Daemon); err == nil {
		t.Errorf("found by PATH: %s", got)
	}
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
