package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// Watch ends a request whose provider has gone silent, and holds its answer to the limits. One Watch serves one request;
// Stop must be called. It costs one timer a request and two clock readings a read, because a busy daemon reads tens of
// thousands of events a second.
type Watch struct {
	parent context.Context //nolint:containedctx // a Watch lives exactly as long as its request
	ctx    context.Context //nolint:containedctx
	cancel context.CancelCauseFunc
	t      Timeouts
	start  time.Time
	timer  *time.Timer
	token  atomic.Bool  // the first delta came
	since  atomic.Int64 // when the read that is waiting began, in ns after start; 0 = no read waits
	waited atomic.Int64 // how long the reads before it have waited since the last delta, in ns
}

// silence is the cause of a request that was ended by its Watch.
type silence struct{ text string }

func (s *silence) Error() string { return s.text }

// NewWatch starts the wait for the first token, and gives the context that the request must run under.
func NewWatch(ctx context.Context, t Timeouts) (context.Context, *Watch) {
	w := &Watch{parent: ctx, t: t.Or(Timeouts{}), start: time.Now()}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(w.t.FirstToken, w.check)
	return w.ctx, w
}

// Stop releases the timer and ends the request if it still runs.
func (w *Watch) Stop() {
	w.timer.Stop()
	w.cancel(context.Canceled)
}

// Token says that a delta came which carries something. Comments and empty deltas do not count: a server that sends nothing
// else would hold a request for ever.
func (w *Watch) Token() {
	w.waited.Store(0)
	if !w.token.Swap(true) {
		w.timer.Reset(w.t.BetweenTokens)
	}
}

func (w *Watch) check() {
	now := time.Since(w.start)
	if !w.token.Load() {
		if now < w.t.FirstToken {
			w.timer.Reset(w.t.FirstToken - now)
			return
		}
		w.cancel(&silence{fmt.Sprintf("no answer within %s", w.t.FirstToken)})
		return
	}
	idle := time.Duration(w.waited.Load())
	if since := w.since.Load(); since != 0 { // a reader that is slow itself is not the provider's silence
		idle += now - time.Duration(since)
	}
	if idle < w.t.BetweenTokens {
		w.timer.Reset(max(w.t.BetweenTokens-idle, time.Millisecond)) // a slow reader may stay just below it
		return
	}
	w.cancel(&silence{fmt.Sprintf("the answer stopped: nothing came for %s", w.t.BetweenTokens)})
}

// The errors of a guarded body.
var (
	errLine   = errors.New("a line of the answer is over the limit")
	errAnswer = errors.New("the answer is over the limit")
)

// Body wraps an answer's body: reads are watched, a line over l.Line and an answer over l.Answer end it.
func (w *Watch) Body(rc io.ReadCloser, l Limits) io.ReadCloser {
	return &guarded{w: w, rc: rc, l: l.Or()}
}

// Events is Body for server-sent events, of which each is gathered until its empty line: all its lines together are held to
// l.Line.
func (w *Watch) Events(rc io.ReadCloser, l Limits) io.ReadCloser {
	return &guarded{w: w, rc: rc, l: l.Or(), events: true}
}

// eventNames is how many bytes an event may have beside its data.
const eventNames = 4 << 10

type guarded struct {
	w      *Watch
	rc     io.ReadCloser
	l      Limits
	events bool
	line   int
	event  int // bytes of the event's lines before this one
	total  int
}

func (g *guarded) Read(p []byte) (int, error) {
	began := max(1, int64(time.Since(g.w.start)))
	g.w.since.Store(began)
	n, err := g.rc.Read(p)
	g.w.since.Store(0)
	g.w.waited.Add(int64(time.Since(g.w.start)) - began)
	longest := 0
	for rest := p[:n]; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			g.line += len(rest)
			break
		}
		line := g.line + i
		longest = max(longest, line)
		if g.event += line; !g.events || line < 2 { // a line that is empty, or only has a carriage return
			g.event = 0
		}
		longest = max(longest, g.event-eventNames)
		g.line, rest = 0, rest[i+1:]
	}
	g.total += n
	switch {
	case max(longest, g.line) > g.l.Line:
		return 0, fmt.Errorf("%w of %d MiB", errLine, g.l.Line>>20)
	case g.total > g.l.Answer:
		return 0, fmt.Errorf("%w of %d MiB", errAnswer, g.l.Answer>>20)
	}
	return n, err
}

func (g *guarded) Close() error { return g.rc.Close() }

// drain is how long the end of an answer's body is waited for.
const drain = 200 * time.Millisecond

// Drain reads an answer's body to its end after the protocol's own end came, so that its connection can be used again. It
// does not wait for a server that keeps the body open.
func (w *Watch) Drain(body io.Reader) {
	t := time.AfterFunc(drain, w.Stop)
	defer t.Stop()
	_, _ = io.Copy(io.Discard, body) // only the connection's reuse depends on it
}
