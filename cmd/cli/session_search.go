package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
)

const searchHelp = `Search all conversations, those that ask made too.

  word              the word and its forms, in English and German; case and accents do not count
  "two words"       a phrase        start*    the beginning of a word        -word    without it
  from:me           or from:jarvis
  type:tool         or text, reasoning, tool_use, tool_result, error
  after:2026-03-01  before:yesterday   after:7d
  session:3fa9c1    agent:NAME         is:marked

All parts must hold. The best hits come first; without a word, the newest.`

func (a *App) sessionSearch() *cobra.Command {
	var n int
	cmd := &cobra.Command{
		Use:     "search QUERY…",
		Short:   a.t("Find messages in all conversations"),
		Long:    a.t(searchHelp),
		Example: "  jarvis session search invoice\n  jarvis session search '\"to be or not\" from:me after:30d'\n  jarvis session search 'type:error -timeout' -o json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(cmd, a.t("what is to be found? Name a word"))
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n < 1 {
				return usageError(cmd, a.t("-n takes a number from 1"))
			}
			q := query(args)
			if len(q) > api.MaxQuery {
				return usageError(cmd, a.tf("a search has at most %d bytes; this one has %d", api.MaxQuery, len(q)))
			}
			return a.withClient(func(c *client.Client) error { return a.search(cmd.Context(), c, q, n) })
		},
	}
	cmd.Flags().IntVarP(&n, "number", "n", 20, a.t("how many at most"))
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError(cmd, a.tf("%s   (a word to leave out stands in quotes with the others, or behind --)", err))
	})
	return cmd
}

// query puts arguments back together; one that the shell kept together, and that is not a query of several parts itself, was a
// phrase.
func query(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	parts := make([]string, len(args))
	for i, s := range args {
		parts[i] = s
		if strings.ContainsAny(s, " \t\n") && !strings.ContainsAny(s, `":`) {
			parts[i] = `"` + s + `"`
		}
	}
	return strings.Join(parts, " ")
}

func (a *App) search(ctx context.Context, c *client.Client, text string, n int) error {
	items := []core.Hit{}
	var last core.Hits
	for cursor := core.Cursor(""); len(items) < n; cursor = last.Next {
		var err error
		if last, err = c.Search(ctx, text, min(n-len(items), 200), cursor); err != nil {
			return err
		}
		items = append(items, last.Items...)
		if last.Next == "" {
			break
		}
	}
	err := a.print(items, func(w io.Writer) {
		for i, h := range items {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "%s  %s  %s  %s  %s\n", core.Short(string(h.Session)), shortMessage(h.Message), when(h.Created), speaker(h), a.shown(h.Title))
			fmt.Fprintf(w, "    %s\n", a.lit(h))
		}
		switch {
		case len(items) == 0:
			a.talk("%s", a.t("Nothing was found."))
		case uint64(len(items)) < last.Total:
			a.talk("%s", a.tf("%d of %d hits; more with -n", len(items), last.Total))
		}
	})
	if !last.Complete {
		a.talk("%s", a.tf("The index is still being built (%d of %d messages); there may be more.", last.Indexed, last.Messages))
	}
	return err
}

// speaker says who said it: what tools answer stands under the user's role, as models read it.
func speaker(h core.Hit) string {
	if h.Type == core.TypeToolUse || h.Type == core.TypeToolResult {
		return h.Type
	}
	return h.Role
}

// lit is a snippet with its hits in bold on a terminal that has it.
func (a *App) lit(h core.Hit) string {
	if !a.OutTTY || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return a.shown(h.Snippet)
	}
	var b strings.Builder
	at := 0
	for _, m := range h.Matches {
		if m[0] < at || m[1] < m[0] || m[1] > len(h.Snippet) {
			continue
		}
		b.WriteString(a.shown(h.Snippet[at:m[0]]) + "\x1b[1m" + a.shown(h.Snippet[m[0]:m[1]]) + "\x1b[22m")
		at = m[1]
	}
	return b.String() + a.shown(h.Snippet[at:])
}
