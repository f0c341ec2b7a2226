package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/client"
)

func (a *App) sessionMark() *cobra.Command {
	var unmark bool
	cmd := &cobra.Command{
		Use:   "mark [SESSION] [MESSAGE]",
		Short: a.t("Mark a message as important, so that it goes with every later question; without one list them"),
		Example: "  jarvis session mark 3fa9c1               # what is marked\n  jarvis session mark 3fa9c1 07ab42.1\n" +
			"  jarvis session mark 3fa9c1 07ab42.1 --unmark",
		Args:              a.upTo(2),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			message := ""
			if n := len(args); n > 0 && (n == 2 || strings.Contains(args[0], ".")) {
				message, args = args[n-1], args[:n-1]
			}
			if message == "" && unmark {
				return usageError(cmd, a.t("which message? Its id stands in: jarvis session show SESSION"))
			}
			return a.withClient(func(c *client.Client) error {
				if message == "" {
					return a.listMarked(cmd.Context(), c, args)
				}
				id, err := a.findMessage(cmd.Context(), c, args, message)
				if err != nil {
					return err
				}
				m, err := c.MarkMessage(cmd.Context(), id, !unmark)
				if err != nil {
					return err
				}
				return a.print(m, func(w io.Writer) { fmt.Fprintln(w, shortMessage(m.ID)) })
			})
		},
	}
	cmd.Flags().BoolVar(&unmark, "unmark", false, a.t("take the mark away"))
	return cmd
}

func (a *App) listMarked(ctx context.Context, c *client.Client, args []string) error {
	id, err := a.whichSession(ctx, c, args)
	if err != nil {
		return err
	}
	ms := []core.Message{}
	for p := (core.Page{Limit: 500}); ; {
		page, err := c.Marked(ctx, id, p)
		if err != nil {
			return err
		}
		ms = append(ms, page.Items...)
		if p.After = page.NextCursor; p.After == "" {
			break
		}
	}
	return a.print(ms, func(w io.Writer) {
		if len(ms) == 0 {
			a.talk("%s", a.t("Nothing of this conversation is marked."))
		}
		a.showMessages(w, ms)
	})
}

// findMessage gives the whole id of a message. What people type of its chain's id is looked for in the conversation, from its
// end back.
func (a *App) findMessage(ctx context.Context, c *client.Client, args []string, typed string) (core.MessageID, error) {
	chain, n, _ := strings.Cut(strings.ToLower(typed), ".")
	if core.ValidUUID(chain) {
		return core.MessageID(chain + "." + n), nil
	}
	unknown := core.E(core.NotFound, a.tf("there is no message %q in this conversation", core.Printable(typed)), "jarvis session show SESSION", nil)
	if !core.HexDigits(chain) || n == "" {
		return "", unknown
	}
	session, err := a.whichSession(ctx, c, args)
	if err != nil {
		return "", err
	}
	unknown.Hint = "jarvis session show " + core.Short(session)
	for p := (core.Page{Limit: 500, Backward: true, View: core.ViewAll}); ; {
		page, err := c.Messages(ctx, session, p)
		if err != nil {
			return "", err
		}
		for _, m := range page.Items {
			if core.MatchID(string(m.Chain), chain) && strings.HasSuffix(string(m.ID), "."+n) {
				return m.ID, nil
			}
		}
		if p.After = page.NextCursor; p.After == "" {
			return "", unknown
		}
	}
}

// shortMessage is the form of a message's id that people see and type.
func shortMessage(id core.MessageID) string {
	chain, n, _ := strings.Cut(string(id), ".")
	return core.Short(chain) + "." + n
}
