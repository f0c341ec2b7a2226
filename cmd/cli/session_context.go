package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/client"
)

const (
	windowBar    = 40 // characters of the whole window
	windowChains = 12 // the newest that are listed one by one
)

func (a *App) sessionContext() *cobra.Command {
	return &cobra.Command{
		Use:               "context SESSION",
		Short:             a.t("Show what fills the model's window in a conversation"),
		Example:           "  jarvis session context 3fa9c1\n  jarvis session context 3fa9c1 -o json",
		Args:              a.oneSession,
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(func(c *client.Client) error {
				win, err := c.Window(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.print(win, func(w io.Writer) { a.windowTable(w, win) })
			})
		},
	}
}

// windowTable writes the window as people read it: the bar, then what it stands for.
func (a *App) windowTable(w io.Writer, win core.Window) {
	model := win.Model
	if model == "" {
		model = a.t("no model can be reached")
	}
	size := a.tf("%d tokens", win.Size)
	if !win.Known {
		size = a.tf("window unknown, %d tokens assumed", win.Size)
	}
	fmt.Fprintf(w, "%s · %s\n%s\n", a.shown(model), size, windowLine(win))
	older, tokens := olderChains(win.Parts)
	for _, p := range win.Parts {
		if p.Kind == core.WindowChain && older > 0 {
			if older--; older == 0 {
				a.windowRow(w, windowSign(p.Kind), a.t("older exchanges"), tokens)
			}
			continue
		}
		a.windowRow(w, windowSign(p.Kind), a.windowName(p), p.Tokens)
		if s := win.Summary; p.Kind == core.WindowSummary && s != nil {
			a.row(w, "", a.tf("  %d exchanges, %s to %s, instead of %d tokens", s.Chains, when(s.Since), when(s.Until), s.Before))
		}
	}
	if win.Known {
		a.windowRow(w, " ", a.t("kept for the answer"), win.Answer)
		a.windowRow(w, " ", a.t("reserve"), win.Reserve)
	}
	a.windowRow(w, "░", a.t("free"), win.Free)
	if win.LeftOut {
		a.talk("%s", a.t("Older messages do not fit: they will be summarised with the next message, or left out where that fails."))
	}
	if win.Summary != nil {
		a.talk("%s", a.tf("Take the summary back: jarvis session undo --compaction %s", core.Short(string(win.Session))))
	}
}

// olderChains counts the chains that are not listed one by one, and their tokens.
func olderChains(parts []core.WindowPart) (n, tokens int) {
	for _, p := range parts {
		if p.Kind == core.WindowChain {
			n++
		}
	}
	n = max(0, n-windowChains)
	left := n
	for _, p := range parts {
		if p.Kind == core.WindowChain && left > 0 {
			left--
			tokens += p.Tokens
		}
	}
	return n, tokens
}

func (a *App) windowRow(w io.Writer, sign, name string, tokens int) {
	a.row(w, sign, name, fmt.Sprint(tokens))
}

func (a *App) windowName(p core.WindowPart) string {
	switch p.Kind {
	case core.WindowTool:
		return a.tf("tool %s", p.Label)
	case core.WindowSummary:
		return a.t("summary of older messages")
	case core.WindowChain:
		return core.Short(string(p.Chain)) + " " + p.Label
	}
	return p.Label
}

// windowSign is a kind's character in the bar.
func windowSign(kind string) string {
	switch kind {
	case core.WindowSystem, core.WindowTool:
		return "█"
	case core.WindowSummary:
		return "▓"
	case core.WindowChain:
		return "▒"
	}
	return "+"
}

// windowLine is the window as a bar; whatever is more than nothing shows.
func windowLine(win core.Window) string {
	var b strings.Builder
	left, carry := windowBar, 0
	last := ""
	add := func(sign string, tokens int) {
		if win.Size <= 0 || tokens <= 0 || left <= 0 {
			return
		}
		carry += tokens * windowBar
		n := carry / win.Size
		carry %= win.Size
		if n == 0 && sign != last {
			n, carry = 1, 0
		}
		n = min(n, left)
		left -= n
		last = sign
		b.WriteString(strings.Repeat(sign, n))
	}
	for _, p := range win.Parts {
		add(windowSign(p.Kind), p.Tokens)
	}
	kept := min(left, (win.Answer+win.Reserve)*windowBar/max(1, win.Size))
	return "[" + b.String() + strings.Repeat("░", left-kept) + strings.Repeat(" ", kept) + "]"
}

func (a *App) sessionUndo() *cobra.Command {
	var compaction bool
	cmd := &cobra.Command{
		Use:               "undo SESSION",
		Short:             a.t("Take back what was done in a conversation: --compaction, its newest summary"),
		Example:           "  jarvis session undo --compaction 3fa9c1",
		Args:              a.oneSession,
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !compaction {
				return usageError(cmd, a.t("what is to be undone? Name --compaction"))
			}
			return a.withClient(func(c *client.Client) error {
				s, err := c.UndoSummary(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.print(s, func(w io.Writer) {
					fmt.Fprintln(w, a.tf("The summary of %d exchanges is gone; their messages count again. It said:", s.Chains))
					fmt.Fprintln(w, a.shown(s.Text))
				})
			})
		},
	}
	cmd.Flags().BoolVar(&compaction, "compaction", false, a.t("the newest summary of older messages; they were all kept"))
	return cmd
}

// compacted is the line about a summary that was made.
func (a *App) compacted(e core.Event) (string, bool) {
	var d core.CompactionData
	if e.Detail(&d) != nil {
		return "", false
	}
	return a.tf("jarvis: older messages (%s to %s) are now a summary: %d → %d tokens. Back: jarvis session undo --compaction %s",
		core.Short(string(d.From)), core.Short(string(d.To)), d.Before, d.After, core.Short(string(e.Session))), true
}
