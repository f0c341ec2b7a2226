package client

import (
	"context"
	"iter"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Changes yields the state that is in force and each one after it, until ctx ends; changes that came while nobody read count as
// one. A lost connection is taken up again, and a daemon that has ended is waited for: it is not started for this. An error is
// the last pair: a daemon that refuses, or one that is too old to tell.
func (c *Client) Changes(ctx context.Context) iter.Seq2[api.StateChange, error] {
	return func(yield func(api.StateChange, error) bool) {
		last := ""
		err := c.follow(ctx, stream{path: "/api/events", take: func(e core.Event) (string, bool) {
			var d api.StateChange
			if e.Type != core.EventState || e.Detail(&d) != nil || d.Digest == last {
				return "", true
			}
			last = d.Digest
			return last, yield(d, nil)
		}})
		if err != nil {
			yield(api.StateChange{}, err)
		}
	}
}
