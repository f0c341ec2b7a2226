package daemon

import (
	"context"
	"iter"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/config"
)

// changes tells screens when another configuration is in force. A reader has a digest as its place and nothing is kept for it,
// so a slow one costs nothing and finds what is so then.
type changes struct{ conf *config.Live }

// Events implements server.Changes.
func (c changes) Events(ctx context.Context, after string) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		wake := make(chan struct{}, 1)
		stop := c.conf.Subscribe(func(_, _ *config.Config) {
			select {
			case wake <- struct{}{}:
			default: // it has not looked since the last change
			}
		})
		defer stop()
		for seq := uint64(1); ; {
			if _, digest := c.conf.Snapshot(); digest != after {
				e := core.Event{Type: core.EventState, Seq: seq, Time: time.Now().UTC()}
				if !yield(e.With(api.StateChange{State: api.StateSettings, Digest: digest}), nil) {
					return
				}
				after = digest
				seq++
			}
			if !yield(core.Event{}, nil) {
				return
			}
			select {
			case <-wake:
			case <-ctx.Done():
				return
			}
		}
	}
}
