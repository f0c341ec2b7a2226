package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"

	"jarvis/core"
)

// SessionEvents yields the events of a session's chains, from what is open now on, as they come, until ctx ends or the session is
// erased. A lost connection is taken up again where it was, and a daemon that has ended is waited for: it is not started for this.
// An error is the last pair.
func (c *Client) SessionEvents(ctx context.Context, id core.SessionID) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		err := c.follow(ctx, stream{
			path: sessionPath(string(id), "/events"), begin: url.Values{"after": {"end"}},
			take: func(e core.Event) (string, bool) {
				place := string(e.Chain)
				if !e.Type.Terminal() {
					place += ":" + strconv.FormatUint(e.Seq, 10)
				}
				return place, yield(e, nil)
			},
		})
		if err != nil {
			yield(core.Event{}, err)
		}
	}
}
