//go:build unix

package offline

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"jarvis/daemon/api"
	"jarvis/daemon/config"
)

// bench is a machine with systemd on which nothing is installed yet.
type bench struct {
	*world
	user   string // path of the user's unit
	system string // path of the system's
	around machine
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{world: newWorld(t), user: filepath.Join(dir, ".config/systemd/user/jarvis.service"), system: filepath.Join(dir, "units/jarvis.service")}
	b.env = config.Env{"HOME=" + dir}
	b.around = machine{
		system: "linux", uid: func() int { return 0 }, units: filepath.Dir(b.system), path: dir,
		program: func() (string, error) { return "/usr/local/libexec/jarvis/jarvisd", nil },
		known:   func(string) bool { return false },
	}
	if err := os.WriteFile(filepath.Join(dir, "systemctl"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) run(args ...string) int {
	b.t.Helper()
	var out, errs strings.Builder
	a := &App{Deps: b.deps, In: strings.NewReader(""), Out: &out, Err: &errs, Env: b.env, around: b.around}
	code := a.Main(b.t.Context(), append([]string{"daemon"}, args...))
	b.out, b.err = out.String(), errs.String()
	return code
}

func (b *bench) text(path string) string {
	b.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		b.t.Fatal(err)
	}
	return string(text)
}

const goldenUser = `# Written by: jarvis daemon install
# jarvis daemon uninstall removes it. Changes belong into: systemctl edit

[Unit]
Description=jarvis, a workstation for AI agents in the terminal
Documentation=man:jarvis(1)
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
ExecStart=/usr/local/libexec/jarvis/jarvisd run
Type=notify
Restart=on-failure
RestartSec=2
WatchdogSec=60
TimeoutStartSec=infinity
TimeoutStopSec=60
KillMode=mixed
UMask=0077

[Install]
WantedBy=default.target
`

const goldenSystem = `# Written by: jarvis daemon install
# jarvis daemon uninstall removes it. Changes belong into: systemctl edit

[Unit]
Description=jarvis, a workstation for AI agents in the terminal
Documentation=man:jarvis(1)
StartLimitIntervalSec=60
StartLimitBurst=5
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=/usr/local/libexec/jarvis/jarvisd run
Type=notify
Restart=on-failure
RestartSec=2
WatchdogSec=60
TimeoutStartSec=infinity
TimeoutStopSec=60
KillMode=mixed
UMask=0077
Environment=XDG_CONFIG_HOME=/etc
Environment=XDG_DATA_HOME=/var/lib
Environment=XDG_STATE_HOME=/var/lib
User=jarvis
Group=jarvis
ConfigurationDirectory=jarvis
StateDirectory=jarvis
StateDirectoryMode=0700
NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
ProtectHostname=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
`

func TestDryRunPrintsTheUnit(t *testing.T) {
	b := newBench(t)
	b.around.uid = func() int { return 1000 }
	for _, tt := range []struct {
		args []string
		want string
	}{{[]string{"install", "--dry-run"}, goldenUser}, {[]string{"install", "--dry-run", "--system"}, goldenSystem}} {
		if code := b.run(tt.args...); code != 0 || b.out != tt.want || b.err != "" {
			t.Errorf("%q: exit %d, %s\n%s", tt.args, code, b.err, b.out)
		}
	}
	if b.text(b.user)+b.text(b.system) != "" {
		t.Error("a dry run wrote something")
	}
}

// TestUnitsAreGoodForSystemd asks systemd itself, where it is: the golden units hold the rest.
func TestUnitsAreGoodForSystemd(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("no systemd-analyze here: the units are held against the golden ones only")
		return
	}
	dir := filepath.Join(t.TempDir(), "an odd 100% $HOME; path")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "jarvisd")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, u := range map[string]unit{
		"user":     {program: program, env: []string{"JARVIS_HOME=" + dir, `QUOTED="a" 'b' \c`}},
		"system":   {program: program, system: true, env: []string{"XDG_CONFIG_HOME=/etc"}},
		"mistaken": {program: filepath.Join(dir, "gone")},
	} {
		text, err := u.text()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), unitName)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args := []string{"verify", "--man=no", file}
		if !u.system {
			args = append([]string{"--user"}, args...)
		}
		cmd := exec.CommandContext(t.Context(), analyze, args...)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		clean := err == nil && !strings.Contains(string(out), unitName)
		if clean != (name != "mistaken") {
			t.Errorf("%s: %v\n%s\n%s", name, err, out, text)
		}
	}
}

func TestInstallAndUninstall(t *testing.T) {
	b := newBench(t)
	b.want(0, b.run("install"), "is written", "Next:", "systemctl --user enable --now jarvis.service", "enable-linger")
	if b.text(b.user) != goldenUser {
		t.Errorf("unit is %q", b.text(b.user))
	}
	b.want(0, b.run("install"), "up to date")
	b.around.program = func() (string, error) { return "/opt/jarvis/jarvisd", nil }
	b.want(0, b.run("install", "-o", "json"), `"changed": true`, `"removed": false`)
	if !strings.Contains(b.text(b.user), "ExecStart=/opt/jarvis/jarvisd run\n") {
		t.Errorf("unit is %q", b.text(b.user))
	}
	wants := filepath.Join(filepath.Dir(b.user), "default.target.wants")
	if err := os.Mkdir(wants, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(b.user, filepath.Join(wants, unitName)); err != nil {
		t.Fatal(err)
	}
	b.want(0, b.run("uninstall"), "is removed", "systemctl --user stop jarvis.service", "daemon-reload")
	if _, err := os.Lstat(filepath.Join(wants, unitName)); b.text(b.user) != "" || !os.IsNotExist(err) {
		t.Errorf("left are %q, %v", b.text(b.user), err)
	}
	b.want(0, b.run("uninstall"), "There is no")
	var said installed
	if b.run("uninstall", "--json"); json.Unmarshal([]byte(b.out), &said) != nil || said.Changed || !said.Removed || said.Next == nil {
		t.Errorf("said %s", b.out)
	}
}

func TestInstallForTheSystem(t *testing.T) {
	b := newBench(t)
	b.want(0, b.run("install", "--system"), "useradd --system", "systemctl enable --now jarvis.service")
	if b.text(b.system) != goldenSystem || b.text(b.user) != "" {
		t.Errorf("unit is %q", b.text(b.system))
	}
	b.around.known = func(string) bool { return true }
	b.want(0, b.run("install", "--system"))
	if strings.Contains(b.out, "useradd") {
		t.Error(b.out)
	}
	b.around.uid = func() int { return 1000 }
	b.want(api.ExitNotAllowed, b.run("install", "--system"), "needs root", "sudo jarvis daemon install --system")
	b.want(api.ExitNotAllowed, b.run("uninstall", "--system"), "sudo jarvis daemon uninstall --system")
	b.around.uid = func() int { return 0 }
	b.around.program = func() (string, error) { return "/home/a/bin/jarvisd", nil }
	b.want(api.ExitUsage, b.run("install", "--system"), "cannot see it", "make install")
	if b.text(b.system) != goldenSystem {
		t.Error("the unit was changed")
	}
	b.want(0, b.run("install", "--system", "--dry-run"), "Warning:", "ExecStart=/home/a/bin/jarvisd run")
	b.want(0, b.run("uninstall", "--system"), "systemctl stop")
	if b.text(b.system) != "" {
		t.Error("the unit stayed")
	}
}

func TestInstallRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*bench) error{
		"another's unit": func(b *bench) error { return os.WriteFile(b.user, []byte("[Service]\nExecStart=/bin/true\n"), 0o644) },
		"an empty file":  func(b *bench) error { return os.WriteFile(b.user, nil, 0o644) },
		"a mask":         func(b *bench) error { return os.Symlink("/dev/null", b.user) },
		"a folder":       func(b *bench) error { return os.Mkdir(b.user, 0o755) },
		"a link to ours": func(b *bench) error {
			ours := filepath.Join(b.t.TempDir(), "ours")
			if err := os.WriteFile(ours, []byte(goldenUser), 0o644); err != nil {
				return err
			}
			return os.Symlink(ours, b.user)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if err := os.MkdirAll(filepath.Dir(b.user), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := spoil(b); err != nil {
				t.Fatal(err)
			}
			for _, verb := range []string{"install", "uninstall"} {
				b.want(1, b.run(verb), "left as it is", "ls -l ")
			}
			if _, err := os.Lstat(b.user); err != nil {
				t.Error(err)
			}
		})
	}
	b := newBench(t)
	b.around.system = "darwin"
	b.want(1, b.run("install"), "on Linux only", "jarvis daemon start")
	b.around.system = "linux"
	b.around.program = func() (string, error) { return "/opt/a\nExecStartPre=/bin/evil/jarvisd", nil }
	b.want(2, b.run("install"), "such characters", "make install")
	b.around.program = func() (string, error) { return `/opt/"a"/jarvisd`, nil }
	b.want(2, b.run("install"), "such characters")
	b.env = config.Env{}
	b.around.program = func() (string, error) { return "/opt/jarvisd", nil }
	b.want(1, b.run("install"), "JARVIS_HOME")
	b.want(2, b.run("install", "now"))
}

func TestInstallForAHomeOfItsOwn(t *testing.T) {
	b := newBench(t)
	b.env = append(b.env, "JARVIS_HOME=/srv/my jarvis%", api.VarAnthropicKey+"=secret-key")
	b.want(0, b.run("install"), api.VarAnthropicKey, "--key-stdin")
	if got := b.text(b.user); !strings.Contains(got, "Environment=\"JARVIS_HOME=/srv/my jarvis%%\"\n") || strings.Contains(got+b.out+b.err, "secret-key") {
		t.Errorf("unit is %q", got)
	}
	b = newBench(t)
	config := t.TempDir()
	b.env = append(b.env, "XDG_CONFIG_HOME="+config, "XDG_DATA_HOME=relative")
	b.want(0, b.run("install"))
	if got := b.text(filepath.Join(config, "systemd/user/jarvis.service")); !strings.Contains(got, "Environment=XDG_CONFIG_HOME="+config+"\n") || strings.Contains(got, "XDG_DATA_HOME") {
		t.Errorf("unit is %q", got)
	}
	b.around.path = t.TempDir()
	b.env = append(b.env, "LANG=de_DE.UTF-8")
	b.want(0, b.run("install"), "auf dem Stand", "Hier gibt es kein systemctl")
}
