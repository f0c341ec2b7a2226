package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/home"
)

// testHome is a home with a daemon of its own and the scripted provider configured as "bench".
type testHome struct {
	b   *bench
	dir string
	env []string
	h   home.Home
	c   *client.Client
}

// newHome makes a home and starts its daemon.
func (b *bench) newHome(name string) (*testHome, error) {
	t, err := b.emptyHome(name)
	if err != nil {
		return nil, err
	}
	return t, t.start()
}

func (b *bench) emptyHome(name string) (*testHome, error) {
	dir := filepath.Join(b.dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	config := fmt.Sprintf("listen: \"\"\nproviders:\n  bench: {type: openai-compatible, base_url: %s/v1, api_key: sk-bench}\n", b.url)
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	vars := map[string]string{"JARVIS_HOME": dir, "JARVIS_LIBEXEC": b.bin}
	t := &testHome{b: b, dir: dir}
	for k, v := range vars {
		t.env = append(t.env, k+"="+v)
	}
	getenv := func(k string) string {
		if v, ok := vars[k]; ok {
			return v
		}
		return os.Getenv(k)
	}
	var err error
	if t.h, err = home.Find(getenv); err != nil {
		return nil, err
	}
	t.c = client.New(client.Options{Home: t.h, Getenv: getenv, NoAutostart: true})
	return t, nil
}

func (t *testHome) start() error { return t.jarvis("daemon", "start") }

func (t *testHome) stop() {
	if err := t.jarvis("daemon", "stop"); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
}

func (t *testHome) jarvis(args ...string) error {
	cmd := exec.CommandContext(t.b.ctx, filepath.Join(t.b.bin, "jarvis"), args...)
	cmd.Env = append(os.Environ(), t.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("jarvis %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// memory of a process in MiB: what is its own (anonymous and shared), and all that is resident.
func memory(pid int) (own, resident float64, err error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		kb, _ := strconv.ParseFloat(f[1], 64)
		switch f[0] {
		case "RssAnon:", "RssShmem:":
			own += kb / 1024
		case "VmRSS:":
			resident = kb / 1024
		}
	}
	if resident == 0 {
		return 0, 0, errors.New("this system does not say how much memory a process has")
	}
	return own, resident, nil
}

// cpu is the processor time that a process has used so far.
func cpu(pid int) (time.Duration, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0, errors.New("unreadable process statistics")
	}
	user, _ := strconv.ParseInt(f[11], 10, 64)
	system, _ := strconv.ParseInt(f[12], 10, 64)
	return time.Duration(user+system) * (time.Second / 100), nil // a tick is 10 ms on Linux
}

func (t *testHome) status() (api.Status, error) { return t.c.Status(t.b.ctx) }
