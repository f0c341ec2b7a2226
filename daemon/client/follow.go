package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"jarvis/core"
)

const (
	// followFirst and followMost are the shortest and the longest pause between two tries to reach a daemon that has gone.
	followFirst = 20 * time.Millisecond
	followMost  = 2 * time.Second
)

// stream is an event stream that is followed for as long as somebody wants it.
type stream struct {
	path  string
	begin url.Values // query of the first request; later ones name the place of the last event
	// take gets each event and gives the place behind it, "" to leave it as it is; false ends the following.
	take func(core.Event) (place string, more bool)
}

// follow takes a lost connection up again where it was, and waits for a daemon that has ended: it is not started for this. It
// ends with ctx, when nobody wants more, or with what a daemon refuses.
func (c *Client) follow(ctx context.Context, s stream) error {
	last, wait := "", followFirst
	for ctx.Err() == nil {
		q := call{method: http.MethodGet, path: s.path, header: http.Header{}}
		if last == "" {
			q.query = s.begin
		} else {
			q.header.Set("Last-Event-ID", last)
		}
		resp, err := c.do(ctx, q)
		if err != nil && ctx.Err() == nil && !errors.Is(err, ErrUnreachable) {
			return err
		}
		before := last
		if err == nil && !s.read(resp, &last) {
			return nil
		}
		if last != before {
			wait = followFirst
		}
		if sleep(ctx, wait) != nil {
			return nil
		}
		wait = min(2*wait, followMost)
	}
	return nil
}

// read reads one connection to its end, and keeps the place of the last event. It tells whether more is wanted.
func (s stream) read(resp *http.Response, last *string) bool {
	defer resp.Body.Close()
	watch := time.AfterFunc(quiet, func() { _ = resp.Body.Close() })
	defer watch.Stop()
	for sse := newSSE(&alarm{r: resp.Body, t: watch}); ; {
		data, err := sse.next()
		if err != nil {
			return true // also behind an end in order: what is gone is refused then
		}
		var e core.Event
		if e.UnmarshalJSON(data) != nil {
			continue // what it does not know is for a younger reader
		}
		place, more := s.take(e)
		if place != "" {
			*last = place
		}
		if !more {
			return false
		}
	}
}
