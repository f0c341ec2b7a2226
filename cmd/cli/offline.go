package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"jarvis/daemon/home"
)

// offlineCommand is a door of jarvisd that works without a daemon: this program becomes it, with the same arguments, so that
// the configuration is nothing this one links. below are the commands that it stands under there.
func (a *App) offlineCommand(name, short string, below ...string) *cobra.Command {
	path := append(slices.Clone(below), name)
	return &cobra.Command{
		Use:                name,
		Short:              short,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.become(cmd.Context(), "jarvisd", slices.Concat(path, args))
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			return a.completeOffline(cmd.Context(), slices.Concat(path, args, []string{toComplete}))
		},
	}
}

func (a *App) become(ctx context.Context, program string, args []string) error {
	programs, err := home.Siblings()
	if err != nil {
		return err
	}
	path, err := programs.Path(program)
	if err != nil {
		return err
	}
	return become(ctx, path, args)
}

// screen becomes the conversation.
func (a *App) screen(ctx context.Context, args []string) error {
	if a.noAutostart {
		args = append([]string{"--no-autostart"}, args...)
	}
	return a.become(ctx, "jarvis-tui", args)
}

func (a *App) chatCommand() *cobra.Command {
	var model string
	var newest bool
	cmd := &cobra.Command{
		Use:               "chat [SESSION]",
		Short:             a.t("Open a conversation, or continue one"),
		Args:              a.atMostOneSession,
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if newest && len(args) > 0 {
				return usageError(cmd, a.t("one conversation at a time"))
			}
			if newest {
				args = append([]string{"--continue"}, args...)
			}
			if model != "" {
				args = append([]string{"--model=" + model}, args...)
			}
			return a.screen(cmd.Context(), args)
		},
	}
	cmd.Flags().StringVarP(&model, "model", "m", "", a.t("`MODEL` to ask, e.g. anthropic/claude-sonnet-4-6 or an alias"))
	cmd.Flags().BoolVarP(&newest, "continue", "c", false, a.t("continue the newest conversation"))
	_ = cmd.RegisterFlagCompletionFunc("model", a.completeModels)
	return cmd
}

func (a *App) atMostOneSession(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError(cmd, a.t("one conversation at a time"))
	}
	return nil
}
