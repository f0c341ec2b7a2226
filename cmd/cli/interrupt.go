package cli

import (
	"context"
	"os/signal"
)

// untilInterrupted ends the context at Ctrl-C or when the terminal goes.
func (a *App) untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, stopSignals...)
}
