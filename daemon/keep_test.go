package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"jarvis/daemon/home"
)

// comesBack waits until a new client is answered.
func comesBack(t *testing.T, r *running) {
	t.Helper()
	var err error
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, err = newClient(t, r.h, nil).Status(t.Context()); err == nil {
			return
		}
	}
	t.Fatalf("the daemon cannot be reached any more: %v", err)
}

// TestTheDaemonIsFoundAgain: whatever is taken away or put in the place of socket and token, the home does not get stuck, and
// nothing that was put there is lost.
func TestTheDaemonIsFoundAgain(t *testing.T) {
	put := func(path, text string) error {
		_ = os.Remove(path)
		return os.WriteFile(path, []byte(text), 0o644)
	}
	for name, harm := range map[string]func(h home.Home) error{
		"no socket":                    func(h home.Home) error { return os.Remove(h.Socket) },
		"a file in the socket's place": func(h home.Home) error { return put(h.Socket, "mine") },
		"a folder in the socket's place": func(h home.Home) error {
			return errors.Join(os.Remove(h.Socket), os.Mkdir(h.Socket, 0o700))
		},
		"no token":         func(h home.Home) error { return os.Remove(h.Token) },
		"an empty token":   func(h home.Home) error { return put(h.Token, "") },
		"another's token":  func(h home.Home) error { return put(h.Token, "other\n") },
		"no folder":        func(h home.Home) error { return os.RemoveAll(h.Run) },
		"an aged token":    func(h home.Home) error { return os.Chtimes(h.Token, time.Time{}, time.Unix(1, 0)) },
		"no socket, twice": func(h home.Home) error { return os.Remove(h.Socket) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, Options{Home: newHome(t, newFakeModel(t), "")})
			if err := harm(r.h); err != nil {
				t.Fatal(err)
			}
			comesBack(t, r)
			if name == "no socket, twice" {
				if err := harm(r.h); err != nil {
					t.Fatal(err)
				}
				comesBack(t, r)
			}
			info, err := os.Lstat(r.h.Socket)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("socket: %v %v", info, err)
			}
			if info, err = os.Stat(r.h.Token); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("token: %v %v", info, err)
			}
			if name == "a file in the socket's place" {
				if b, err := os.ReadFile(r.h.Socket + ".aside"); err != nil || string(b) != "mine" {
					t.Errorf("aside: %q %v", b, err)
				}
			}
			if err := r.stop(); err != nil {
				t.Fatal(err)
			}
			if left, _ := filepath.Glob(filepath.Join(r.h.Run, "*.sock")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestARepairCutsNobody: a stream that was open when the socket went goes on.
func TestARepairCutsNobody(t *testing.T) {
	r := start(t, Options{Home: newHome(t, newFakeModel(t), "")})
	c := r.client(t) // keeps its connection
	if _, err := c.Status(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(r.h.Socket); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Status(t.Context()); err != nil {
		t.Errorf("an open connection: %v", err)
	}
	comesBack(t, r)
	if _, err := c.Status(t.Context()); err != nil {
		t.Errorf("an open connection, after the repair: %v", err)
	}
}
