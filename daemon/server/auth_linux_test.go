package server_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"jarvis/daemon/server"
)

// nobody is a user that is neither root nor whoever runs the tests.
const nobody = 65534

func TestTheKernelNamesAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	dir, err := os.MkdirTemp("", "jv")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	// The file system lets everybody in, so that it is the uid that refuses.
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // see above
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o666); err != nil { //nolint:gosec // see above
		t.Fatal(err)
	}
	s := server.New(server.Config{Token: token, UID: os.Getuid()})
	srv := s.HTTP(s.Socket())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = srv.Serve(l)
	}()
	t.Cleanup(func() {
		_ = srv.Close()
		<-served
	})
	got := make(chan string, 1)
	go func() {
		// Only this thread changes its user; it is never unlocked and ends with the goroutine.
		runtime.LockOSThread()
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), nobody, ^uintptr(0)); e != 0 {
			got <- e.Error()
			return
		}
		got <- ask(path)
	}()
	if answer := <-got; answer != "401" {
		t.Errorf("user %d with the right token got %s", nobody, answer)
	}
}

func ask(path string) string {
	c, err := net.Dial("unix", path) //nolint:noctx // the connect must be this thread's
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	if _, err := fmt.Fprintf(c, "GET /api/status HTTP/1.1\r\nHost: jarvis\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n", token); err != nil {
		return err.Error()
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	return fmt.Sprint(resp.StatusCode)
}
