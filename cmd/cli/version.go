package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"jarvis/daemon/api"
)

func addVersion(root *cobra.Command, a *App) {
	root.Version = api.Version()
	root.SetVersionTemplate("jarvis {{.Version}}\n")
	root.Flags().Bool("version", false, a.t("print the version"))
}

func (a *App) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: a.t("Print the version"),
		Args:  a.noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.Out, "jarvis "+api.Version())
			return err
		},
	}
}
