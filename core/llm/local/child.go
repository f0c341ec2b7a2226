package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"jarvis/core/llm/local/wire"
)

// child is one worker process and the socket to it.
type child struct {
	cmd    *exec.Cmd
	conn   *os.File
	out    *wire.Writer
	stderr *tail

	events  chan wire.Event // closed when the socket is
	readErr error           // why; set before events is closed
	gone    chan struct{}   // closed by stop: nobody reads events any more
	exited  chan struct{}   // closed when the process has ended
	waitErr error           // set before exited is closed
	once    sync.Once
}

// startChild runs the worker. env is its whole environment: it gets no key and no token.
func startChild(program string, env []string) (*child, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	c := &child{
		cmd:  exec.Command(program), //nolint:noctx // it outlives the request that starts it
		conn: ours, out: wire.NewWriter(ours), stderr: &tail{max: 16 << 10},
		events: make(chan wire.Event, 16), gone: make(chan struct{}), exited: make(chan struct{}),
	}
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr = "/", env, c.stderr
	c.cmd.ExtraFiles = []*os.File{theirs}
	c.cmd.WaitDelay = time.Second
	detach(c.cmd)
	started := make(chan error, 1)
	go func() {
		// The worker dies with the thread that started it (PDEATHSIG), so that thread must live as long.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			c.waitErr = c.cmd.Wait()
			close(c.exited)
		}
	}()
	if err := <-started; err != nil {
		ours.Close()
		return nil, err
	}
	go c.read()
	return c, nil
}

func (c *child) read() {
	defer close(c.events)
	r := wire.NewReader(c.conn)
	for {
		var ev wire.Event
		if err := r.Read(&ev); err != nil {
			c.readErr = err
			return
		}
		select {
		case c.events <- ev:
		case <-c.gone:
			c.readErr = io.EOF
			return
		}
	}
}

// send writes one request; a worker that does not read for 30 s is as good as dead.
func (c *child) send(r wire.Request) error {
	if err := c.conn.SetWriteDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return err
	}
	return c.out.Write(r)
}

func (c *child) alive() bool {
	select {
	case <-c.exited:
		return false
	default:
		return true
	}
}

// stop ends the worker: the closed socket tells it to, and what does not listen is killed.
func (c *child) stop(grace time.Duration) {
	c.once.Do(func() {
		close(c.gone)
		c.conn.Close()
	})
	if grace > 0 {
		t := time.NewTimer(grace)
		defer t.Stop()
		select {
		case <-c.exited:
			return
		case <-t.C:
		}
	}
	_ = c.cmd.Process.Kill() // it may have ended by itself
	<-c.exited
}

// death waits for the process's end, after its socket closed, and tells how it ended.
func (c *child) death() (state *os.ProcessState, stderr string) {
	t := time.NewTimer(2 * time.Second)
	defer t.Stop()
	select {
	case <-c.exited:
	case <-t.C:
	}
	c.stop(0)
	return c.cmd.ProcessState, c.stderr.String()
}

// tail keeps the last bytes written to it.
type tail struct {
	mu  sync.Mutex
	max int
	b   []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if n := len(t.b) - t.max; n > 0 {
		t.b = append(t.b[:0], t.b[n:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}

// workerEnv is the environment of a worker: where the loader may look, and nothing that is secret.
func workerEnv(lookup func(string) (string, bool)) []string {
	env := []string{"GGML_NO_BACKTRACE=1"} // else an assertion starts a debugger
	for _, k := range []string{"PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"} {
		if v, ok := lookup(k); ok {
			env = append(env, k+"="+v)
		}
	}
	return env
}

var errUnsupported = errors.New("local models do not run on this system yet")

func wrapStart(err error) error { return fmt.Errorf("start worker: %w", err) }
