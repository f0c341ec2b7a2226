package local

import (
	"context"
	"fmt"
	"time"

	"jarvis/core/llm"
	"jarvis/core/llm/local/wire"
)

// exchange is one answer as it comes from the worker. It ends with the worker's last word about it, also when somebody asked
// for its end before: only then the worker is free for the next one.
type exchange struct {
	r       *runner
	id      uint64
	text    func(string) bool
	watch   *time.Timer // runs out when the worker makes no progress, or does not end what it was told to end
	stopped bool        // the worker was told to end it
	why     error       // the error that goes with that; nil = the reader had enough
}

// generate runs one answer. text gets each piece and returns false to end it; the result is nil when the worker had to be
// ended before it could say how far it came. The error is ctx's when ctx ended.
func (r *runner) generate(ctx context.Context, g *wire.Generate, text func(string) bool) (*wire.Done, error) {
	r.next++
	x := &exchange{r: r, id: r.next, text: text}
	if err := r.child.send(wire.Request{ID: x.id, Op: wire.OpGenerate, Generate: g}); err != nil {
		return nil, r.lost("answering")
	}
	x.watch = time.NewTimer(r.p.opts.Hang)
	defer x.watch.Stop()
	done, closed := ctx.Done(), r.p.closed
	for {
		select {
		case ev, ok := <-r.child.events:
			if !ok {
				return nil, x.broken()
			}
			if d, last, err := x.event(ev); last {
				return d, err
			}
		case <-done:
			done = nil
			x.cancel(ctx.Err())
		case <-closed:
			closed = nil
			x.cancel(r.closing())
		case <-x.watch.C:
			return nil, x.hung()
		}
	}
}

// cancel tells the worker to end the answer, once.
func (x *exchange) cancel(why error) {
	if x.stopped {
		return
	}
	x.stopped, x.why = true, why
	// a worker that cannot be told is found by the watch, or by its closed socket
	_ = x.r.child.send(wire.Request{ID: x.id, Op: wire.OpCancel})
	x.watch.Reset(x.r.p.grace)
}

// event takes one event; last means that the answer has ended.
func (x *exchange) event(ev wire.Event) (d *wire.Done, last bool, err error) {
	if ev.ID != x.id {
		return nil, false, nil
	}
	switch ev.Kind {
	case wire.EvDone:
		x.r.fails = 0
		return ev.Done, true, x.why
	case wire.EvError:
		if x.stopped {
			return nil, true, x.why
		}
		return nil, true, x.r.wireError(ev.Error)
	case wire.EvDelta:
		if !x.stopped && !x.text(ev.Text) {
			x.cancel(nil)
		}
	}
	if !x.stopped {
		x.watch.Reset(x.r.p.opts.Hang)
	}
	return nil, false, nil
}

// broken is what a closed socket means.
func (x *exchange) broken() error {
	if x.stopped {
		x.r.died()
		return x.why
	}
	return x.r.lost("answering")
}

// hung ends a worker that is silent.
func (x *exchange) hung() error {
	x.r.died()
	if x.stopped {
		return x.why
	}
	return x.r.err(llm.KindTimeout, fmt.Sprintf("the model worker made no progress for %s and was ended", x.r.p.opts.Hang), "jarvis daemon logs", nil)
}
