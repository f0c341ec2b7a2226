package offline

import (
	"context"
	"errors"
	"io"

	"charm.land/huh/v2"
)

// errAborted is Ctrl-C at a question.
var errAborted = errors.New("aborted")

// Asker asks a person. Ctrl-C is errAborted.
type Asker interface {
	Choose(ctx context.Context, title string, options []string) (int, error)
	Text(ctx context.Context, title, preset string) (string, error)
	Secret(ctx context.Context, title string) (string, error)
	Confirm(ctx context.Context, title string) (bool, error)
}

// forms asks on the terminal. plain asks line by line, for terminals that cannot move the cursor.
type forms struct {
	in    io.Reader
	out   io.Writer
	plain bool
}

func (f forms) run(ctx context.Context, field huh.Field) error {
	err := huh.NewForm(huh.NewGroup(field)).WithInput(f.in).WithOutput(f.out).WithAccessible(f.plain).WithShowHelp(true).RunWithContext(ctx)
	if errors.Is(err, huh.ErrUserAborted) {
		return errAborted
	}
	return err
}

// Choose gives the index of the chosen option.
func (f forms) Choose(ctx context.Context, title string, options []string) (int, error) {
	chosen := 0
	var list []huh.Option[int]
	for i, o := range options {
		list = append(list, huh.NewOption(o, i))
	}
	err := f.run(ctx, huh.NewSelect[int]().Title(title).Options(list...).Value(&chosen))
	return chosen, err
}

// Text asks for one line.
func (f forms) Text(ctx context.Context, title, preset string) (string, error) {
	s := preset
	err := f.run(ctx, huh.NewInput().Title(title).Value(&s))
	return s, err
}

// Secret asks for one line that is not shown.
func (f forms) Secret(ctx context.Context, title string) (string, error) {
	s := ""
	err := f.run(ctx, huh.NewInput().Title(title).EchoMode(huh.EchoModePassword).Value(&s))
	return s, err
}

// Confirm asks for yes or no.
func (f forms) Confirm(ctx context.Context, title string) (bool, error) {
	yes := true
	err := f.run(ctx, huh.NewConfirm().Title(title).Value(&yes))
	return yes, err
}
