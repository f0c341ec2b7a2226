package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"jarvis/core"
	"jarvis/daemon/home"
)

// startTime is how long a daemon may take to answer; one that says that it migrates gets migrateTime.
const (
	startTime   = 20 * time.Second
	migrateTime = 30 * time.Minute
)

// StateFile lies in the run folder and holds what a daemon does before its socket answers: api.StateStarting or StateMigrating.
const StateFile = "state"

// ErrLog lies in the log folder and takes what a detached daemon writes to stderr.
const ErrLog = "daemon.err"

// Start makes sure that a daemon runs: probe, lock, probe again, spawn, wait until it answers, release. However many
// clients do that at once, one daemon starts. started tells whether it was this one's doing; args go to `jarvisd run`.
func (c *Client) Start(ctx context.Context, args ...string) (started bool, err error) {
	if c.probe(ctx) == nil {
		return false, nil
	}
	if err := c.o.Home.Ensure(); err != nil {
		return false, c.unreachable(err)
	}
	unlock, err := lock(ctx, c.o.Home.Start)
	if err != nil {
		return false, c.noStart(err)
	}
	defer unlock()
	if err := c.probe(ctx); err == nil {
		return false, nil
	} else if !notRunning(err) && ctx.Err() == nil {
		return false, c.unreachable(err)
	}
	if c.heals(ctx) { // one holds the home: it is found again, or it is ending
		return false, nil
	}
	spawn := c.o.Spawn
	if spawn == nil {
		spawn = c.spawn
	}
	mark := c.errSize()
	wait, err := spawn(ctx, args)
	if err != nil {
		return false, c.noStart(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- wait() }()
	return true, c.await(ctx, exited, mark)
}

// probe asks whether anybody answers.
func (c *Client) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	resp, err := c.send(ctx, call{method: http.MethodGet, path: "/healthz"}, "")
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<10))
	return resp.Body.Close()
}

// await polls until the daemon answers or ends.
func (c *Client) await(ctx context.Context, exited <-chan error, mark int64) error {
	begin := time.Now()
	for wait := time.Millisecond; ; wait = min(wait*3/2, 25*time.Millisecond) {
		if c.probe(ctx) == nil {
			return nil
		}
		t := time.NewTimer(wait)
		select {
		case err := <-exited:
			t.Stop()
			if c.probe(ctx) == nil {
				return nil // another one was faster, started by hand
			}
			return c.died(err, mark)
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
		state, _ := home.ReadRegular(c.stateFile(), 64)
		limit := startTime
		if strings.TrimSpace(string(state)) == "migrating" {
			limit = migrateTime
		}
		if time.Since(begin) > limit {
			return core.E(core.Internal, "the daemon was started and does not answer; its log is in "+c.o.Home.Logs, "jarvis daemon logs",
				ErrUnreachable)
		}
	}
}

// died reports why a daemon ended instead of answering: what it said last on stderr.
func (c *Client) died(exit error, mark int64) error {
	said, hint := "", "jarvis daemon logs"
	if f, err := home.OpenRegular(c.errLog(), os.O_RDONLY, 0); err == nil {
		defer f.Close()
		if _, err := f.Seek(mark, io.SeekStart); err == nil {
			b, _ := io.ReadAll(io.LimitReader(f, 64<<10))
			said, hint = lastWords(b, hint)
		}
	}
	if said == "" { // what it would have said may have found no room
		probe := filepath.Join(c.o.Home.Logs, ".probe")
		var e *home.Error
		if err := home.WriteFile(probe, []byte("x")); errors.As(err, &e) {
			said, hint = e.Message, e.Hint
		}
		_ = os.Remove(probe)
	}
	if said == "" {
		said = "it ended at once; its log is in " + c.o.Home.Logs
	}
	return core.E(core.Internal, "the daemon did not start: "+said, hint, errors.Join(ErrUnreachable, exit))
}

// lastWords finds the sentence and the next command in what jarvisd printed: "jarvisd: sentence" and "Try: command".
func lastWords(b []byte, hint string) (sentence, command string) {
	command = hint
	for line := range bytes.Lines(b) {
		text := core.Printable(strings.TrimSpace(string(line)))
		for _, label := range []string{"Try: ", "Versuche: "} {
			if cmd, ok := strings.CutPrefix(text, label); ok {
				command = cmd
				text = ""
			}
		}
		if rest, ok := strings.CutPrefix(text, home.Daemon+": "); ok {
			sentence = rest
		} else if text != "" && sentence == "" {
			sentence = text
		}
	}
	return sentence, command
}

func (c *Client) noStart(err error) error {
	if ctxErr := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded); ctxErr {
		return err
	}
	var e *home.Error
	if errors.As(err, &e) {
		return core.E(core.Internal, "the daemon cannot be started: "+e.Message, e.Hint, errors.Join(ErrUnreachable, err))
	}
	return core.E(core.Internal, "the daemon cannot be started: "+err.Error(), "jarvis daemon run", errors.Join(ErrUnreachable, err))
}

func (c *Client) stateFile() string { return filepath.Join(c.o.Home.Run, StateFile) }

func (c *Client) errLog() string { return filepath.Join(c.o.Home.Logs, ErrLog) }

func (c *Client) errSize() int64 {
	info, err := os.Stat(c.errLog())
	if err != nil {
		return 0
	}
	return info.Size()
}

// spawn starts jarvisd in a session of its own, with nothing of this process but its environment.
func (c *Client) spawn(_ context.Context, args []string) (func() error, error) {
	programs, err := home.Siblings()
	if err != nil {
		return nil, err
	}
	path, err := programs.Path(home.Daemon)
	if err != nil {
		return nil, err
	}
	if c.errSize() > 1<<20 {
		_ = os.Remove(c.errLog())
	}
	stderr, err := home.OpenRegular(c.errLog(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	cmd := exec.Command(path, append([]string{"run", "--detached"}, args...)...) //nolint:noctx // it outlives this process
	cmd.Dir = "/"
	cmd.Env = c.environ()
	cmd.Stderr = stderr
	cmd.SysProcAttr = detached()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return cmd.Wait, nil
}

// environ is this process's environment with what a daemon must not inherit taken out. Relative paths would mean another
// folder there.
func (c *Client) environ() []string {
	var env []string
	for _, kv := range os.Environ() {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "PATH", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "JARVIS_HOME", "PWD", "OLDPWD":
		case "JARVIS_LIBEXEC":
			if abs, err := filepath.Abs(os.Getenv(name)); err == nil {
				kv = name + "=" + abs
			}
			env = append(env, kv)
		default:
			env = append(env, kv)
		}
	}
	if c.o.Home.Flat {
		env = append(env, "JARVIS_HOME="+c.o.Home.Data)
	}
	return append(env, "PATH="+home.SafePath)
}
