package offline

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"jarvis/daemon/home"
)

// The years in which a clock can be right, and how far a record may be ahead of it: two machines may share a home.
const (
	firstYear = 2026
	lastYear  = 2100
	clockSlip = 2 * time.Minute
)

func (d *doctor) checkClock(context.Context) {
	now := time.Now
	if d.around.now != nil {
		now = d.around.now
	}
	t := now()
	switch newest := d.store.Newest; {
	case t.Year() < firstYear || t.Year() > lastYear:
		d.problem("clock", d.tf("the clock says %s", t.Format(time.DateTime)), "timedatectl")
	case newest.After(t.Add(clockSlip)):
		d.warning("clock", d.tf("the clock says %s, but the newest record of the store is of %s", t.Format(time.DateTime), newest.In(t.Location()).Format(time.DateTime)), "timedatectl")
	default:
		d.ok("clock", t.Format(time.DateTime+" MST"))
	}
}

// checkSandbox tells whether commands could be fenced. It is information: nothing runs commands yet.
func (d *doctor) checkSandbox(ctx context.Context) {
	const name = "sandbox"
	system := d.around.system
	if system == "" {
		system = runtime.GOOS
	}
	if system != "linux" {
		d.skipped(name, d.t("there is a fence for commands on Linux only"), "")
		return
	}
	if d.config != nil && d.config.Sandbox.Mode == "off" {
		d.skipped(name, d.t("it is switched off in the configuration"), "jarvis config set sandbox.mode on")
		return
	}
	program := d.find("bwrap")
	if program == "" {
		d.skipped(name, d.t("bwrap is not installed; agents will need it to run commands in a fence"), "apt install bubblewrap")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent", "--", "true")
	cmd.Stderr = &limited{w: &said, left: 300}
	cmd.Env = []string{"PATH=" + home.SafePath}
	cmd.WaitDelay = time.Second // for a child that keeps stderr
	if err := cmd.Run(); err != nil {
		why := bytes.TrimSpace(said.Bytes())
		if len(why) == 0 {
			why = []byte(err.Error())
		}
		d.warning(name, d.tf("bwrap is there but cannot make a fence: %s", why), program+" --ro-bind / / --unshare-all true")
		return
	}
	d.ok(name, d.tf("%s makes a fence for commands", program))
}

// find looks for a program where the daemon does, whatever the shell's PATH is.
func (a *App) find(name string) string {
	path := a.around.path
	if path == "" {
		path = home.SafePath
	}
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return file
		}
	}
	return ""
}

// limited keeps the first bytes and takes the rest, so that a talkative program neither blocks nor fills the memory.
type limited struct {
	w    *bytes.Buffer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(len(b), l.left)
	l.left -= n
	l.w.Write(b[:n])
	return len(b), nil
}
