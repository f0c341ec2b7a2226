package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/home"
	"jarvis/daemon/locale"
)

// exit ends the command with a code; what there is to say has been said when err is nil.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// report prints an error with the next command to type and gives the exit code. It is the one place where both happen.
func (a *App) report(err error) int {
	if err == nil {
		return api.ExitOK
	}
	code := exitCode(err)
	var e exit
	if errors.As(err, &e) && e.err == nil {
		return code
	}
	a.explain(err)
	return code
}

// explain prints the sentence and the next command.
func (a *App) explain(err error) {
	hint := "jarvis help"
	if a.runs != "" {
		hint = a.runs + " --help"
	}
	var e *core.Error
	var place *home.Error
	if errors.As(err, &e) && e.Hint != "" {
		hint = e.Hint
	} else if errors.As(err, &place) && place.Hint != "" {
		hint = place.Hint
	} else if errors.Is(err, api.ErrUnreachable) {
		hint = "jarvis daemon start"
	}
	a.talk("jarvis: %s", locale.Message(a.lang(), err.Error()))
	for _, line := range locale.Try(a.t("Try:"), hint) {
		a.talk("%s", line)
	}
}

func exitCode(err error) int {
	var e exit
	if errors.As(err, &e) {
		return e.code
	}
	return api.Exit(err)
}

// usageError is an error of the command line: exit 2, and the hint is the command's own help.
func usageError(cmd *cobra.Command, message string) error {
	return core.E(core.BadRequest, message, cmd.CommandPath()+" --help", nil)
}

// noArgs refuses arguments; a word that is no command gets the nearest ones.
func (a *App) noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasParent() && strings.ContainsAny(args[0], " \t\n") {
		return core.E(core.BadRequest, a.t("a question needs the command ask in front of it"), "jarvis ask "+shellQuote(args[0]), nil)
	}
	message := a.tf("unknown command %q for %q", args[0], cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = 2 // letters apart
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return core.E(core.BadRequest, message, cmd.CommandPath()+" "+near[0], nil)
	}
	return usageError(cmd, message)
}
