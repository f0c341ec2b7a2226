package chat

import (
	"context"
	"errors"
	"sync"
	"time"

	"jarvis/core"
)

// run is one open chain in this process: who reads it, who wants it stopped, and where its last word is when the journal
// could not take it.
type run struct {
	id           core.ChainID
	user         core.UserID
	session      core.SessionID
	agent        core.AgentID
	lane         string
	home         home
	onDisconnect core.OnDisconnect
	created      time.Time

	ready  chan struct{} // closed when the intake's events are in the journal, or never will be
	broken chan struct{} // closed when the journal failed; final is set then

	writing sync.Mutex // held by whoever has the journal open: the one who drops the chain, or its lane

	mu       sync.Mutex // guards everything below
	readers  int
	timer    func() bool // the disconnect rule's, nil = not running
	waits    int         // how often it was started: one that fires late must not speak for a newer one
	running  bool
	over     bool
	reason   core.StopReason // asked for; "" = none
	cancel   context.CancelCauseFunc
	final    core.Event
	isBroken bool
	log      Log // kept open from the intake for the one who writes next
}

func newRun(c core.Chain, h home) *run {
	return &run{
		id: c.ID, user: c.User, session: c.Session, agent: c.Agent, lane: c.Lane, home: h, onDisconnect: c.OnDisconnect,
		created: c.Created, ready: make(chan struct{}), broken: make(chan struct{}),
	}
}

// open gives the chain's journal for writing: the one that was left open, else a new one. The caller holds r.writing.
func (r *run) open() (Log, error) {
	if log := r.left(); log != nil {
		return log, nil
	}
	return r.home.journal.Open(r.id)
}

// left takes the journal that was left open, nil when there is none.
func (r *run) left() Log {
	r.mu.Lock()
	defer r.mu.Unlock()
	log := r.log
	r.log = nil
	return log
}

// leave keeps an open journal for the next writer.
func (r *run) leave(log Log) {
	if _, dead := log.(deadLog); dead {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = log
}

// status says whether the chain waits for its turn or runs. One that is over is neither: it may still be held for readers
// when its journal is broken.
func (r *run) status() (queued, running bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.running && !r.over, r.running && !r.over
}

// stopCause is the reason in a run's cancelled context.
type stopCause struct{ reason core.StopReason }

func (c stopCause) Error() string { return "chain stopped: " + string(c.reason) }

// reasonOf gives the stop reason of an ended context; one that ended without us is a daemon that goes down.
func reasonOf(ctx context.Context) core.StopReason {
	var c stopCause
	if errors.As(context.Cause(ctx), &c) {
		return c.reason
	}
	return core.Interrupted
}

// stop asks the chain to end; the first reason counts. It reports whether the chain runs here, and so ends by itself.
func (r *run) stop(reason core.StopReason) (running bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reason == "" {
		r.reason = reason
	}
	if r.cancel != nil {
		r.cancel(stopCause{r.reason})
	}
	return r.running
}

// begin marks the chain as running; a stop that came before takes effect at once.
func (r *run) begin(cancel context.CancelCauseFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running, r.cancel = true, cancel
	if r.reason != "" {
		cancel(stopCause{r.reason})
	}
}

// end marks the chain as over: the disconnect rule no longer applies.
func (r *run) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if r.timer != nil {
		r.timer()
		r.timer = nil
	}
}

// fail keeps the terminal event for readers when the journal could not take it.
func (r *run) fail(final core.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isBroken {
		return
	}
	r.isBroken, r.final = true, final
	close(r.broken)
}

func (r *run) terminal() (core.Event, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.final, r.isBroken
}

// attach counts a reader in.
func (s *Service) attach(r *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readers++
	if r.timer != nil {
		r.timer()
		r.timer = nil
	}
}

// detach counts a reader out and starts the disconnect rule's clock after the last one.
func (s *Service) detach(ctx context.Context, r *run) {
	r.mu.Lock()
	r.readers--
	r.mu.Unlock()
	s.watch(ctx, r)
}

// watch starts the disconnect rule for a chain that nobody reads: it is stopped when nobody has come after ten seconds. A
// daemon that is going down has sent its readers away itself: then it stops nothing.
func (s *Service) watch(ctx context.Context, r *run) {
	ctx = context.WithoutCancel(ctx) // the reader's, who has gone
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.onDisconnect != core.Cancel || r.readers > 0 || r.over || r.timer != nil {
		return
	}
	r.waits++
	n := r.waits
	r.timer = s.d.After(disconnectGrace, func() {
		r.mu.Lock()
		alone := r.readers == 0 && !r.over && r.timer != nil && r.waits == n
		if r.waits == n {
			r.timer = nil
		}
		r.mu.Unlock()
		if alone && s.serving() {
			if err := s.end(ctx, r, core.ClientDisconnected); err != nil {
				s.d.Log.Error("Chain without readers cannot be stopped", "chain", r.id, "error", err)
			}
		}
	})
}

// run gives the entry of an open chain, making it when recovery or another door found the chain first. made says that this
// call made it, and must close ready.
func (s *Service) run(c core.Chain, h home) (r *run, made bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.runs[c.ID]; ok {
		return r, false
	}
	r = newRun(c, h)
	s.runs[c.ID] = r
	return r, true
}

func (s *Service) find(id core.ChainID) (*run, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.runs[id]
	return r, ok
}

// forget takes an ended chain out. One whose journal is broken stays for a while, because its last word is only here.
func (s *Service) forget(r *run) {
	r.end()
	drop := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.runs[r.id] == r {
			delete(s.runs, r.id)
		}
	}
	if _, broken := r.terminal(); broken {
		s.d.After(privateKept, drop)
	} else {
		drop()
	}
	if r.home.store == Store(s.private) {
		s.d.After(privateKept, func() { s.private.Forget(r.session) })
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for wake := range s.idle {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}
