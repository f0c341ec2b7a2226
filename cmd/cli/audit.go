package cli

import "github.com/spf13/cobra"

// auditCommand reads the audit file without a daemon.
func (a *App) auditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: a.t("Show and check the record of security-relevant actions"),
		Args:  a.noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, c := range [][2]string{
		{"tail", a.t("Print the last lines of the audit file")},
		{"verify", a.t("Check that no line of the audit file was changed, removed or cut off")},
		{"grep", a.t("Print the lines of the audit file that match")},
	} {
		cmd.AddCommand(a.offlineCommand(c[0], c[1], "audit"))
	}
	return cmd
}
