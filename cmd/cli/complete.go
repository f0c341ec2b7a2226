package cli

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/home"
)

// patience is how long TAB may take; a daemon that is not there is not started for it.
const patience = 150 * time.Millisecond

// offlinePatience is for jarvisd's own completions. It waits for nothing but its own start, some 20 ms on an idle machine; on a
// busy one a late answer is better than none.
const offlinePatience = time.Second

func (a *App) forCompletion(ctx context.Context, fetch func(context.Context, *client.Client) []string) ([]string, cobra.ShellCompDirective) {
	a.noAutostart = true
	c, err := a.client()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return fetch(ctx, c), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func (a *App) completeSession(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 && cmd.Name() != "rm" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeSessions(cmd, args, typed)
}

func (a *App) completeSessions(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return a.forCompletion(cmd.Context(), func(ctx context.Context, c *client.Client) []string {
		page, err := c.Sessions(ctx, true, core.Page{Limit: 50})
		if err != nil {
			return nil
		}
		var out []string
		for _, s := range page.Items {
			if id := core.Short(string(s.ID)); strings.HasPrefix(id, typed) {
				out = append(out, cobra.CompletionWithDesc(id, core.Printable(firstLine(s.Title))))
			}
		}
		return out
	})
}

func (a *App) completeModels(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	return a.completeSome(cmd, args, typed, func(api.Model) bool { return true })
}

func (a *App) completeFetchable(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	return a.completeSome(cmd, args, typed, toFetch)
}

func (a *App) completeRemovable(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	return a.completeSome(cmd, args, typed, func(m api.Model) bool { return m.Local && m.Installed && m.Provider != "builtin" })
}

func (a *App) completeSome(cmd *cobra.Command, args []string, typed string, fits func(api.Model) bool) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 && cmd.Name() != "ask" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.forCompletion(cmd.Context(), func(ctx context.Context, c *client.Client) []string {
		models, err := c.Models(ctx)
		if err != nil {
			return nil
		}
		var out []string
		for _, m := range models {
			if fits(m) && strings.HasPrefix(m.Ref, typed) {
				out = append(out, cobra.CompletionWithDesc(core.Printable(m.Ref), core.Printable(m.Name)))
			}
		}
		return out
	})
}

// completeTodos gives the numbers of what is to do.
func (a *App) completeTodos(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return a.forCompletion(cmd.Context(), func(ctx context.Context, c *client.Client) []string {
		todos, err := c.Todos(ctx)
		if err != nil {
			return nil
		}
		var out []string
		for _, t := range todos {
			if n := strconv.FormatUint(t.N, 10); t.Status != core.TodoCompleted && strings.HasPrefix(n, typed) {
				out = append(out, cobra.CompletionWithDesc(n, core.Printable(firstLine(t.Content))))
			}
		}
		return out
	})
}

// completeOffline asks jarvisd, whose command it is.
func (a *App) completeOffline(ctx context.Context, args []string) ([]string, cobra.ShellCompDirective) {
	programs, err := home.Siblings()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	path, err := programs.Path("jarvisd")
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	ctx, cancel := context.WithTimeout(ctx, offlinePatience)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, append([]string{cobra.ShellCompRequestCmd}, args...)...).Output()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var list []string
	directive := cobra.ShellCompDirectiveDefault
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		if d, ok := strings.CutPrefix(line, ":"); ok && strings.Trim(d, "0123456789") == "" && d != "" {
			directive = cobra.ShellCompDirective(atoi(d))
			continue
		}
		if line != "" {
			list = append(list, line)
		}
	}
	return list, directive
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		n = n*10 + int(c-'0')
		if n > 1<<16 {
			return 0
		}
	}
	return n
}
