package api

import (
	"errors"

	"jarvis/core"
)

// The exit codes of every program (DESIGN 11).
const (
	ExitOK          = 0
	ExitError       = 1
	ExitUsage       = 2
	ExitUnreachable = 3
	ExitNotAllowed  = 4
	ExitNotFound    = 5
	ExitProvider    = 6
	ExitLimit       = 7
	ExitStopped     = 130 // Ctrl-C, `session stop`
	ExitTerminated  = 143 // SIGTERM
)

// ErrUnreachable is in the chain of every error that says that no daemon answers.
var ErrUnreachable = errors.New("the daemon does not answer")

// exits maps what a program reads of an error to what a shell reads; every other code is ExitError.
var exits = map[core.Code]int{
	core.Unauthorized:        ExitNotAllowed,
	core.ScopeDenied:         ExitNotAllowed,
	core.UserNotAllowed:      ExitNotAllowed,
	core.NotFound:            ExitNotFound,
	core.RateLimited:         ExitLimit,
	core.UpstreamUnavailable: ExitProvider,
	core.BadRequest:          ExitUsage,
	core.TooLarge:            ExitLimit,
	core.BudgetExceeded:      ExitLimit,
}

// Exit is the exit code of an error that ends a program.
func Exit(err error) int {
	if err == nil {
		return ExitOK
	}
	if errors.Is(err, ErrUnreachable) {
		return ExitUnreachable
	}
	if code, ok := exits[core.CodeOf(err)]; ok {
		return code
	}
	return ExitError
}

// stops says for each reason why a chain ended what a shell reads and what people read; "" says nothing.
var stops = map[core.StopReason]struct {
	exit int
	why  string
}{
	core.EndTurn:       {ExitOK, ""},
	core.Refused:       {ExitOK, "the model declined to answer"},
	core.MaxIterations: {ExitLimit, "stopped: the model called tools too many times in a row"},
	core.OverBudget:    {ExitLimit, "stopped: the budget is used up"},
	core.TimedOut:      {ExitLimit, "stopped: the time is over"},
	core.Loop:          {ExitError, "stopped: the model repeated the same call with the same result"},
	core.Interrupted:   {ExitError, "interrupted: the daemon ended while this was being answered; what had come is kept"},
	core.Stopped:       {ExitStopped, "stopped; what had come is kept"},
	// Another program's client left; here it can only be seen by attaching to that chain.
	core.ClientDisconnected: {ExitError, "stopped: nobody was reading any more"},
}

// ExitOfStop is the exit code of a chain that ended for a reason, as its done event has it.
func ExitOfStop(s core.StopReason) int {
	if stop, ok := stops[s]; ok {
		return stop.exit
	}
	return ExitError
}

// WhyStopped is that reason as one English sentence, "" for a plain end.
func WhyStopped(s core.StopReason) string { return stops[s].why }

// ExitOfFailure is the exit code of a chain's error event. Inside a chain a rate limit is the provider's and not ours.
func ExitOfFailure(d core.ErrorData) int {
	if d.Code == core.RateLimited {
		return ExitProvider
	}
	return Exit(core.E(d.Code, d.Message, d.Hint, nil))
}
