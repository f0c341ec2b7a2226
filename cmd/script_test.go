//go:build linux

// Package cmd_test runs the scripts of testdata over the real programs: the test binary re-executes itself under each
// program's name, so that kill -9 hits a real process.
package cmd_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"jarvis/cmd/cli"
	"jarvis/daemon"
	"jarvis/store/index/engine"
	"jarvis/tui"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"jarvis":       func() { os.Exit(cli.Main()) },
		"jarvisd":      func() { os.Exit(daemon.Main()) },
		"jarvis-tui":   func() { os.Exit(tui.Main()) },
		"jarvis-index": func() { os.Exit(engine.Main()) },
	})
}

// TestScripts gives each script a home of its own in $JARVIS_HOME and a strict scripted provider at $LLM.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "models":
				return os.Getenv("JARVIS_TEST_MODELS") != "", nil
			case "root":
				if os.Geteuid() != 0 && os.Getenv("JARVIS_TEST_NO_SKIPS") == "1" {
					return false, errors.New("only root can become another user")
				}
				return os.Geteuid() == 0, nil
			case "tmpfs": // not even root can mount in every container; full.txtar fills a disk without it
				return mountable(), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"asked":    asked,
			"call":     call,
			"code":     code,
			"cut":      cut,
			"daemons":  daemons,
			"end":      end,
			"events":   events,
			"filesize": filesize,
			"fill":     fill,
			"follow":   follow,
			"gone":     gone,
			"jsonget":  jsonGet,
			"kept":     kept,
			"kill9":    kill9,
			"newest":   newest,
			"nobody":   nobody,
			"request":  request,
			"sent":     sent,
			"signal":   signals,
			"silent":   silent,
			"start":    start,
			"stopped":  stopped,
			"tmpfs":    tmpfs,
			"together": together,
			"told":     told,
			"until":    until,
		},
	})
}

func setup(e *testscript.Env) error {
	program, err := exec.LookPath("jarvisd")
	if err != nil {
		return err
	}
	if dir := os.Getenv("JARVIS_TEST_MODELS"); dir != "" {
		if err := buildWorker(filepath.Dir(program)); err != nil {
			return err
		}
	}
	home := filepath.Join(e.WorkDir, "home")
	e.Vars = append(e.Vars,
		"JARVIS_HOME="+home, "JARVIS_LIBEXEC="+filepath.Dir(program),
		"GORACE=atexit_sleep_ms=0", // the race detector would hold each program for a second at its end
		"MODELS="+os.Getenv("JARVIS_TEST_MODELS"), "LANG=en_US.UTF-8", "TZ=Europe/Berlin", "JARVIS_LISTEN=",
	)
	e.Defer(func() {
		if pid := daemonPID(home); pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	e.Values[backgroundKey{}] = map[string]*running{}
	e.Values[streamKey{}] = map[string]chan struct{}{}
	return provider(e)
}

// buildWorker builds the model worker beside the other programs, once. It is not one of them because where libffi is missing
// its libraries end a program that links them before main.
func buildWorker(dir string) error {
	worker.Do(func() {
		out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "jarvis-model"), "jarvis/cmd/jarvis-model").CombinedOutput()
		if err != nil {
			workerErr = fmt.Errorf("build the model worker: %w\n%s", err, out)
		}
	})
	return workerErr
}

var (
	worker    sync.Once
	workerErr error
)

// daemonPID finds the daemon of a home by asking who listens on its socket.
func daemonPID(home string) int {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "jarvis", "daemon", "status", "-o", "json")
	cmd.Env = append(os.Environ(), "JARVIS_HOME="+home, "JARVIS_NO_AUTOSTART=1")
	out, err := cmd.Output()
	if err != nil {
		return 0
	}
	var st struct{ PID int }
	if json.Unmarshal(out, &st) != nil {
		return 0
	}
	return st.PID
}

// kill9 kills this home's daemon and waits until it is gone.
func kill9(ts *testscript.TestScript, _ bool, _ []string) {
	pid := daemonPID(ts.Getenv("JARVIS_HOME"))
	if pid == 0 {
		ts.Fatalf("no daemon to kill")
	}
	fd, err := unix.PidfdOpen(pid, 0)
	ts.Check(err)
	defer unix.Close(fd)
	ts.Check(syscall.Kill(pid, syscall.SIGKILL))
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 5000)
	ts.Check(err)
	if n == 0 {
		ts.Fatalf("daemon %d does not die", pid)
	}
}

// fill SIZE FILE makes a file of SIZE bytes: lines of x, and a hole behind the first MiB, because 200 MB that are really written
// hold up every fsync of the machine.
func fill(ts *testscript.TestScript, _ bool, args []string) {
	size, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	text := strings.Repeat(strings.Repeat("x", 1023)+"\n", 1024)
	f, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	_, err = f.WriteString(text[:min(size, int64(len(text)))])
	ts.Check(err)
	ts.Check(f.Truncate(size))
	ts.Check(f.Close())
}

// cut SIZE FILE truncates FILE.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[1]), n))
}

// silent PROGRAM ARG… runs it with an open pipe on stdin, waits until it says on stderr that it waits, then ends the pipe.
func silent(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := command(ts, args)
	context.AfterFunc(ctx, func() {
		if ctx.Err() == context.DeadlineExceeded {
			_ = cmd.Process.Kill()
		}
	})
	in, err := cmd.StdinPipe()
	ts.Check(err)
	said, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	buf := make([]byte, 4096)
	n, err := said.Read(buf)
	ts.Check(err)
	if !strings.Contains(string(buf[:n]), "waiting for input on stdin") {
		ts.Fatalf("stderr said %q", buf[:n])
	}
	ts.Check(in.Close())
	for {
		if _, err := said.Read(buf); err != nil {
			break
		}
	}
	ts.Check(cmd.Wait())
}

// jsonget FILE PATH VALUE compares one field of a JSON file; PATH is like a.b.0.c, and VALUE ? only asks that it is there.
// FILE may be stdout.
func jsonGet(ts *testscript.TestScript, neg bool, args []string) {
	var v any
	text := strings.TrimSpace(ts.ReadFile(args[0]))
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		ts.Fatalf("%s is no JSON: %v\n%s", args[0], err, text)
	}
	for _, key := range strings.Split(args[1], ".") {
		switch c := v.(type) {
		case map[string]any:
			v = c[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(c) {
				v = nil
				break
			}
			v = c[i]
		default:
			v = nil
		}
	}
	got := "null"
	switch c := v.(type) {
	case nil:
	case string:
		got = c
	default:
		b, err := json.Marshal(c)
		ts.Check(err)
		got = string(b)
	}
	if ok := got == args[2] || args[2] == "?" && v != nil; ok == neg {
		ts.Fatalf("%s is %s, want %s\n%.2000s", args[1], got, args[2], text)
	}
}
