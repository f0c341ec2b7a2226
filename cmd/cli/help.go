package cli

import (
	"bytes"

	"github.com/spf13/cobra"

	"jarvis/daemon/locale"
)

// speakUsage puts the frame of every command's help into the locale's language.
func (a *App) speakUsage(root *cobra.Command) {
	plain := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		out := cmd.OutOrStderr()
		var text bytes.Buffer
		cmd.SetOut(&text)
		err := plain(cmd)
		cmd.SetOut(out)
		if err != nil {
			return err
		}
		return writeAll(out, locale.Usage(a.lang(), text.String()))
	})
}
