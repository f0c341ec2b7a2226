package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
)

func (a *App) sessionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "session",
		Short:   a.t("List, read and erase conversations"),
		Aliases: []string{"sessions"},
		Args:    a.noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.sessionNew(), a.sessionMark(), a.sessionArchive(), a.sessionArchives())
	cmd.AddCommand(a.sessionList(), a.sessionShow(), a.sessionPrompt(), a.sessionEdit(), a.sessionDeleteMessage(), a.sessionStop(), a.sessionRm())
	cmd.AddCommand(a.sessionContext(), a.sessionUndo())
	cmd.AddCommand(a.sessionFork(), a.sessionExport(), a.sessionImport())
	cmd.AddCommand(a.sessionSearch())
	return cmd
}

func (a *App) sessionList() *cobra.Command {
	var all bool
	var n int
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   a.t("List conversations, newest first"),
		Example: "  jarvis session list\n  jarvis session list --all -n 100 -o json",
		Args:    a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n < 1 {
				return usageError(cmd, a.t("-n takes a number from 1"))
			}
			return a.withClient(func(c *client.Client) error { return a.listSessions(cmd.Context(), c, all, n) })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, a.t("also those that ask made"))
	cmd.Flags().IntVarP(&n, "number", "n", 50, a.t("how many at most"))
	return cmd
}

func (a *App) listSessions(ctx context.Context, c *client.Client, all bool, n int) error {
	items := []core.Session{}
	for cursor := core.Cursor(""); len(items) < n; {
		page, err := c.Sessions(ctx, all, core.Page{After: cursor, Limit: min(n-len(items), 1000)})
		if err != nil {
			return err
		}
		items = append(items, page.Items...)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	return a.print(items, func(w io.Writer) {
		if len(items) == 0 {
			a.talk("%s", a.t("No conversations yet. Start one with: jarvis   (the questions of ask: jarvis session list --all)"))
			return
		}
		a.row(w, a.t("ID"), a.t("CHANGED"), a.t("TITLE"))
		for _, s := range items {
			a.row(w, core.Short(string(s.ID)), when(s.Modified), s.Title)
		}
	})
}

// sessionView is the form of `session show -o json`.
type sessionView struct {
	ID         core.SessionID `json:"id"`
	Title      string         `json:"title"`
	Context    string         `json:"context,omitempty"`
	Messages   []core.Message `json:"messages"`
	NextCursor core.Cursor    `json:"next_cursor"`
}

func (a *App) sessionShow() *cobra.Command {
	var n int
	var cursor string
	var all bool
	cmd := &cobra.Command{
		Use:               "show SESSION",
		Short:             a.t("Print a conversation"),
		Args:              a.oneSession,
		ValidArgsFunction: a.completeSession,
		Example:           "  jarvis session show 3fa9c1\n  jarvis session show 3fa9c1 -n 20",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(func(c *client.Client) error {
				return a.showSession(cmd.Context(), c, args[0], n, core.Cursor(cursor), all)
			})
		},
	}
	cmd.Flags().IntVarP(&n, "number", "n", 0, a.t("only the last N messages (0 = all)"))
	cmd.Flags().BoolVar(&all, "all", false, a.t("also what is archived"))
	cmd.Flags().StringVar(&cursor, "cursor", "", a.t("go on from next_cursor of an earlier -o json"))
	return cmd
}

func (a *App) showSession(ctx context.Context, c *client.Client, id string, n int, cursor core.Cursor, all bool) error {
	s, err := c.Session(ctx, id)
	if err != nil {
		return err
	}
	v := sessionView{ID: s.ID, Title: s.Title, Context: s.Context, Messages: []core.Message{}}
	view := core.ViewLive
	if all {
		view = core.ViewAll
	}
	raw := a.output == "json" || a.output == "yaml" // these have the deleted messages too
	for {
		limit := 500
		if n > 0 {
			limit = min(limit, n-len(v.Messages))
		}
		page, err := c.Messages(ctx, string(s.ID), core.Page{After: cursor, Limit: limit, Backward: n > 0, View: view})
		if err != nil {
			return err
		}
		items := page.Items
		if !raw {
			items = slices.DeleteFunc(items, func(m core.Message) bool { return m.Deleted })
		}
		if n > 0 { // walking back: earlier messages go in front
			v.Messages = slices.Concat(items, v.Messages)
		} else {
			v.Messages = append(v.Messages, items...)
		}
		cursor = page.NextCursor
		if cursor == "" || n > 0 && len(v.Messages) >= n {
			break
		}
	}
	v.NextCursor = cursor
	return a.print(v, func(w io.Writer) {
		if len(v.Messages) == 0 && !all {
			a.talk("%s", a.tf("There is nothing to show. What is archived is shown by: jarvis session show %s --all", core.Short(string(s.ID))))
		}
		a.showMessages(w, v.Messages)
	})
}

func (a *App) showMessage(w io.Writer, m core.Message) {
	who := m.Role
	if m.Type != core.TypeText {
		who += " " + m.Type
	}
	if m.Tool != "" {
		who += " " + m.Tool
	}
	if m.Partial {
		who += " " + a.t("(cut off)")
	}
	mark := ""
	if m.Marked {
		mark = " ★"
	}
	fmt.Fprintf(w, "── %s · %s · %s%s\n", a.shown(who), when(m.Created), shortMessage(m.ID), mark)
	text := m.Text
	if m.Type == core.TypeToolUse {
		text = string(m.Input)
	}
	for _, f := range m.Attachments {
		fmt.Fprintf(w, "[%s, %s, %s]\n", a.shown(f.Name), a.shown(f.MediaType), size(f.Size))
	}
	fmt.Fprintln(w, a.shown(strings.TrimRight(text, "\n")))
}

func (a *App) sessionPrompt() *cobra.Command {
	return &cobra.Command{
		Use:               "prompt SESSION",
		Short:             a.t("Print the system prompt of a conversation, block by block"),
		Args:              a.oneSession,
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(func(c *client.Client) error {
				blocks, err := c.PromptBlocks(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.print(blocks, func(w io.Writer) {
					for _, b := range blocks {
						fmt.Fprintf(w, "── %s %s · %d\n%s\n\n", a.shown(b.Icon), a.shown(b.Label), len(b.Content), a.shown(b.Content))
					}
				})
			})
		},
	}
}

func (a *App) sessionStop() *cobra.Command {
	return &cobra.Command{
		Use:               "stop SESSION",
		Short:             a.t("Stop what is being answered in a conversation; what came is kept"),
		Args:              a.oneSession,
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(func(c *client.Client) error {
				return c.Stop(cmd.Context(), api.ChatStop{Session: core.SessionID(args[0])})
			})
		},
	}
}

func (a *App) sessionRm() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:               "rm SESSION…",
		Short:             a.t("Erase conversations: messages, journals and attachments"),
		ValidArgsFunction: a.completeSession,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(cmd, a.t("which conversation?"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(func(c *client.Client) error {
				for _, id := range args {
					s, err := c.Session(cmd.Context(), id)
					if err != nil {
						return err
					}
					if err := a.confirm(yes, a.tf("Erase %q (%s)? This cannot be undone.", s.Title, core.Short(string(s.ID)))); err != nil {
						return err
					}
					if _, err := c.DeleteSession(cmd.Context(), string(s.ID)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, a.t("do not ask"))
	return cmd
}

func (a *App) oneSession(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	if len(args) == 0 {
		return core.E(core.BadRequest, a.t("which conversation?"), "jarvis session list --all", nil)
	}
	return usageError(cmd, a.t("one conversation at a time"))
}

// withClient gives run a client of the daemon.
func (a *App) withClient(run func(*client.Client) error) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	return run(c)
}

func when(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

func size(n int64) string {
	switch {
	case n >= 1<<30:
		return strconv.FormatFloat(float64(n)/(1<<30), 'f', 1, 64) + " GiB"
	case n >= 1<<20:
		return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MiB"
	case n >= 1<<10:
		return strconv.FormatFloat(float64(n)/(1<<10), 'f', 1, 64) + " KiB"
	}
	return strconv.FormatInt(n, 10) + " B"
}
