package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

// asDaemon makes this test program a daemon: kill -9 needs a process.
const asDaemon = "JARVIS_TEST_DAEMON"

func TestMain(m *testing.M) {
	if os.Getenv(asDaemon) != "" {
		os.Exit(daemonMain())
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("gopkg.in/natefinch/lumberjack%2ev2.(*Logger).millRun"))
}

func daemonMain() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	closeForeign()
	prepare()
	h, err := home.Find(os.Getenv)
	if err == nil {
		err = Run(ctx, Options{Home: h, LockWait: lockWait, Env: config.Env{}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "jarvisd: "+err.Error())
		return 1
	}
	return 0
}

// nursery starts daemons as processes and knows them.
type nursery struct {
	h     home.Home
	extra *os.File // left open to the daemon

	mu   sync.Mutex // guards what follows
	cmds []*exec.Cmd
	gone []chan struct{}
}

func newNursery(t *testing.T, h home.Home) *nursery {
	t.Helper()
	n := &nursery{h: h}
	t.Cleanup(func() {
		for i, cmd := range n.all() {
			_ = cmd.Process.Kill()
			<-n.gone[i]
		}
	})
	return n
}

func (n *nursery) all() []*exec.Cmd {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]*exec.Cmd(nil), n.cmds...)
}

// spawn is for client.Options.
func (n *nursery) spawn(context.Context, []string) (func() error, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe) //nolint:noctx // it is ended by the test
	cmd.Env = []string{asDaemon + "=1", "JARVIS_HOME=" + n.h.Data}
	stderr, err := os.OpenFile(filepath.Join(n.h.Logs, client.ErrLog), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	cmd.Stderr = stderr
	if n.extra != nil {
		cmd.ExtraFiles = []*os.File{n.extra}
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	gone := make(chan struct{})
	n.mu.Lock()
	n.cmds, n.gone = append(n.cmds, cmd), append(n.gone, gone)
	n.mu.Unlock()
	var end error
	go func() {
		defer close(gone)
		end = cmd.Wait()
	}()
	return func() error { <-gone; return end }, nil
}

// kill ends the newest daemon as a power cut would.
func (n *nursery) kill() {
	n.mu.Lock()
	cmd, gone := n.cmds[len(n.cmds)-1], n.gone[len(n.gone)-1]
	n.mu.Unlock()
	_ = cmd.Process.Kill()
	<-gone
}

func (n *nursery) client(t *testing.T) *client.Client {
	t.Helper()
	return newClient(t, n.h, func(o *client.Options) { o.NoAutostart, o.Spawn = false, n.spawn })
}

func TestTwentyClientsStartOneDaemon(t *testing.T) {
	n := newNursery(t, newHome(t, newFakeModel(t), ""))
	var wg sync.WaitGroup
	errs := make(chan error, 20)
	for i := range 20 {
		c := n.client(t)
		wg.Go(func() {
			events, err := ask(t.Context(), c, api.Chat{Content: fmt.Sprintf("say number %d", i)})
			if err == nil && shown(events) != fmt.Sprintf("number %d", i) {
				err = fmt.Errorf("client %d was shown %q", i, shown(events))
			}
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if got := len(n.all()); got != 1 {
		t.Errorf("%d daemons were started", got)
	}
}

func TestAKilledDaemonsSocketAndLockAreNoObstacle(t *testing.T) {
	n := newNursery(t, newHome(t, newFakeModel(t), ""))
	c := n.client(t)
	for range 2 {
		if _, err := c.Todos(t.Context()); err != nil {
			t.Fatal(err)
		}
		n.kill()
		if _, err := os.Lstat(n.h.Socket); err != nil {
			t.Fatal("the test is none: the socket went with the daemon")
		}
	}
	if _, err := c.Todos(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestADaemonHoldsNothingOfItsParents(t *testing.T) {
	n := newNursery(t, newHome(t, newFakeModel(t), ""))
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n.extra = w // as a shell leaves it in `x=$(jarvis ask …)`
	c := n.client(t)
	if _, err := c.Todos(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	if err := r.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("somebody still has the pipe: %v", err)
	}
	if _, err := c.Status(t.Context()); err != nil {
		t.Error(err)
	}
}
