//go:build unix

package offline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

// clinic is a home in order and a machine on which everything is well; a case spoils something.
type clinic struct {
	*world
	h      home.Home
	look   StoreLook
	lerr   error
	st     api.Status
	serr   error
	around machine

	index IndexLook
	ierr  error

	local    []string
	localErr error
}

func newClinic(t *testing.T) *clinic {
	t.Helper()
	c := &clinic{world: newWorld(t), serr: errors.Join(client.ErrUnreachable, errors.New("nobody"))}
	h, err := home.Find(c.env.Get)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	c.h = h
	c.write("providers: {work: {base_url: \"http://127.0.0.1:9/v1\", api_key: good}}\n")
	bin := filepath.Join(t.TempDir(), "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	c.program(bin, "exit 0")
	c.look = StoreLook{Size: 1 << 20, Schema: 2, Latest: 2, Newest: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
	c.around = machine{
		now:    func() time.Time { return time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC) },
		room:   func(string) (uint64, uint64, error) { return 10 << 30, 1, nil },
		status: func(context.Context, home.Home) (api.Status, error) { return c.st, c.serr },
		path:   bin, system: "linux", index: func() error { return nil },
	}
	c.deps.Version = "1.0"
	others := c.deps.Models
	c.deps.Models = func(ctx context.Context, h home.Home, conf *config.Config, p config.Provider) ([]string, error) {
		if p.Type == config.TypeLocal {
			return c.local, c.localErr
		}
		return others(ctx, h, conf, p)
	}
	c.deps.Index = func(context.Context, home.Home) (IndexLook, error) { return c.index, c.ierr }
	c.deps.Look = func(context.Context, home.Home) (StoreLook, error) { return c.look, c.lerr }
	return c
}

// program makes the bwrap of this machine.
func (c *clinic) program(dir, script string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		c.t.Fatal(err)
	}
}

// doctor runs the command with -o json and gives what it says; the code is the process's.
func (c *clinic) doctor(args ...string) (int, diagnosis) {
	c.t.Helper()
	var out, errs strings.Builder
	a := &App{Deps: c.deps, In: strings.NewReader(""), Out: &out, Err: &errs, Env: c.env, around: c.around}
	code := a.Main(c.t.Context(), append([]string{"doctor", "-o", "json"}, args...))
	c.out, c.err = out.String(), errs.String()
	var d diagnosis
	if err := json.Unmarshal([]byte(c.out), &d); err != nil {
		c.t.Fatalf("%v in %q (%s)", err, c.out, c.err)
	}
	if d.OK != (code == 0) {
		c.t.Errorf("exit %d, ok %v", code, d.OK)
	}
	for _, k := range d.Checks {
		bad := k.State == stateWarning || k.State == stateProblem
		if bad && k.Hint == "" || k.Message == "" || strings.Contains(k.Message, "\n") {
			c.t.Errorf("check without what to do: %+v", k)
		}
	}
	return code, d
}

func (c *clinic) chmod(path string, mode os.FileMode) {
	c.t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		c.t.Fatal(err)
	}
}

func (c *clinic) lay(path, text string) {
	c.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// deadSocket leaves the file of a socket on which nobody listens.
func (c *clinic) deadSocket() {
	c.t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: c.h.Socket})
	if err != nil {
		c.t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
}

func TestDoctorOfAHomeInOrder(t *testing.T) {
	c := newClinic(t)
	code, d := c.doctor()
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	for _, k := range d.Checks {
		if k.State == stateProblem || k.State == stateWarning {
			t.Errorf("%+v", k)
		}
	}
	for _, name := range []string{"home", "config", "disk", "store", "socket", "journals", "index", "provider/work", "provider/ollama", "provider/local", "model", "clock", "sandbox"} {
		if !slices.ContainsFunc(d.Checks, func(k check) bool { return k.Name == name }) {
			t.Errorf("no check %s in %s", name, c.out)
		}
	}
}

func TestDoctor(t *testing.T) {
	damaged := core.E(core.StoreDamaged, "the store is damaged", "jarvis daemon start --new-store", nil)
	runs := func(c *clinic, st api.Status) {
		c.look, c.serr = StoreLook{Held: true}, nil
		c.st = st
	}
	for name, tt := range map[string]struct {
		spoil func(*clinic)
		check string
		state string
		words []string // of message or hint
	}{
		"open home":       {func(c *clinic) { c.chmod(c.h.Data, 0o755) }, "home", stateWarning, []string{"read by other", "doctor --fix"}},
		"writable home":   {func(c *clinic) { c.chmod(c.h.Data, 0o777) }, "home", stateProblem, []string{"changed by other", "0777"}},
		"open token":      {func(c *clinic) { c.lay(c.h.Token, "x"); c.chmod(c.h.Token, 0o644) }, "home", stateProblem, []string{"read by other"}},
		"no folder":       {func(c *clinic) { _ = os.Remove(c.h.Runs); c.lay(c.h.Runs, "") }, "home", stateProblem, []string{"not what belongs there"}},
		"no home":         {func(c *clinic) { _ = os.RemoveAll(c.h.Data) }, "home", stateSkipped, []string{"jarvis setup"}},
		"unknown key":     {func(c *clinic) { c.lay(c.h.Config, "model: auto\nmax_token: 5\n") }, "config", stateProblem, []string{"config.yaml:2", "config edit"}},
		"no YAML":         {func(c *clinic) { c.lay(c.h.Config, "a: [\n") }, "config", stateProblem, []string{"config.yaml"}},
		"no providers":    {func(c *clinic) { c.lay(c.h.Config, "a: [\n") }, "models", stateSkipped, []string{"config edit"}},
		"odd value":       {func(c *clinic) { c.lay(c.h.Config, "network: {allow_private: [nas.local]}\n") }, "config", stateWarning, []string{"allow_private"}},
		"config a folder": {func(c *clinic) { _ = os.Remove(c.h.Config); _ = os.Mkdir(c.h.Config, 0o700) }, "config", stateProblem, []string{"not a file"}},
		"full disk": {func(c *clinic) {
			c.around.room = func(string) (uint64, uint64, error) { return 1 << 20, 1, nil }
		}, "disk", stateProblem, []string{"1 MiB", "df -h"}},
		"fuller disk": {func(c *clinic) {
			c.around.room = func(string) (uint64, uint64, error) { return 100 << 20, 1, nil }
		}, "disk", stateWarning, []string{"100 MiB"}},
		"no figures": {func(c *clinic) {
			c.around.room = func(string) (uint64, uint64, error) { return 0, 0, errors.New("statfs") }
		}, "disk", stateWarning, []string{"statfs"}},
		"damaged store":  {func(c *clinic) { c.lerr = damaged }, "store", stateProblem, []string{"damaged", "--new-store"}},
		"bad records":    {func(c *clinic) { c.look.Bad = 3 }, "store", stateProblem, []string{"3 records"}},
		"crashed":        {func(c *clinic) { c.look.Crashed = true }, "store", stateWarning, []string{"did not end in order"}},
		"suspect":        {func(c *clinic) { c.look.Suspect = true }, "store", stateWarning, []string{"met damage"}},
		"mostly empty":   {func(c *clinic) { c.look.Size, c.look.Free = 65<<20, 33<<20 }, "store", stateWarning, []string{"33 MiB", "65 MiB", "backup compact"}},
		"half empty":     {func(c *clinic) { c.look.Size, c.look.Free = 66<<20, 33<<20 }, "store", stateOK, []string{"66 MiB"}},
		"small, empty":   {func(c *clinic) { c.look.Size, c.look.Free = 64<<20, 63<<20 }, "store", stateOK, []string{"64 MiB"}},
		"old schema":     {func(c *clinic) { c.look.Schema, c.look.Latest = 1, 2 }, "store", stateOK, []string{"to schema 2"}},
		"no store":       {func(c *clinic) { c.look = StoreLook{Missing: true} }, "store", stateSkipped, []string{"no store yet"}},
		"aside":          {func(c *clinic) { c.lay(c.h.DB+".damaged-20270101T000000Z", "x") }, "store", stateWarning, []string{"put aside"}},
		"dead socket":    {func(c *clinic) { c.deadSocket() }, "socket", stateWarning, []string{"jarvis.sock", "doctor --fix"}},
		"old token":      {func(c *clinic) { c.lay(c.h.Token, "x\n") }, "socket", stateWarning, []string{"token"}},
		"ready":          {func(c *clinic) { runs(c, api.Status{State: api.StateReady, PID: 7, Version: "1.0"}) }, "socket", stateOK, []string{"pid 7"}},
		"held":           {func(c *clinic) { runs(c, api.Status{State: api.StateReady, Version: "1.0"}) }, "store", stateSkipped, []string{"the daemon has the store"}},
		"degraded":       {func(c *clinic) { runs(c, api.Status{State: api.StateDegraded, Version: "1.0"}) }, "daemon", stateWarning, []string{"daemon logs"}},
		"damaged daemon": {func(c *clinic) { runs(c, api.Status{State: api.StateDamaged, Version: "1.0"}) }, "daemon", stateProblem, []string{"store is damaged"}},
		"migrating":      {func(c *clinic) { runs(c, api.Status{State: api.StateMigrating, Version: "1.0"}) }, "daemon", stateWarning, []string{"migrating"}},
		"other build":    {func(c *clinic) { runs(c, api.Status{State: api.StateReady, Version: "0.9"}) }, "daemon", stateWarning, []string{"0.9", "daemon restart"}},
		"busy port": {func(c *clinic) {
			runs(c, api.Status{State: api.StateReady, Version: "1.0", Warnings: []string{"port is busy"}})
		}, "daemon", stateWarning, []string{"port is busy"}},
		"wrong token": {func(c *clinic) {
			runs(c, api.Status{})
			c.serr = core.E(core.Unauthorized, "the token of the socket is missing or wrong", "jarvis daemon restart", nil)
		}, "token", stateProblem, []string{"missing or wrong", "daemon restart"}},
		"silent daemon": {func(c *clinic) {
			runs(c, api.Status{})
			c.serr = core.E(core.Internal, "the daemon runs but its socket is gone", "jarvis daemon restart", errors.Join(client.ErrUnreachable, client.ErrSilent))
		}, "socket", stateProblem, []string{"socket is gone", "daemon restart"}},
		"lock taken away": {func(c *clinic) {
			c.deadSocket()
			c.serr, c.st = nil, api.Status{State: api.StateReady, PID: 9, Version: "1.0"}
		}, "socket", stateWarning, []string{"pid 9", "lock"}},
		"lacks a variable": {func(c *clinic) {
			c.env = append(c.env, api.VarAnthropicKey+"=good")
			runs(c, api.Status{State: api.StateReady, Version: "1.0"})
		}, "daemon", stateWarning, []string{api.VarAnthropicKey}},
		"refused key": {func(c *clinic) {
			c.lay(c.h.Config, "providers: {work: {base_url: \"http://127.0.0.1:9/v1\", api_key: bad}}\n")
		}, "provider/work", stateProblem, []string{"401", "jarvis setup"}},
		"slow": {func(c *clinic) {
			c.deps.Models = func(context.Context, home.Home, *config.Config, config.Provider) ([]string, error) {
				return nil, fmt.Errorf("list: %w", context.DeadlineExceeded)
			}
		}, "provider/work", stateProblem, []string{"did not list its models within 5 seconds", "jarvis setup"}},
		"no key file": {func(c *clinic) {
			c.lay(c.h.Config, "providers: {work: {base_url: \"http://127.0.0.1:9/v1\", api_key: \"file:secrets/gone\"}}\n")
		}, "provider/work", stateProblem, []string{"gone"}},
		"no model":       {func(c *clinic) { c.lay(c.h.Config, "") }, "model", stateWarning, []string{"jarvis setup"}},
		"nobody's model": {func(c *clinic) { c.lay(c.h.Config, "model: foo/bar\n") }, "model", stateWarning, []string{"foo", "jarvis model test foo/bar"}},
		"unlisted model": {func(c *clinic) {
			c.lay(c.h.Config, "model: work/huge\nproviders: {work: {base_url: \"http://127.0.0.1:9/v1\", api_key: good}}\n")
		}, "model", stateWarning, []string{"work/huge"}},
		"listed by alias": {func(c *clinic) {
			c.lay(c.h.Config, "model: best\naliases: {best: work/big}\nproviders: {work: {base_url: \"http://127.0.0.1:9/v1\", api_key: good}}\n")
		}, "model", stateOK, []string{"work/big"}},
		"silent model": {func(c *clinic) {
			c.lay(c.h.Config, "model: work/big\nproviders: {work: {base_url: \"http://127.0.0.1:9/v1\", api_key: bad}}\n")
		}, "model", stateProblem, []string{"cannot answer"}},
		"local model":      {func(c *clinic) { c.local = []string{"small"} }, "provider/local", stateOK, []string{"small"}},
		"no worker":        {func(c *clinic) { c.localErr = &home.Error{Message: "jarvis-model is missing", Hint: "make build"} }, "provider/local", stateWarning, []string{"jarvis-model is missing", "make build"}},
		"clock of 1970":    {func(c *clinic) { c.around.now = func() time.Time { return time.Unix(0, 0).UTC() } }, "clock", stateProblem, []string{"1970", "timedatectl"}},
		"clock behind":     {func(c *clinic) { c.look.Newest = time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC) }, "clock", stateWarning, []string{"2028"}},
		"no bwrap":         {func(c *clinic) { _ = os.Remove(filepath.Join(c.around.path, "bwrap")) }, "sandbox", stateSkipped, []string{"bubblewrap"}},
		"bwrap fails":      {func(c *clinic) { c.program(c.around.path, "echo no namespaces >&2; exit 1") }, "sandbox", stateWarning, []string{"no namespaces"}},
		"talking bwrap":    {func(c *clinic) { c.program(c.around.path, "head -c 9999999 /dev/zero | tr '\\0' x >&2; exit 1") }, "sandbox", stateWarning, []string{"xxx"}},
		"no fence":         {func(c *clinic) { c.lay(c.h.Config, "sandbox: {mode: \"off\"}\n") }, "sandbox", stateSkipped, []string{"switched off"}},
		"other system":     {func(c *clinic) { c.around.system = "darwin" }, "sandbox", stateSkipped, []string{"Linux"}},
		"no index":         {func(c *clinic) { c.index.Missing = true }, "index", stateSkipped, []string{"first search"}},
		"another's index":  {func(c *clinic) { c.index.Foreign = true }, "index", stateWarning, []string{"anew", "session search"}},
		"unreadable index": {func(c *clinic) { c.ierr = errors.New("no") }, "index", stateWarning, []string{"rm -r"}},
		"no index program": {func(c *clinic) {
			c.around.index = func() error { return &home.Error{Message: "jarvis-index is missing", Hint: "make build"} }
		}, "index", stateWarning, []string{"jarvis-index is missing", "make build"}},
		"damaged journal": {func(c *clinic) {
			_ = os.Mkdir(filepath.Join(c.h.Runs, "2027-01"), 0o700)
			c.lay(filepath.Join(c.h.Runs, "2027-01", "a.jsonl.damaged"), "x")
		}, "journals", stateWarning, []string{"1 journals", "find"}},
		"journals": {func(c *clinic) {
			_ = os.Mkdir(filepath.Join(c.h.Runs, "2027-01"), 0o700)
			c.lay(filepath.Join(c.h.Runs, "2027-01", "a.jsonl"), "x")
		}, "journals", stateOK, []string{"1 journals, 1 KiB"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClinic(t)
			tt.spoil(c)
			code, d := c.doctor()
			i := slices.IndexFunc(d.Checks, func(k check) bool { return k.Name == tt.check && k.State == tt.state })
			if i < 0 {
				t.Fatalf("no %s that is a %s in %s", tt.check, tt.state, c.out)
			}
			for _, w := range tt.words {
				if k := d.Checks[i]; !strings.Contains(k.Message+" "+k.Hint, w) {
					t.Errorf("no %q in %+v", w, k)
				}
			}
			if tt.state == stateProblem && code != 1 || tt.state != stateProblem && tt.check != "models" && code != 0 {
				t.Errorf("exit %d\n%s", code, c.out)
			}
			if strings.Contains(c.out, "api_key") {
				t.Error("a key's line was printed")
			}
		})
	}
}

func TestDoctorWithoutAnyHome(t *testing.T) {
	c := newClinic(t)
	c.env = config.Env{}
	if code, d := c.doctor(); code != 1 || len(d.Checks) != 1 || d.Checks[0].Hint == "" {
		t.Errorf("exit %d: %+v", code, d)
	}
}

func TestDoctorFixes(t *testing.T) {
	c := newClinic(t)
	c.deadSocket()
	c.lay(c.h.Token, "old\n")
	c.lay(filepath.Join(c.h.Run, client.StateFile), "starting\n")
	c.lay(filepath.Join(c.h.Secrets, "work"), "key")
	c.lay(c.h.DB+".pid", "1\n") // tells the next start of the crash: it stays
	c.chmod(filepath.Join(c.h.Secrets, "work"), 0o644)
	c.chmod(c.h.Secrets, 0o755)
	c.chmod(c.h.Runs, 0o777)
	c.chmod(c.h.Data, 0o755)
	if code, d := c.doctor(); code != 1 || len(d.Fixed) != 0 || len(leftBehind(c.h)) != 3 {
		t.Fatalf("without --fix: exit %d, fixed %q", code, d.Fixed)
	}
	code, d := c.doctor("--fix")
	if code != 0 || len(d.Fixed) != 7 {
		t.Errorf("exit %d, fixed %d: %q\n%s", code, len(d.Fixed), d.Fixed, c.out)
	}
	if left := leftBehind(c.h); len(left) != 0 || len(c.h.Inspect()) != 0 {
		t.Errorf("left are %q and %+v", left, c.h.Inspect())
	}
	if _, err := os.Stat(c.h.DB + ".pid"); err != nil {
		t.Error(err)
	}
	if code, d = c.doctor("--fix"); code != 0 || len(d.Fixed) != 0 {
		t.Errorf("a second time: exit %d, fixed %q", code, d.Fixed)
	}
}

// TestDoctorLeavesALivingDaemonAlone: neither a held lock nor an answering socket loses what is its own.
func TestDoctorLeavesALivingDaemonAlone(t *testing.T) {
	t.Run("held", func(t *testing.T) {
		c := newClinic(t)
		c.deadSocket()
		c.lay(c.h.Token, "t")
		unlock := hold(t, c.h.Lock)
		defer unlock()
		if _, d := c.doctor("--fix"); len(d.Fixed) != 0 || len(leftBehind(c.h)) != 2 {
			t.Errorf("fixed %q", d.Fixed)
		}
	})
	t.Run("answering", func(t *testing.T) {
		c := newClinic(t)
		l, err := net.Listen("unix", c.h.Socket)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		c.lay(c.h.Token, "t")
		if _, d := c.doctor("--fix"); len(d.Fixed) != 0 || len(leftBehind(c.h)) != 2 {
			t.Errorf("fixed %q", d.Fixed)
		}
	})
	t.Run("a folder in the socket's place", func(t *testing.T) {
		c := newClinic(t)
		if err := os.Mkdir(c.h.Socket, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, d := c.doctor("--fix"); len(d.Fixed) != 0 {
			t.Errorf("fixed %q", d.Fixed)
		}
	})
}

func TestDoctorTable(t *testing.T) {
	c := newClinic(t)
	c.chmod(c.h.Data, 0o755)
	for lang, words := range map[string][]string{
		"en_US.UTF-8": {"warning  home", "Try: jarvis doctor --fix", "Problems: 0, warnings: 1"},
		"de_DE.UTF-8": {"Warnung ", "Nächster Schritt: jarvis doctor --fix", "Probleme: 0, Warnungen: 1", "ausgelassen"},
	} {
		var out strings.Builder
		a := &App{Deps: c.deps, Out: &out, Err: &out, Env: append(c.env, "LANG="+lang), around: c.around}
		if code := a.Main(t.Context(), []string{"doctor"}); code != 0 {
			t.Errorf("exit %d", code)
		}
		for _, w := range words {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s: no %q in\n%s", lang, w, out.String())
			}
		}
	}
}

func TestDoctorStopsWhenItIsTold(t *testing.T) {
	c := newClinic(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs strings.Builder
	a := &App{Deps: c.deps, Out: &out, Err: &errs, Env: c.env, around: c.around}
	if code := a.Main(ctx, []string{"doctor"}); code != api.ExitStopped || out.Len() != 0 {
		t.Errorf("exit %d: %s%s", code, out.String(), errs.String())
	}
}

// TestDoctorAsksModels: only when that is wanted, for so long, and it says what it cost.
func TestDoctorAsksModels(t *testing.T) {
	cost := 0.000012
	for name, tt := range map[string]struct {
		args   []string
		answer func(context.Context) (Asked, error)
		state  string // "" = there is no such check
		words  string
	}{
		"not asked": {answer: func(context.Context) (Asked, error) { t.Error("a request was sent"); return Asked{}, nil }},
		"answers": {[]string{"--models"}, func(context.Context) (Asked, error) {
			return Asked{Tokens: 21, CostUSD: &cost, Took: time.Second}, nil
		}, stateOK, "1000 ms with 21 tokens: $0.000012"},
		"no price": {[]string{"--models"}, func(context.Context) (Asked, error) { return Asked{Tokens: 21}, nil }, stateOK, "price is not known"},
		"refused": {[]string{"--models"}, func(context.Context) (Asked, error) {
			return Asked{}, core.E(core.UpstreamUnavailable, "no money left", "pay", nil)
		}, stateProblem, "no money left"},
		"deaf": {[]string{"--models"}, func(context.Context) (Asked, error) { select {} }, stateWarning, "did not answer within 1 seconds"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClinic(t)
			c.around.ask = time.Second
			c.deps.Request = func(ctx context.Context, _ home.Home, _ *config.Config, p config.Provider, _ string) (Asked, error) {
				if p.Name != "work" {
					t.Errorf("%s was asked", p.Name)
				}
				return tt.answer(ctx)
			}
			_, d := c.doctor(tt.args...)
			i := slices.IndexFunc(d.Checks, func(k check) bool { return k.Name == "request/work" })
			switch {
			case i < 0 && tt.state != "":
				t.Errorf("no check in %s", c.out)
			case i >= 0 && (d.Checks[i].State != tt.state || !strings.Contains(d.Checks[i].Message, tt.words)):
				t.Errorf("%+v", d.Checks[i])
			}
		})
	}
}
