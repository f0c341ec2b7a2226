package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
)

func (a *App) daemonCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: a.t("Start, stop and look at the daemon"),
		Long:  a.t("The daemon holds sessions, models and tools. Commands that need it start it; it stays until it is stopped."),
		Args:  a.noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	run := a.offlineCommand("run", a.t("Run the daemon in the foreground (for a service manager)"))
	run.RunE = func(cmd *cobra.Command, args []string) error {
		return a.become(cmd.Context(), "jarvisd", append([]string{"run"}, args...))
	}
	cmd.AddCommand(
		run, a.daemonStart(), a.daemonStop(), a.daemonRestart(), a.daemonStatus(), a.daemonLogs(),
		a.offlineCommand("install", a.t("Write a systemd unit that runs the daemon"), "daemon"),
		a.offlineCommand("uninstall", a.t("Remove the systemd unit that install wrote"), "daemon"),
	)
	return cmd
}

func (a *App) daemonStart() *cobra.Command {
	var fresh bool
	cmd := &cobra.Command{
		Use:   "start",
		Short: a.t("Start the daemon in the background"),
		Args:  a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var args []string
			if fresh {
				args = append(args, "--new-store")
			}
			return a.withClient(func(c *client.Client) error { return a.startDaemon(cmd.Context(), c, args...) })
		},
	}
	cmd.Flags().BoolVar(&fresh, "new-store", false, a.t("start with an empty store when the old one is gone or was put aside"))
	return cmd
}

func (a *App) startDaemon(ctx context.Context, c *client.Client, args ...string) error {
	started, err := c.Start(ctx, args...)
	if err != nil {
		return err
	}
	st, err := c.Status(ctx)
	if err != nil {
		return err
	}
	word := a.t("The daemon was running already")
	if started {
		word = a.t("The daemon runs")
	}
	a.talk("%s (pid %d)", word, st.PID)
	a.warn(st)
	return nil
}

func (a *App) warn(st api.Status) {
	for _, w := range st.Warnings {
		a.talk("%s %s", a.t("Warning:"), w)
	}
}

func (a *App) daemonStop() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: a.t("Stop the daemon; what is being answered may finish first"),
		Args:  a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withClient(func(c *client.Client) error { return a.stopDaemon(cmd.Context(), c) })
		},
	}
}

func (a *App) stopDaemon(ctx context.Context, c *client.Client) error {
	running, err := c.Shutdown(ctx)
	if err != nil {
		return err
	}
	if running {
		a.talk("%s", a.t("The daemon has stopped"))
	} else {
		a.talk("%s", a.t("The daemon was not running"))
	}
	return nil
}

func (a *App) daemonRestart() *cobra.Command {
	return &cobra.Command{
		Use:   "restart",
		Short: a.t("Stop the daemon and start it again"),
		Args:  a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withClient(func(c *client.Client) error {
				if err := a.stopDaemon(cmd.Context(), c); err != nil {
					return err
				}
				return a.startDaemon(cmd.Context(), c)
			})
		},
	}
}

func (a *App) daemonStatus() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: a.t("Say whether the daemon runs, and how it is"),
		Args:  a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.noAutostart = true
			return a.withClient(func(c *client.Client) error { return a.showStatus(cmd.Context(), c) })
		},
	}
}

func (a *App) showStatus(ctx context.Context, c *client.Client) error {
	st, err := c.Status(ctx)
	if errors.Is(err, client.ErrUnreachable) && !errors.Is(err, client.ErrSilent) {
		stopped := struct {
			State string `json:"state"`
		}{api.StateStopped}
		if err := a.print(stopped, func(w io.Writer) {
			fmt.Fprintln(w, a.t("The daemon does not run. Start it with: jarvis daemon start"))
		}); err != nil {
			return err
		}
		return exit{code: api.ExitUnreachable}
	}
	if err != nil {
		return err
	}
	if st.Warnings == nil {
		st.Warnings = []string{}
	}
	return a.print(st, func(w io.Writer) {
		listen := st.Listen
		if listen == "" {
			listen = a.t("socket only")
		}
		rows := [][2]string{
			{a.t("State"), st.State},
			{a.t("Model"), st.Model},
			{a.t("Answering"), a.tf("%d chains, %d waiting", st.Running, st.Queued)},
			{a.t("Version"), st.Version},
			{a.t("Process"), a.tf("%d, for %s", st.PID, time.Duration(st.Uptime)*time.Second)},
			{a.t("Home"), st.Home},
			{a.t("Socket"), st.Socket},
			{a.t("Listens"), listen},
		}
		for _, r := range rows {
			a.row(w, r[0], r[1])
		}
		for _, warning := range st.Warnings {
			a.row(w, a.t("Warning"), warning)
		}
	})
}

func (a *App) daemonLogs() *cobra.Command {
	var follow bool
	var n int
	cmd := &cobra.Command{
		Use:   "logs",
		Short: a.t("Print the daemon's log"),
		Args:  a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := a.home()
			if err != nil {
				return err
			}
			return a.tail(cmd.Context(), filepath.Join(h.Logs, "daemon.log"), n, follow)
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, a.t("go on as lines are written"))
	cmd.Flags().IntVarP(&n, "number", "n", 100, a.t("how many lines at most to start with"))
	return cmd
}

// tail prints the last n lines of a file and, when asked, those that follow, also after the file was rotated.
func (a *App) tail(ctx context.Context, path string, n int, follow bool) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return core.E(core.NotFound, a.tf("there is no log yet at %s", path), "jarvis daemon start", err)
	}
	if err != nil {
		return core.E(core.Internal, a.tf("cannot read %s: %v", path, err), "ls -l "+shellQuote(path), err)
	}
	defer func() { f.Close() }()
	if err := a.lastLines(f, n); err != nil {
		return err
	}
	ctx, stop := a.untilInterrupted(ctx)
	defer stop()
	for follow {
		if err := a.copyLines(f); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(250 * time.Millisecond):
		}
		if next, ok := rotated(path, f); ok {
			if err := a.copyLines(f); err != nil {
				next.Close()
				return err
			}
			f.Close()
			f = next
		}
	}
	return nil
}

// rotated opens the file that has come in the place of f.
func rotated(path string, f *os.File) (*os.File, bool) {
	now, err := os.Stat(path)
	if err != nil {
		return nil, false
	}
	was, err := f.Stat()
	if err != nil || os.SameFile(now, was) {
		return nil, false
	}
	next, err := os.Open(path)
	return next, err == nil
}

// lastLines seeks back in steps, so that a large log costs what is shown.
func (a *App) lastLines(f *os.File, n int) error {
	const step = 64 << 10
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	start, lines := end, 0
	buf := make([]byte, step)
	for start > 0 && lines <= n {
		size := min(step, start)
		if _, err := f.ReadAt(buf[:size], start-size); err != nil {
			return err
		}
		cut := int64(0)
		for i := size - 1; i >= 0; i-- {
			if buf[i] == '\n' && start-size+i != end-1 {
				if lines++; lines >= n {
					cut = i + 1
					break
				}
			}
		}
		start -= size
		if lines >= n {
			start += cut
			break
		}
	}
	if _, err := f.Seek(start, io.SeekStart); err != nil {
		return err
	}
	return a.copyLines(f)
}

func (a *App) copyLines(f *os.File) error {
	r := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			if werr := writeAll(a.Out, a.shown(line)); werr != nil {
				return werr
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
