//go:build unix

package client_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/home"
)

// hold takes the lock of a home for a process that ends on SIGTERM only, as a daemon does whose socket is gone. It gives the
// process, and a channel that is closed when it ended and the lock is free.
func hold(t *testing.T, h home.Home) (*os.Process, <-chan struct{}) {
	t.Helper()
	lock, err := os.OpenFile(h.Lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
		_ = lock.Close()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	if err := os.WriteFile(h.DB+".pid", []byte(strconv.Itoa(cmd.Process.Pid)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return cmd.Process, ended
}

func impatient(o *client.Options) { o.Heal = 200 * time.Millisecond }

func TestADaemonWithoutItsSocketIsNamedAndStopped(t *testing.T) {
	h := newHome(t)
	p, ended := hold(t, h)
	c := newClient(t, h, impatient)
	_, err := c.Status(t.Context())
	want := fmt.Sprintf("the daemon (pid %d) runs but its socket is gone", p.Pid)
	if err == nil || err.Error() != want || !errors.Is(err, client.ErrSilent) || api.Exit(err) != api.ExitUnreachable {
		t.Errorf("got %v", err)
	}
	if running, err := c.Shutdown(t.Context()); err != nil || !running {
		t.Errorf("running %v, %v", running, err)
	}
	select {
	case <-ended:
	default:
		t.Error("it was not stopped")
	}
	if running, err := c.Shutdown(t.Context()); err != nil || running {
		t.Errorf("after it: running %v, %v", running, err)
	}
}

// TestNobodyIsStoppedWithoutProof: the file alone may name a process that has nothing to do with it.
func TestNobodyIsStoppedWithoutProof(t *testing.T) {
	h := newHome(t)
	p, ended := hold(t, h)
	if err := os.Remove(h.Lock); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, h, impatient)
	if running, err := c.Shutdown(t.Context()); err != nil || running {
		t.Errorf("no lock: running %v, %v", running, err)
	}
	q, held := hold(t, h)
	if err := os.WriteFile(h.DB+".pid", []byte("-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Shutdown(t.Context()); err == nil || !strings.Contains(err.Error(), "the daemon runs but its socket is gone") {
		t.Errorf("no pid: %v", err)
	}
	for _, one := range []struct {
		p     *os.Process
		ended <-chan struct{}
	}{{p, ended}, {q, held}} {
		select {
		case <-one.ended:
			t.Errorf("%d was stopped", one.p.Pid)
		default:
		}
	}
}

func TestADaemonThatStartsIsNotTakenForASilentOne(t *testing.T) {
	h := newHome(t)
	hold(t, h)
	if err := os.WriteFile(h.Run+"/"+client.StateFile, []byte(api.StateMigrating+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newClient(t, h, impatient).Status(t.Context()); err == nil || !strings.Contains(err.Error(), "is starting") {
		t.Errorf("got %v", err)
	}
}

// TestADaemonThatHealsIsWaitedFor: no second one is started beside it.
func TestADaemonThatHealsIsWaitedFor(t *testing.T) {
	h := newHome(t)
	hold(t, h)
	healed := time.AfterFunc(100*time.Millisecond, func() {
		l, err := new(net.ListenConfig).Listen(t.Context(), "unix", h.Socket)
		if err != nil {
			t.Error(err)
			return
		}
		srv := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
		t.Cleanup(func() { _ = srv.Close() })
		go func() { _ = srv.Serve(l) }()
	})
	defer healed.Stop()
	c := newClient(t, h, func(o *client.Options) { o.NoAutostart = false })
	if started, err := c.Start(t.Context()); err != nil || started {
		t.Errorf("started %v, %v", started, err)
	}
}

// TestALostTokenIsWaitedFor: the daemon writes it again.
func TestALostTokenIsWaitedFor(t *testing.T) {
	h := newHome(t)
	hold(t, h)
	serve(t, h, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer tok" {
			time.AfterFunc(50*time.Millisecond, func() { _ = home.WriteFile(h.Token, []byte("tok\n")) })
			refuse(w, core.Unauthorized, "who?")
			return
		}
		_, _ = w.Write([]byte("{}"))
	})
	if err := os.Remove(h.Token); err != nil {
		t.Fatal(err)
	}
	if _, err := newClient(t, h, nil).Status(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestPipesHoldUpNoClient would hang where one is opened as a file is.
func TestPipesHoldUpNoClient(t *testing.T) {
	h := newHome(t)
	serve(t, h, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(api.VarsHeader, "SOME_KEY")
		_, _ = w.Write([]byte("{}"))
	})
	if err := os.Remove(h.Token); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{h.Token, h.Lock, h.Start, h.Run + "/" + client.SaidFile, h.Run + "/" + client.StateFile, h.DB + ".pid"} {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := newClient(t, h, impatient)
	if _, err := c.Status(t.Context()); err != nil {
		t.Error(err)
	}
	if err := os.Remove(h.Socket); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if _, err := c.Status(t.Context()); !errors.Is(err, client.ErrUnreachable) {
		t.Error(err)
	}
	if _, err := c.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("start: %v", err)
	}
}
