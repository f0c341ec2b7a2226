package llama

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"jarvis/core/llm/local/wire"
)

// Main is the worker: it serves the socket it was started with until that closes, and returns the exit code.
func Main() int {
	conn, err := inherited()
	if err != nil {
		fmt.Fprintln(os.Stderr, "jarvis-model is started by the jarvis daemon and has no commands of its own:", err)
		return 2
	}
	behave()
	w := &worker{out: wire.NewWriter(conn), jobs: make(chan job, 1), cancels: map[uint64]context.CancelFunc{}}
	go w.work()
	// Whatever native code is doing, the worker ends with the daemon: this goroutine never waits for it.
	if err := w.read(wire.NewReader(conn)); err != nil {
		fmt.Fprintln(os.Stderr, "jarvis-model:", err)
		return 1
	}
	return 0
}

type job struct {
	ctx context.Context
	req wire.Request
}

// worker joins the socket with the engine. read runs in one goroutine and answers cancels at once; work runs in another, which
// alone touches the engine.
type worker struct {
	out   *wire.Writer
	jobs  chan job
	abort atomic.Bool
	beats atomic.Uint64

	mu      sync.Mutex // guards cancels
	cancels map[uint64]context.CancelFunc

	eng *engine
}

// read takes requests until the socket closes (nil) or something else than the protocol does.
func (w *worker) read(r *wire.Reader) error {
	for {
		var req wire.Request
		if err := r.Read(&req); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		switch req.Op {
		case wire.OpCancel:
			w.cancel(req.ID)
		default:
			ctx, cancel := context.WithCancel(context.Background())
			w.mu.Lock()
			w.cancels[req.ID] = cancel
			w.mu.Unlock()
			select {
			case w.jobs <- job{ctx, req}:
			default:
				w.end(req.ID)
				if err := w.fail(req.ID, &wire.Error{Code: wire.ErrRequest, Message: "one request at a time"}); err != nil {
					return err
				}
			}
		}
	}
}

func (w *worker) cancel(id uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.cancels[id]; c != nil {
		c()
	}
}

func (w *worker) end(id uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.cancels[id]; c != nil {
		c()
		delete(w.cancels, id)
	}
}

func (w *worker) work() {
	runtime.LockOSThread()
	for j := range w.jobs {
		ev := w.do(j)
		ev.ID = j.req.ID
		w.end(j.req.ID)
		if err := w.out.Write(ev); err != nil {
			return // the reader sees the closed socket too
		}
	}
}

// do runs one request and returns the event that ends it.
func (w *worker) do(j job) wire.Event {
	stop := w.pulse(j.req.ID)
	defer stop()
	w.abort.Store(false)
	defer context.AfterFunc(j.ctx, func() { w.abort.Store(true) })()
	switch {
	case j.req.Op == wire.OpLoad && j.req.Load != nil && w.eng == nil:
		return w.load(*j.req.Load)
	case j.req.Op == wire.OpGenerate && j.req.Generate != nil && w.eng != nil:
		d, err := w.eng.generate(j.ctx, j.req.Generate, func(s string) error {
			return w.out.Write(wire.Event{ID: j.req.ID, Kind: wire.EvDelta, Text: s})
		})
		if err != nil {
			return failure(err)
		}
		return wire.Event{Kind: wire.EvDone, Done: d}
	}
	return failure(&wire.Error{Code: wire.ErrRequest, Message: "unknown or untimely operation " + fmt.Sprintf("%.20q", j.req.Op)})
}

func (w *worker) load(l wire.Load) wire.Event {
	start := time.Now()
	e, err := open(l, &w.abort, &w.beats)
	if err != nil {
		return failure(err)
	}
	w.eng = e
	return wire.Event{Kind: wire.EvLoaded, Loaded: &wire.Loaded{
		Window: e.window, Train: e.trained(), Desc: e.desc(), TookMS: time.Since(start).Milliseconds(),
	}}
}

// pulse tells the daemon once a second that native code is moving; a worker that hangs says nothing.
func (w *worker) pulse(id uint64) (stop func()) {
	done := make(chan struct{})
	go func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		last := w.beats.Load()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				if now := w.beats.Load(); now != last {
					last = now
					if w.out.Write(wire.Event{ID: id, Kind: wire.EvAlive}) != nil {
						return
					}
				}
			}
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}

func (w *worker) fail(id uint64, err *wire.Error) error {
	return w.out.Write(wire.Event{ID: id, Kind: wire.EvError, Error: err})
}

func failure(err error) wire.Event {
	var e *wire.Error
	if !errors.As(err, &e) {
		e = &wire.Error{Code: wire.ErrNative, Message: err.Error()}
	}
	return wire.Event{Kind: wire.EvError, Error: e}
}
