//go:build linux

package cmd_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// patience bounds every wait for a condition; nothing waits that long unless it fails.
const patience = 30 * time.Second

// passed are the variables that programs started by our own commands get from the script.
var passed = []string{
	"JARVIS_HOME", "JARVIS_LIBEXEC", "JARVIS_LISTEN", "JARVIS_NO_AUTOSTART", "HTTPS_PROXY", "LANG", "LC_ALL", "PATH", "TZ", "HOME",
	"TMPDIR", "WORK", "LLM",
}

// command makes a program of the script's folder and variables.
func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	if len(args) == 0 {
		ts.Fatalf("there is no program to run")
	}
	cmd := exec.Command(args[0], args[1:]...) //nolint:noctx // the script's end ends it
	cmd.Dir = ts.MkAbs(".")
	for _, name := range passed {
		if v := ts.Getenv(name); v != "" || name == "JARVIS_LISTEN" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	return cmd
}

// status gives a program's exit status.
func status(ts *testscript.TestScript, err error) int {
	var e *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.ExitCode()
	}
	ts.Fatalf("%v", err)
	return -1
}

func number(ts *testscript.TestScript, s string) int {
	n, err := strconv.Atoi(s)
	ts.Check(err)
	return n
}

// code N PROGRAM ARG… runs it and compares its exit status. A jarvis that ends with an error says one sentence and the next
// command to type, nothing else.
func code(ts *testscript.TestScript, _ bool, args []string) {
	want := number(ts, args[0])
	if got := status(ts, ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
	if args[1] == "jarvis" {
		explained(ts, want, ts.ReadFile("stderr"))
	}
}

// explained holds what every error owes its reader.
func explained(ts *testscript.TestScript, status int, stderr string) {
	if status == 0 || status == 130 {
		return
	}
	lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
	for i, line := range lines[min(2, len(lines)):] {
		if !strings.HasPrefix(line, "     ") { // a hint may have several lines
			ts.Fatalf("line %d of stderr is too much:\n%s", i+3, stderr)
		}
	}
	if len(lines) < 2 || !strings.HasPrefix(lines[0], "jarvis: ") || !strings.HasPrefix(lines[1], "Try: ") {
		ts.Fatalf("stderr is not one sentence and the next command:\n%s", stderr)
	}
}

// running is a program in the background; its output is in NAME.out and NAME.err.
type running struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // once done is closed
}

// start NAME PROGRAM ARG… runs it in the background.
func start(ts *testscript.TestScript, _ bool, args []string) {
	name := args[0]
	cmd := command(ts, args[1:])
	out, err := os.Create(ts.MkAbs(name + ".out"))
	ts.Check(err)
	defer out.Close()
	errs, err := os.Create(ts.MkAbs(name + ".err"))
	ts.Check(err)
	defer errs.Close()
	cmd.Stdout, cmd.Stderr = out, errs
	r := &running{cmd: cmd, done: make(chan struct{})}
	ts.Check(cmd.Start())
	go func() {
		r.err = cmd.Wait()
		close(r.done)
	}()
	ts.Defer(func() {
		_ = cmd.Process.Kill()
		<-r.done
	})
	background(ts)[name] = r
}

// background gives the script's programs, by name.
func background(ts *testscript.TestScript) map[string]*running {
	return ts.Value(backgroundKey{}).(map[string]*running)
}

type backgroundKey struct{}

func named(ts *testscript.TestScript, name string) *running {
	r := background(ts)[name]
	if r == nil {
		ts.Fatalf("%s was not started", name)
	}
	return r
}

// signals NAME SIGNAL sends it.
func signals(ts *testscript.TestScript, _ bool, args []string) {
	sig := unix.SignalNum("SIG" + args[1])
	if sig == 0 {
		ts.Fatalf("unknown signal %s", args[1])
	}
	ts.Check(named(ts, args[0]).cmd.Process.Signal(sig))
}

// end NAME N waits for its end and compares its exit status, as code does.
func end(ts *testscript.TestScript, _ bool, args []string) {
	r := named(ts, args[0])
	want := number(ts, args[1])
	select {
	case <-r.done:
	case <-time.After(patience):
		ts.Fatalf("%s does not end", args[0])
	}
	stderr := ts.ReadFile(args[0] + ".err")
	if got := status(ts, r.err); got != want {
		ts.Fatalf("exit status %d, want %d\n%s", got, want, stderr)
	}
	if filepath.Base(r.cmd.Path) == "jarvis" {
		explained(ts, want, stderr)
	}
}

// until FILE REGEXP waits until the file holds it.
func until(ts *testscript.TestScript, _ bool, args []string) {
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	path := ts.MkAbs(args[0])
	var b []byte
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if b, err = os.ReadFile(path); err == nil && re.Match(b) {
			return
		}
	}
	ts.Fatalf("%s does not come to match %s:\n%.2000s", args[0], args[1], b)
}

// together N PROGRAM ARG… runs it N times at once; all must succeed.
func together(ts *testscript.TestScript, _ bool, args []string) {
	n := number(ts, args[0])
	out := make([]bytes.Buffer, n)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		cmd := command(ts, args[1:])
		cmd.Stdout, cmd.Stderr = &out[i], &out[i]
		wg.Go(func() { errs[i] = cmd.Run() })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			ts.Fatalf("number %d: %v\n%s", i, err, out[i].String())
		}
	}
}

// daemons N waits until this home has so many daemons: one that has told that it stops still takes a moment to be gone.
func daemons(ts *testscript.TestScript, _ bool, args []string) {
	want, got := number(ts, args[0]), -1
	for deadline := time.Now().Add(5 * time.Second); got != want && time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		got = count(ts)
	}
	if got != want {
		ts.Fatalf("%d daemons, want %d", got, want)
	}
}

// count finds this home's daemons among all processes.
func count(ts *testscript.TestScript) int {
	home := []byte("JARVIS_HOME=" + ts.Getenv("JARVIS_HOME") + "\x00")
	dirs, err := filepath.Glob("/proc/[0-9]*")
	ts.Check(err)
	n := 0
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(env, home) {
			continue // another user's, or gone
		}
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		program, _, _ := bytes.Cut(line, []byte{0})
		if err == nil && filepath.Base(string(program)) == "jarvisd" {
			n++
		}
	}
	return n
}

// filesize BYTES limits what the daemon may write into one file; "unlimited" lifts it.
func filesize(ts *testscript.TestScript, _ bool, args []string) {
	pid := daemonPID(ts.Getenv("JARVIS_HOME"))
	if pid == 0 {
		ts.Fatalf("no daemon to limit")
	}
	var lim unix.Rlimit
	ts.Check(unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &lim))
	lim.Cur = lim.Max
	if args[0] != "unlimited" {
		lim.Cur = uint64(number(ts, args[0]))
	}
	ts.Check(unix.Prlimit(pid, unix.RLIMIT_FSIZE, &lim, nil))
}

// nobody runs a program as another user; root only. The folders above the script's and the programs' are opened to look through,
// so that it is the home itself that refuses.
func nobody(ts *testscript.TestScript, _ bool, args []string) {
	const uid = 65534
	want := number(ts, args[0])
	for _, dir := range []string{ts.Getenv("WORK"), ts.Getenv("JARVIS_LIBEXEC")} {
		for ; len(dir) > len(os.TempDir()) && strings.HasPrefix(dir, os.TempDir()); dir = filepath.Dir(dir) {
			ts.Check(os.Chmod(dir, 0o755))
		}
	}
	cmd := command(ts, args[1:])
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	_, _ = ts.Stdout().Write(out.Bytes())
	_, _ = ts.Stderr().Write(errs.Bytes())
	if got := status(ts, err); got != want {
		ts.Fatalf("exit status %d, want %d\n%s%s", got, want, out.String(), errs.String())
	}
	if args[1] == "jarvis" {
		explained(ts, want, errs.String())
	}
}

// tmpfs SIZE mounts a file system of that size as the home, or gives the mounted one that size; only where the condition of
// that name holds.
func tmpfs(ts *testscript.TestScript, _ bool, args []string) {
	home := ts.Getenv("JARVIS_HOME")
	if _, err := os.Stat(home); err == nil {
		ts.Check(unix.Mount("tmpfs", home, "tmpfs", unix.MS_REMOUNT, "size="+args[0]))
		return
	}
	ts.Check(os.MkdirAll(home, 0o700))
	ts.Check(unix.Mount("tmpfs", home, "tmpfs", 0, "mode=700,size="+args[0]))
	ts.Defer(func() {
		if pid := daemonPID(home); pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = unix.Unmount(home, unix.MNT_DETACH)
	})
}

// mountable reports whether this process may mount.
func mountable() bool {
	dir, err := os.MkdirTemp("", "jv")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k") != nil {
		return false
	}
	_ = unix.Unmount(dir, unix.MNT_DETACH)
	return true
}
