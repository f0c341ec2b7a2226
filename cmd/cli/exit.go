package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/client"
	"jarvis/daemon/home"
)

// The exit codes of DESIGN 11.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitUnreachable = 3
	exitNotAllowed  = 4
	exitNotFound    = 5
	exitProvider    = 6
	exitLimit       = 7
	exitStopped     = 130
)

// exitError ends the command with a code; what there is to say has been said when Err is nil.
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

// codeExits maps what a program reads of an error to what a shell reads.
var codeExits = map[core.Code]int{
	core.Unauthorized:        exitNotAllowed,
	core.ScopeDenied:         exitNotAllowed,
	core.UserNotAllowed:      exitNotAllowed,
	core.NotFound:            exitNotFound,
	core.RateLimited:         exitLimit,
	core.UpstreamUnavailable: exitProvider,
	core.BadRequest:          exitUsage,
	core.TooLarge:            exitLimit,
	core.BudgetExceeded:      exitLimit,
	core.Unsupported:         exitError,
}

// stopExits maps why a chain ended.
var stopExits = map[core.StopReason]int{
	core.EndTurn:       exitOK,
	core.Refused:       exitOK,
	core.MaxIterations: exitLimit,
	core.OverBudget:    exitLimit,
	core.TimedOut:      exitLimit,
	core.Loop:          exitError,
	core.Interrupted:   exitError,
	core.Stopped:       exitStopped,
	// Another program's client left; here it can only be seen by attaching to that chain.
	core.ClientDisconnected: exitError,
}

// report prints an error with the next command to type and gives the exit code. It is the one place where both happen.
func (a *App) report(err error) int {
	if err == nil {
		return exitOK
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
	var e *core.Error
	var place *home.Error
	if errors.As(err, &e) && e.Hint != "" {
		hint = e.Hint
	} else if errors.As(err, &place) && place.Hint != "" {
		hint = place.Hint
	} else if errors.Is(err, client.ErrUnreachable) {
		hint = "jarvis daemon start"
	}
	a.talk("jarvis: %s", err.Error())
	for i, line := range strings.Split(hint, "\n") {
		label := a.t("Try:")
		if i > 0 {
			label = strings.Repeat(" ", len(label))
		}
		a.talk("%s %s", label, line)
	}
}

func exitCode(err error) int {
	var e exit
	if errors.As(err, &e) {
		return e.code
	}
	if errors.Is(err, client.ErrUnreachable) {
		return exitUnreachable
	}
	if code, ok := codeExits[core.CodeOf(err)]; ok {
		return code
	}
	return exitError
}

// usageError is an error of the command line: exit 2, and the hint is the command's own help.
func usageError(cmd *cobra.Command, message string) error {
	return core.E(core.BadRequest, message, cmd.CommandPath()+" --help", nil)
}

// noArgs refuses arguments; a word that is no command gets the nearest ones.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	message := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = 2 // letters apart
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return core.E(core.BadRequest, message, cmd.CommandPath()+" "+near[0], nil)
	}
	return usageError(cmd, message)
}
