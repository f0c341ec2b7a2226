package server

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
)

// maxPending is how much a stream holds for a slow reader; then the reading of the journal waits, so that a slow client
// costs a position in a file and not memory.
const maxPending = 64 << 10

// stream sends the events of an iterator as SSE. Two goroutines share two buffers: one follows the events and appends, the
// other writes whatever is there and flushes. So an event goes out at once when the stream has caught up, and many go out
// in one write when it has not.
type stream struct {
	c   core.Chain // whose events; of a session's stream only Session is set
	log *slog.Logger
	id  func(core.Event) string // what the reader resumes with; nil = the event's number

	mu      sync.Mutex // guards the fields below
	pending []byte
	done    bool
	err     error
	seen    bool   // an event was appended
	last    uint64 // its number

	wake chan struct{} // there is something to write, or done
	room chan struct{} // pending was taken
}

// A stream of a session says when there is nothing more to tell for now; readers of events ignore both lines.
var (
	keepAliveLine = []byte(": keep-alive\n\n")
	idleLine      = []byte(": idle\n\n")
)

// events answers with a stream of a chain's events. An error before the first event is returned and becomes an envelope;
// later the connection is cut, and the client resumes.
func (s *Server) events(w http.ResponseWriter, r *http.Request, c core.Chain, after uint64) error {
	w.Header().Set(api.ChainHeader, string(c.ID))
	return s.stream(w, r, &stream{c: c}, func(ctx context.Context) iter.Seq2[core.Event, error] {
		return s.c.Chat.Events(ctx, user(r), c.ID, after)
	})
}

// stream answers with the events that open gives.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, st *stream, open func(context.Context) iter.Seq2[core.Event, error]) error {
	if st.c.Session != "" {
		w.Header().Set(api.SessionHeader, string(st.c.Session))
	}
	ctx, cancel := context.WithCancel(r.Context())
	st.log, st.wake, st.room = s.c.Log, make(chan struct{}, 1), make(chan struct{}, 1)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		st.follow(ctx, open(ctx))
	}()
	// The iterator is left before the handler is: the count of a chain's readers is core/chat's, by its iterators.
	defer func() { <-finished }()
	defer cancel()
	return st.write(ctx, w, s.c.KeepAlive, s.c.Stopping)
}

// errCut ends a stream before its chain has: the reader sees a broken connection and comes back.
var errCut = core.E(core.UpstreamUnavailable, "the daemon is stopping", "jarvis daemon start", nil)

// follow appends every event until the iterator or the reader ends.
func (st *stream) follow(ctx context.Context, events iter.Seq2[core.Event, error]) {
	var err error
	defer func() {
		if p := recover(); p != nil {
			st.log.Error("Stream panicked", "chain", st.c.ID, "panic", p, "stack", string(debug.Stack()))
			err = st.failed()
		}
		st.mu.Lock()
		st.done, st.err = true, err
		st.mu.Unlock()
		signal(st.wake)
	}()
	for e, failed := range events {
		if failed != nil {
			err = failed
			return
		}
		if err = st.add(e); err != nil {
			return
		}
		for st.full() {
			select {
			case <-st.room:
			case <-ctx.Done():
				err = ctx.Err()
				return
			}
		}
	}
}

// failed ends a stream that cannot go on. A reader that has seen something gets a terminal event: cut off, it would come back and
// meet the same fault again and again.
func (st *stream) failed() error {
	err := core.E(core.Internal, "the daemon failed on this stream", "jarvis daemon logs", nil)
	st.mu.Lock()
	seen, last := st.seen, st.last
	st.mu.Unlock()
	if !seen || st.c.ID == "" {
		return err
	}
	e := core.Event{Type: core.EventError, Seq: last + 1, Chain: st.c.ID, Session: st.c.Session, Time: time.Now().UTC()}
	return st.add(e.With(core.ErrorData{Code: err.Code, Message: err.Message, Hint: err.Hint}))
}

func (st *stream) add(e core.Event) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if e.Type == "" {
		st.pending = append(st.pending, idleLine...)
		signal(st.wake)
		return nil
	}
	b := append(st.pending, "id: "...)
	if st.id != nil {
		b = append(b, st.id(e)...)
	} else {
		b = strconv.AppendUint(b, e.Seq, 10)
	}
	b = append(b, "\nevent: "...)
	b = append(b, e.Type...)
	b = append(b, "\ndata: "...)
	b, err := e.AppendJSON(b)
	if err != nil {
		return err
	}
	st.pending = append(b, '\n', '\n')
	st.seen, st.last = true, e.Seq
	signal(st.wake)
	return nil
}

func (st *stream) full() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return len(st.pending) > maxPending
}

// take swaps the buffers.
func (st *stream) take(spare []byte) (b []byte, done, seen bool, err error) {
	st.mu.Lock()
	b, st.pending = st.pending, spare[:0]
	done, seen, err = st.done, st.seen, st.err
	st.mu.Unlock()
	signal(st.room)
	return b, done, seen, err
}

func (st *stream) write(ctx context.Context, w http.ResponseWriter, every time.Duration, stopping <-chan struct{}) error {
	o := &sse{w: w, c: http.NewResponseController(w)}
	tick := time.NewTicker(every)
	defer tick.Stop()
	var spare []byte
	for {
		select {
		case <-st.wake:
		case <-tick.C:
			if o.begun {
				if err := o.send(keepAliveLine); err != nil {
					return nil //nolint:nilerr // the reader has gone
				}
			}
			continue
		case <-stopping:
			stopping = nil
			if done, err := st.finish(o, spare); done {
				return gone(ctx, err)
			}
			return errCut
		case <-ctx.Done():
			return nil
		}
		b, done, seen, err := st.take(spare)
		if done && err != nil && !seen {
			return gone(ctx, err)
		}
		if len(b) > 0 || done {
			if werr := o.send(b); werr != nil {
				return nil //nolint:nilerr // the reader has gone
			}
			tick.Reset(every)
		}
		if done {
			return gone(ctx, err)
		}
		if spare = b; cap(spare) > 2*maxPending {
			spare = nil
		}
	}
}

// finish writes what is there when the stream is about to be cut, and tells whether that was its end.
func (st *stream) finish(o *sse, spare []byte) (bool, error) {
	b, done, seen, err := st.take(spare)
	if len(b) > 0 {
		if werr := o.send(b); werr != nil {
			return true, nil //nolint:nilerr // the reader has gone
		}
	}
	return done && (err == nil || !seen), err
}

// gone is no error when the reader left.
func gone(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// sse writes blocks of a stream and flushes each.
type sse struct {
	w        http.ResponseWriter
	c        *http.ResponseController
	begun    bool
	deadline time.Time
}

func (o *sse) send(b []byte) error {
	// The deadline is moved now and then, not at each write: it keeps a dead reader from holding a goroutine for ever.
	if now := time.Now(); o.deadline.Sub(now) < writeTimeout/2 {
		o.deadline = now.Add(writeTimeout)
		if err := o.c.SetWriteDeadline(o.deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
	}
	if !o.begun {
		o.begun = true
		h := o.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		o.w.WriteHeader(http.StatusOK)
	}
	if len(b) > 0 {
		if _, err := o.w.Write(b); err != nil {
			return err
		}
	}
	return o.c.Flush()
}
