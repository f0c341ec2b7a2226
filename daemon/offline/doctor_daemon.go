package offline

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/home"
)

// checkDaemon looks at socket and token, and asks the daemon how it is. One that does not run is no problem: it starts by itself.
func (d *doctor) checkDaemon(ctx context.Context) {
	if err := d.h.CheckSocket(); err != nil {
		d.fail("socket", err)
		return
	}
	left := leftBehind(d.h)
	if d.seen && !d.store.Held && len(left) == 0 {
		d.skipped("socket", d.t("the daemon does not run; the next command that needs it starts it"), "")
		return
	}
	ask := d.around.status
	if ask == nil {
		ask = askDaemon
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	st, err := ask(ctx, d.h)
	switch {
	case err == nil:
		d.daemonState(st)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		d.problem("socket", d.t("the daemon does not answer in time"), "jarvis daemon restart")
	case core.CodeOf(err) == core.Unauthorized:
		d.fail("token", err)
	case errors.Is(err, client.ErrUnreachable) && !errors.Is(err, client.ErrSilent):
		d.dead(left)
	default:
		d.fail("socket", err)
	}
}

// dead is a daemon that does not run. What it left behind keeps nobody from starting the next one.
func (d *doctor) dead(left []string) {
	if len(left) == 0 {
		d.skipped("socket", d.t("the daemon does not run; the next command that needs it starts it"), "")
		return
	}
	d.warning("socket", d.tf("a dead daemon left behind: %s", strings.Join(left, ", ")), fixHint)
}

func (d *doctor) daemonState(st api.Status) {
	if d.seen && !d.store.Held {
		d.warning("socket", d.tf("a daemon (pid %d) answers that does not hold this home: its lock was taken away", st.PID), "jarvis daemon restart")
	} else {
		d.ok("socket", d.tf("the daemon (pid %d) answers and takes the token", st.PID))
	}
	switch st.State {
	case api.StateReady:
		d.ok("daemon", d.tf("it is ready (%s)", st.Version))
	case api.StateDamaged:
		d.problem("daemon", d.t("its store is damaged"), "jarvis daemon logs")
	case api.StateDegraded:
		d.warning("daemon", d.t("it runs, but not all of it"), "jarvis daemon logs")
	default:
		d.warning("daemon", d.tf("it is not ready: %s", st.State), "jarvis daemon status")
	}
	if st.Version != "" && d.Version != "" && st.Version != d.Version {
		d.warning("daemon", d.tf("it is %s, this is %s", st.Version, d.Version), "jarvis daemon restart")
	}
	var lacks []string
	for _, name := range api.VarsIn(d.Env.Get) {
		if !slices.Contains(st.Providers, name) {
			lacks = append(lacks, name)
		}
	}
	if len(lacks) > 0 {
		d.warning("daemon", d.tf("your shell has %s, the daemon has not", strings.Join(lacks, ", ")), "jarvis daemon restart")
	}
	for _, w := range st.Warnings {
		if !slices.ContainsFunc(d.checks, func(c check) bool { return strings.Contains(w, c.Message) }) {
			d.warning("daemon", w, "jarvis daemon status")
		}
	}
}

// leftBehind names what a daemon has in its run folder while it lives.
func leftBehind(h home.Home) []string {
	var out []string
	for _, path := range transient(h) {
		if _, err := os.Lstat(path); err == nil {
			out = append(out, path)
		}
	}
	return out
}

func transient(h home.Home) []string {
	return []string{h.Socket, h.Token, filepath.Join(h.Run, client.StateFile)}
}

// isTransient reports whether what lies at path is what a daemon makes there, and no folder or link that somebody laid.
func isTransient(h home.Home, path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	if path == h.Socket {
		return info.Mode()&fs.ModeSocket != 0
	}
	return info.Mode().IsRegular()
}
