package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/client"
)

func (a *App) sessionEdit() *cobra.Command {
	var title, model, context string
	var keep, pin bool
	cmd := &cobra.Command{
		Use:               "edit SESSION",
		Short:             a.t("Rename a conversation, change its model or context, or keep one that ask made"),
		Example:           "  jarvis session edit 3fa9c1 --title 'Tax return'\n  jarvis session edit 3fa9c1 --keep",
		Args:              a.oneSession,
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			var e core.SessionEdit
			if cmd.Flags().Changed("title") {
				e.Title = &title
			}
			if cmd.Flags().Changed("model") {
				e.Model = &model
			}
			if cmd.Flags().Changed("context") {
				text, err := a.context(context)
				if err != nil {
					return err
				}
				e.Context = &text
			}
			if cmd.Flags().Changed("keep") {
				hidden := !keep
				e.Hidden = &hidden
			}
			if cmd.Flags().Changed("pin") {
				e.Pinned = &pin
			}
			if e == (core.SessionEdit{}) {
				return usageError(cmd, a.t("what is to change? Name --title, --model, --context, --keep or --pin"))
			}
			return a.withClient(func(c *client.Client) error {
				s, err := c.EditSession(cmd.Context(), args[0], e)
				if err != nil {
					return err
				}
				return a.print(s, func(w io.Writer) { fmt.Fprintf(w, "%s  %s\n", core.Short(string(s.ID)), a.shown(s.Title)) })
			})
		},
	}
	cmd.Flags().StringVar(&title, "title", "", a.t("its new `TITLE`, one line"))
	cmd.Flags().StringVarP(&model, "model", "m", "", a.t("`MODEL` that answers in it from now on; empty = the configured one"))
	cmd.Flags().StringVar(&context, "context", "", a.t("`FILE` whose text goes with every question; - is stdin, '' takes it away"))
	cmd.Flags().BoolVar(&keep, "keep", false, a.t("list it and let it not expire; --keep=false hides it again"))
	cmd.Flags().BoolVar(&pin, "pin", false, a.t("keep the record of its answers when older ones go; --pin=false lets it go"))
	return cmd
}

func (a *App) sessionDeleteMessage() *cobra.Command {
	var restore bool
	cmd := &cobra.Command{
		Use:     "delete-message [SESSION] MESSAGE",
		Short:   a.t("Take a message out of a conversation's view and prompt; --restore brings it back"),
		Example: "  jarvis session show 3fa9c1             # has the ids of messages\n  jarvis session delete-message 3fa9c1 07ab42.1\n  jarvis session delete-message 3fa9c1 07ab42.1 --restore",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return usageError(cmd, a.t("which message? Its id stands in: jarvis session show SESSION"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(func(c *client.Client) error {
				id, err := a.findMessage(cmd.Context(), c, args[:len(args)-1], args[len(args)-1])
				if err != nil {
					return err
				}
				m, err := c.DeleteMessage(cmd.Context(), id, !restore)
				if err != nil {
					return err
				}
				return a.print(m, func(w io.Writer) { fmt.Fprintln(w, shortMessage(m.ID)) })
			})
		},
	}
	cmd.Flags().BoolVar(&restore, "restore", false, a.t("bring it back"))
	return cmd
}
