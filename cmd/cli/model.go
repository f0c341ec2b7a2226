package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
)

func (a *App) modelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "model",
		Aliases: []string{"models"},
		Short:   a.t("List, test, fetch and remove language models"),
		Args:    a.noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.modelList(), a.modelTest(), a.modelPull(), a.modelRm())
	return cmd
}

func (a *App) modelList() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   a.t("List the models that can be asked; * is the one model: auto means"),
		Args:    a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withClient(func(c *client.Client) error {
				known, err := c.Models(cmd.Context())
				if err != nil {
					return err
				}
				list := []api.Model{}
				for _, m := range known {
					if all || m.Installed || m.Default {
						list = append(list, m)
					}
				}
				return a.print(list, func(w io.Writer) {
					a.row(w, "", a.t("MODEL"), a.t("WINDOW"), a.t("$/M IN"), a.t("$/M OUT"), a.t("NOTE"))
					for _, m := range list {
						mark := " "
						if m.Default {
							mark = "*"
						}
						in, out := "?", "?"
						if m.Priced {
							in, out = usd(m.InUSD), usd(m.OutUSD)
						}
						a.row(w, mark, m.Ref, window(m.Window), in, out, m.Note)
					}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, a.t("also models that are known but not usable now"))
	return cmd
}

func usd(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func window(n int) string {
	if n == 0 {
		return "?"
	}
	if n >= 1000 {
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n)
}

func (a *App) modelTest() *cobra.Command {
	return &cobra.Command{
		Use:               "test [MODEL]",
		Short:             a.t("Send a model one tiny request and say how it went"),
		Args:              a.atMostOne,
		ValidArgsFunction: a.completeModels,
		Example:           "  jarvis model test\n  jarvis model test anthropic/claude-sonnet-4-6",
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			return a.withClient(func(c *client.Client) error {
				r, err := c.TestModel(cmd.Context(), name)
				if err != nil {
					return err
				}
				err = a.print(r, func(w io.Writer) {
					if r.OK {
						fmt.Fprintf(w, "%s: %s (%d ms, %d ms)\n", a.shown(r.Model), a.t("answers"), r.FirstMS, r.DurationMS)
					}
				})
				if err == nil && r.Error != nil {
					return exit{code: api.ExitProvider, err: r.Error.Err()}
				}
				return err
			})
		},
	}
}

func (a *App) modelPull() *cobra.Command {
	return &cobra.Command{
		Use:               "pull [NAME]",
		Short:             a.t("Fetch a model that runs on this machine"),
		Long:              a.t("Without a name it lists what can be fetched."),
		Example:           "  jarvis model pull\n  jarvis model pull local/smollm2-135m\n  jarvis model pull ollama/llama3.1:8b",
		Args:              a.atMostOne,
		ValidArgsFunction: a.completeFetchable,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.withClient(func(c *client.Client) error { return a.fetchable(cmd.Context(), c) })
			}
			return a.withClient(func(c *client.Client) error { return a.pull(cmd.Context(), c, args[0]) })
		},
	}
}

// fetchable lists what pull can bring, and how.
func (a *App) fetchable(ctx context.Context, c *client.Client) error {
	known, err := c.Models(ctx)
	if err != nil {
		return err
	}
	list := []api.Model{}
	for _, m := range known {
		if toFetch(m) {
			list = append(list, m)
		}
	}
	return a.print(list, func(w io.Writer) {
		next := ""
		for _, m := range list {
			a.row(w, m.Ref, size(m.Size), m.Name)
			if m.Note != "" {
				fmt.Fprintln(w, "  "+a.shown(m.Note))
			} else if next == "" {
				next = m.Ref
			}
		}
		switch {
		case next != "":
			fmt.Fprintln(w, a.tf("Fetch one with: jarvis model pull %s", next))
		case len(list) == 0:
			fmt.Fprintln(w, a.t("Every model that jarvis can fetch by itself is installed."))
		}
		fmt.Fprintln(w, a.t("Where Ollama runs, its models come with: jarvis model pull ollama/NAME"))
	})
}

func toFetch(m api.Model) bool { return m.Local && !m.Installed }

// pull shows one line a file that is rewritten on a terminal.
func (a *App) pull(ctx context.Context, c *client.Client, name string) error {
	file := ""
	for p, err := range c.PullModel(ctx, name) {
		if err != nil {
			return err
		}
		if p.Error != nil {
			if file != "" && a.ErrTTY {
				fmt.Fprintln(a.Err)
			}
			return p.Error.Err()
		}
		if p.File == "" {
			continue
		}
		if a.ErrTTY {
			if file != "" && file != p.File {
				fmt.Fprintln(a.Err)
			}
			fmt.Fprintf(a.Err, "\r\x1b[K%s  %s", core.Printable(p.File), progress(p))
		} else if p.File != file {
			a.talk("%s  %s", p.File, size(p.Total))
		}
		file = p.File
	}
	if file != "" && a.ErrTTY {
		fmt.Fprintln(a.Err)
	}
	a.talk("%s", a.tf("%s is installed. Ask it with: jarvis ask -m %s …", name, name))
	return nil
}

func progress(p api.PullProgress) string {
	if p.Total <= 0 {
		return size(p.Bytes)
	}
	return fmt.Sprintf("%3d %%  %s / %s", min(100, p.Bytes*100/p.Total), size(p.Bytes), size(p.Total))
}

func (a *App) modelRm() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:               "rm NAME",
		Short:             a.t("Remove a model from this machine"),
		Args:              a.oneModel,
		ValidArgsFunction: a.completeRemovable,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(func(c *client.Client) error {
				if !yes { // who is asked must not learn afterwards that it was for nothing
					if err := a.removable(cmd.Context(), c, args[0]); err != nil {
						return err
					}
				}
				if err := a.confirm(yes, a.tf("Remove %s?", args[0])); err != nil {
					return err
				}
				return c.RemoveModel(cmd.Context(), args[0])
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, a.t("do not ask"))
	return cmd
}

// removable says why a model cannot be removed.
func (a *App) removable(ctx context.Context, c *client.Client, name string) error {
	known, err := c.Models(ctx)
	if err != nil {
		return err
	}
	for _, m := range known {
		switch {
		case m.Ref != name && m.Ref != "local/"+name:
		case !m.Local || m.Provider == "builtin":
			return core.E(core.Unsupported, a.tf("%s cannot be removed: it is not on this machine's disk", m.Ref), "jarvis model list", nil)
		case !m.Installed:
			return core.E(core.NotFound, a.tf("%s is not installed", m.Ref), "jarvis model list", nil)
		default:
			return nil
		}
	}
	return core.E(core.NotFound, a.tf("there is no model %q", name), "jarvis model list", nil)
}

func (a *App) oneModel(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return core.E(core.BadRequest, a.t("name one model"), "jarvis model list --all", nil)
	}
	return nil
}

func (a *App) atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError(cmd, a.t("name one model"))
	}
	return nil
}

// summary is what -v prints of an answer.
func (a *App) summary(d core.DoneData) string {
	cost := a.t("cost unknown")
	if d.CostUSD != nil {
		cost = fmt.Sprintf("$%.6f", *d.CostUSD)
	}
	cached := ""
	if d.Tokens.CacheRead > 0 || d.Tokens.CacheWrite > 0 {
		cached = a.tf(" (cache: %d read, %d written)", d.Tokens.CacheRead, d.Tokens.CacheWrite)
	}
	return a.tf("%s · %d tokens in%s, %d out · %s · %.1f s", d.Model, d.Tokens.In, cached, d.Tokens.Out, cost, float64(d.DurationMS)/1000)
}
