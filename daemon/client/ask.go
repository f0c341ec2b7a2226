package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"strconv"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
)

// A lost stream is taken up again for as long as patience since its last sign of life (the daemon gives up a reader after ten
// seconds); silence longer than quiet, in which several keep-alives are missing, counts as lost.
const (
	patience = 15 * time.Second
	quiet    = 60 * time.Second
)

// Ask sends a message and yields the chain's events until its end. A lost connection is taken up again, also at a daemon
// that was started anew, and no event comes twice. An error is the last pair.
func (c *Client) Ask(ctx context.Context, req api.Chat) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		if req.Chain == "" {
			req.Chain = c.NewChainID()
		}
		body, err := json.Marshal(req)
		if err != nil {
			yield(core.Event{}, core.E(core.BadRequest, "the request cannot be sent", "", err))
			return
		}
		f := follower{c: c, chain: req.Chain, body: body}
		f.run(ctx, yield)
	}
}

// Events yields a chain's events after a number until its end, like Ask.
func (c *Client) Events(ctx context.Context, id core.ChainID, after uint64) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		f := follower{c: c, chain: id, seen: after}
		f.run(ctx, yield)
	}
}

// follower reads one chain over as many connections as it takes.
type follower struct {
	c     *Client
	chain core.ChainID
	body  []byte // of the request; nil only attaches
	seen  uint64 // number of the last event that was yielded
}

// verdict is what one connection came to.
type verdict int

const (
	finished verdict = iota // the terminal event, or the reader has enough
	lost                    // to be taken up again
	ended                   // the daemon closed the stream in order
)

func (f *follower) run(ctx context.Context, yield func(core.Event, error) bool) {
	alive := time.Now()
	wait := 20 * time.Millisecond
	for {
		before := f.seen
		resp, err := f.connect(ctx)
		v := lost
		if err == nil {
			v, err = f.read(resp, yield)
		}
		switch {
		case v == finished:
			return
		case ctx.Err() != nil:
			yield(core.Event{}, ctx.Err())
			return
		case v == ended && f.seen == before:
			return // nothing after what is known
		case f.seen > before:
			alive, wait = time.Now(), 20*time.Millisecond
		}
		if err != nil && !f.again(err) || time.Since(alive) > patience {
			if err == nil {
				err = f.c.unreachable(errLost)
			}
			yield(core.Event{}, err)
			return
		}
		if err := sleep(ctx, wait); err != nil {
			yield(core.Event{}, err)
			return
		}
		wait = min(2*wait, time.Second)
	}
}

// again tells a connection that may come back from a refusal. A daemon that goes in the middle of an answer may be restarted by
// somebody else.
func (f *follower) again(err error) bool {
	return errors.Is(err, errLost) || f.seen > 0 && notRunning(err)
}

// connect sends the request until something of its chain was seen: the chain's id makes the second one attach to the first.
// Later it asks for what follows.
func (f *follower) connect(ctx context.Context) (*http.Response, error) {
	if f.seen == 0 && f.body != nil {
		return f.c.do(ctx, call{method: http.MethodPost, path: "/api/chat", body: f.body, start: true})
	}
	h := http.Header{}
	h.Set("Last-Event-ID", strconv.FormatUint(f.seen, 10))
	resp, err := f.c.do(ctx, call{method: http.MethodGet, path: "/api/chains/" + string(f.chain) + "/events", header: h, start: true})
	if f.body != nil && core.CodeOf(err) == core.NotFound {
		// Only a private chain leaves nothing behind when its daemon ends.
		return nil, core.E(core.Internal, "the daemon ended before the answer was complete", "jarvis daemon logs", err)
	}
	return resp, err
}

func (f *follower) read(resp *http.Response, yield func(core.Event, error) bool) (verdict, error) {
	defer resp.Body.Close()
	watch := time.AfterFunc(quiet, func() { _ = resp.Body.Close() })
	defer watch.Stop()
	sse := newSSE(&alarm{r: resp.Body, t: watch})
	for {
		data, err := sse.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return ended, nil
			}
			if errors.Is(err, errLongLine) {
				return lost, core.E(core.TooLarge, "the daemon sent a line of more than 64 MiB", "jarvis session list", err)
			}
			return lost, f.c.unreachable(err)
		}
		var e core.Event
		if err := e.UnmarshalJSON(data); err != nil {
			return lost, core.E(core.Internal, "the daemon sent an event that is not JSON", "jarvis daemon restart", err)
		}
		if e.Seq <= f.seen {
			continue
		}
		f.seen = e.Seq
		if !yield(e, nil) || e.Type.Terminal() {
			return finished, nil
		}
	}
}

// alarm puts the timer back at each sign of life.
type alarm struct {
	r io.Reader
	t *time.Timer
}

func (a *alarm) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if n > 0 {
		a.t.Reset(quiet)
	}
	return n, err
}
