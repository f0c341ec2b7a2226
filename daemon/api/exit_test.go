package api

import (
	"errors"
	"fmt"
	"testing"

	"jarvis/core"
)

func TestExit(t *testing.T) {
	of := func(c core.Code) error { return fmt.Errorf("op: %w", core.E(c, "it failed", "", nil)) }
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("other"), 1},
		{of(core.Internal), 1},
		{of(core.Unsupported), 1},
		{of(core.BadRequest), 2},
		{core.E(core.NotFound, "the daemon is not running", "", ErrUnreachable), 3},
		{of(core.Unauthorized), 4},
		{of(core.ScopeDenied), 4},
		{of(core.UserNotAllowed), 4},
		{of(core.NotFound), 5},
		{of(core.UpstreamUnavailable), 6},
		{of(core.RateLimited), 7},
		{of(core.TooLarge), 7},
		{of(core.BudgetExceeded), 7},
	} {
		if got := Exit(tt.err); got != tt.want {
			t.Errorf("%v: exit %d, want %d", tt.err, got, tt.want)
		}
	}
}

func TestExitOfChain(t *testing.T) {
	for stop, want := range map[core.StopReason]int{
		core.EndTurn: 0, core.Refused: 0, core.MaxIterations: 7, core.OverBudget: 7, core.TimedOut: 7, core.Loop: 1, core.Interrupted: 1,
		core.Stopped: 130, core.ClientDisconnected: 1, core.Failed: 1, "new": 1,
	} {
		if got := ExitOfStop(stop); got != want {
			t.Errorf("%s: exit %d, want %d", stop, got, want)
		}
	}
	for code, want := range map[core.Code]int{core.RateLimited: 6, core.UpstreamUnavailable: 6, core.TooLarge: 7, core.Internal: 1} {
		if got := ExitOfFailure(core.ErrorData{Code: code, Message: "it failed"}); got != want {
			t.Errorf("%s: exit %d, want %d", code, got, want)
		}
	}
}
