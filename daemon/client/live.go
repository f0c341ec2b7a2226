package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"jarvis/core"
)

// SessionEvents yields the events of a session's chains, from what is open now on, as they come, until ctx ends or the session is
// erased. A lost connection is taken up again where it was, and a daemon that has ended is waited for: it is not started for this.
// An error is the last pair.
func (c *Client) SessionEvents(ctx context.Context, id core.SessionID) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		last, wait := "", 20*time.Millisecond
		for ctx.Err() == nil {
			q := call{method: http.MethodGet, path: sessionPath(string(id), "/events"), header: http.Header{}}
			if last == "" {
				q.query = url.Values{"after": {"end"}}
			} else {
				q.header.Set("Last-Event-ID", last)
			}
			resp, err := c.do(ctx, q)
			if err != nil && ctx.Err() == nil && !errors.Is(err, ErrUnreachable) {
				yield(core.Event{}, err)
				return
			}
			before := last
			if err == nil && !readSession(resp, &last, yield) {
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

// readSession reads one connection to its end, and keeps the place of the last event. It tells whether more is wanted.
func readSession(resp *http.Response, last *string, yield func(core.Event, error) bool) bool {
	defer resp.Body.Close()
	watch := time.AfterFunc(quiet, func() { _ = resp.Body.Close() })
	defer watch.Stop()
	for sse := newSSE(&alarm{r: resp.Body, t: watch}); ; {
		data, err := sse.next()
		if err != nil {
			return true // also behind an end in order: a session that is gone is refused then
		}
		var e core.Event
		if e.UnmarshalJSON(data) != nil {
			continue
		}
		if *last = string(e.Chain); !e.Type.Terminal() {
			*last += ":" + strconv.FormatUint(e.Seq, 10)
		}
		if !yield(e, nil) {
			return false
		}
	}
}
