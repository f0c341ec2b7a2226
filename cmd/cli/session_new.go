package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
)

// maxContextFile is the largest file that is read as a context, in bytes; what the daemon takes is less.
const maxContextFile = 512 << 10

func (a *App) sessionNew() *cobra.Command {
	var n api.SessionNew
	var context string
	cmd := &cobra.Command{
		Use:     "new",
		Short:   a.t("Begin a conversation without asking anything yet"),
		Example: "  jarvis session new --title 'Tax return' --context notes.txt\n  jarvis ask -s 3fa9c1 'What is missing?'",
		Args:    a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if n.Context, err = a.context(context); err != nil {
				return err
			}
			return a.withClient(func(c *client.Client) error {
				s, err := c.NewSession(cmd.Context(), n)
				if err != nil {
					return err
				}
				return a.print(s, func(w io.Writer) { fmt.Fprintf(w, "%s  %s\n", core.Short(string(s.ID)), a.shown(s.Title)) })
			})
		},
	}
	cmd.Flags().StringVar(&n.Title, "title", "", a.t("its `TITLE`, one line; without it the first question's first line"))
	cmd.Flags().StringVarP(&n.Model, "model", "m", "", a.t("`MODEL` that answers in it"))
	cmd.Flags().StringVar(&context, "context", "", a.t("`FILE` whose text goes with every question; - is stdin"))
	return cmd
}

// context reads the text of --context; without a file there is none.
func (a *App) context(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	var (
		b   []byte
		err error
	)
	switch {
	case name != "-":
		b, err = readFile(name, maxContextFile)
	case a.In != nil:
		if b, err = io.ReadAll(io.LimitReader(a.In, maxContextFile+1)); err == nil && len(b) > maxContextFile {
			err = errTooLarge
		}
	}
	if errors.Is(err, errTooLarge) {
		return "", core.E(core.TooLarge, a.t("the context is too long"), "jarvis session edit --help", err)
	}
	if err != nil {
		return "", a.fileError("--context", name, err)
	}
	return a.text(b)
}
