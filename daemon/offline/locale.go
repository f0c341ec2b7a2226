package offline

import (
	"bytes"
	"io"

	"github.com/spf13/cobra"

	"jarvis/daemon/locale"
)

func (a *App) lang() string { return locale.Lang(a.Env.Get) }

// t is a sentence in the locale's language; the English one is the key.
func (a *App) t(s string) string { return messagesDE.Of(a.lang(), s) }

func (a *App) tf(format string, args ...any) string { return messagesDE.Of(a.lang(), format, args...) }

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
		_, err = io.WriteString(out, locale.Usage(a.lang(), text.String()))
		return err
	})
}
