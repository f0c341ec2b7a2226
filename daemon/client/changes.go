package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
)

// changesWait is the longest pause between two tries to reach a daemon that has gone.
const changesWait = 2 * time.Second

// Changes yields the state that is in force and each one after it, until ctx ends; changes that came while nobody read count as
// one. A lost connection is taken up again, and a daemon that has ended is waited for: it is not started for this. An error is
// the last pair: a daemon that refuses, or one that is too old to tell.
func (c *Client) Changes(ctx context.Context) iter.Seq2[api.StateChange, error] {
	return func(yield func(api.StateChange, error) bool) {
		last, wait := "", 20*time.Millisecond
		for ctx.Err() == nil {
			h := http.Header{}
			if last != "" {
				h.Set("Last-Event-ID", last)
			}
			resp, err := c.do(ctx, call{method: http.MethodGet, path: "/api/events", header: h})
			if err != nil && ctx.Err() == nil && !errors.Is(err, ErrUnreachable) {
				yield(api.StateChange{}, err)
				return
			}
			before := last
			if err == nil && !readChanges(resp, &last, yield) {
				return
			}
			if last != before {
				wait = 20 * time.Millisecond
			}
			if sleep(ctx, wait) != nil {
				return
			}
			wait = min(2*wait, changesWait)
		}
	}
}

// readChanges reads one connection to its end. It tells whether more is wanted.
func readChanges(resp *http.Response, last *string, yield func(api.StateChange, error) bool) bool {
	defer resp.Body.Close()
	watch := time.AfterFunc(quiet, func() { _ = resp.Body.Close() })
	defer watch.Stop()
	for sse := newSSE(&alarm{r: resp.Body, t: watch}); ; {
		data, err := sse.next()
		if err != nil {
			return true
		}
		var e core.Event
		var d api.StateChange
		if e.UnmarshalJSON(data) != nil || e.Type != core.EventState || e.Detail(&d) != nil || d.Digest == *last {
			continue // what it does not know is for a younger reader
		}
		*last = d.Digest
		if !yield(d, nil) {
			return false
		}
	}
}
