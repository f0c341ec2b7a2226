package chat

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"jarvis/core"
)

// The fixed times of the service.
const (
	disconnectGrace = 10 * time.Second // a chain with `cancel` lives that long without a reader
	stopGrace       = 2 * time.Second  // what a tool gets to end after its chain was stopped
	privateKept     = 10 * time.Minute // how long a private chain can be read after its end
	retryFirst      = time.Second      // waiting time before a store that failed is asked again
	retryMost       = 30 * time.Second
)

// Service runs chains. Make one with New, run Serve, and end with Drain.
type Service struct {
	d       Deps
	disk    home
	private *Memory

	ready     chan struct{} // closed when recovery is done
	readyOnce sync.Once
	lanes     sync.WaitGroup

	healing sync.Mutex // one at a time gives an ended chain its missing terminal event

	mu       sync.Mutex // guards everything below; a run's own mu may be taken inside it, never the other way round
	base     context.Context
	draining bool
	runs     map[core.ChainID]*run  // every open chain this process knows
	active   map[string]*lane       // lanes that have a goroutine
	idle     map[chan struct{}]bool // woken when a chain ends
	resting  map[core.SessionID]int // turns that go without a summary, because asking for one was of no use
}

// home is where a chain's things are kept: on disk, or for a private one in memory.
type home struct {
	store   Store
	journal Journal
}

// New makes a service. Deps without Log log nowhere.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	private := NewMemory()
	private.files, _ = d.Blobs.(*Files)
	return &Service{
		d:       d,
		disk:    home{store: d.Store, journal: d.Journal},
		private: private,
		ready:   make(chan struct{}),
		runs:    map[core.ChainID]*run{},
		active:  map[string]*lane{},
		idle:    map[chan struct{}]bool{},
		resting: map[core.SessionID]int{},
	}
}

// Ready is closed when recovery is done and lanes run.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// Load is what the service is doing.
type Load struct {
	Running  int
	Queued   int
	QueueAge time.Duration // of the oldest queued chain
}

// Running counts the open chains.
func (s *Service) Running() Load {
	now := s.d.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	var l Load
	for _, r := range s.runs {
		queued, running := r.status()
		switch {
		case running:
			l.Running++
		case queued:
			l.Queued++
			l.QueueAge = max(l.QueueAge, now.Sub(r.created))
		}
	}
	return l
}

// Serve closes what a crash left, then runs lanes until ctx ends; what still runs then is interrupted.
func (s *Service) Serve(ctx context.Context) error {
	lanes, claimed, err := s.recover(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.base = ctx
	// Chains that were accepted before readiness have waited for it.
	for _, r := range s.runs {
		lanes[r.lane] = r.home
	}
	// Lanes with a claimed chain are taken before anybody else can: nothing more is claimed in them until it has ended.
	for name, c := range claimed {
		l := &lane{}
		s.active[name] = l
		s.lanes.Add(1)
		go s.serveLane(ctx, name, s.disk, l, &c)
	}
	s.mu.Unlock()
	s.readyOnce.Do(func() { close(s.ready) })
	for name, h := range lanes {
		s.kick(name, h)
	}
	s.watchAll(ctx)
	<-ctx.Done()
	s.mu.Lock()
	s.base = nil
	s.mu.Unlock()
	s.lanes.Wait()
	s.closeLogs()
	return ctx.Err()
}

// watchAll starts the disconnect rule for the chains that were there before readiness.
func (s *Service) watchAll(ctx context.Context) {
	s.mu.Lock()
	rs := slices.Collect(maps.Values(s.runs))
	s.mu.Unlock()
	for _, r := range rs {
		s.watch(ctx, r)
	}
}

// serving reports whether lanes run and nothing is being shut down.
func (s *Service) serving() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base != nil && !s.draining
}

// closeLogs closes the journals that wait for a lane which will not come any more.
func (s *Service) closeLogs() {
	s.mu.Lock()
	rs := slices.Collect(maps.Values(s.runs))
	s.mu.Unlock()
	for _, r := range rs {
		if !r.writing.TryLock() {
			continue
		}
		if log := r.left(); log != nil {
			if err := log.Close(); err != nil {
				s.d.Log.Error("Journal cannot be closed", "chain", r.id, "error", err)
			}
		}
		r.writing.Unlock()
	}
}

// Drain stops the intake and lets what runs finish until ctx ends; then the rest is interrupted, which takes at most a few
// seconds. Queued chains stay queued and run after the next start.
func (s *Service) Drain(ctx context.Context) error {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	if s.waitIdle(ctx.Done()) {
		return nil
	}
	for _, r := range s.runningRuns() {
		r.stop(core.Interrupted)
	}
	limit := make(chan struct{})
	cancel := s.d.After(2*stopGrace, func() { close(limit) })
	defer cancel()
	if !s.waitIdle(limit) {
		return core.E(core.Internal, "a chain did not end in time", "", ctx.Err())
	}
	return nil
}

// waitIdle waits until nothing runs; false when until is closed first.
func (s *Service) waitIdle(until <-chan struct{}) bool {
	wake := make(chan struct{}, 1)
	s.mu.Lock()
	s.idle[wake] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.idle, wake)
		s.mu.Unlock()
	}()
	for len(s.runningRuns()) > 0 {
		select {
		case <-wake:
		case <-until:
			return false
		}
	}
	return true
}

func (s *Service) runningRuns() []*run {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*run
	for _, r := range s.runs {
		if _, running := r.status(); running {
			out = append(out, r)
		}
	}
	return out
}

// homeOf says where a chain's things are.
func (s *Service) homeOf(id core.ChainID) home {
	if s.private.Has(id) {
		return home{store: s.private, journal: s.private.Journal()}
	}
	return s.disk
}

// Chain reads one chain of a user; another user's is core.NotFound.
func (s *Service) Chain(ctx context.Context, user core.UserID, id core.ChainID) (core.Chain, error) {
	c, err := s.homeOf(id).store.Chain(ctx, id)
	if err != nil {
		return core.Chain{}, err
	}
	if c.User != user {
		return core.Chain{}, notFound("chain", string(id))
	}
	return c, nil
}

func notFound(what, id string) error {
	return core.E(core.NotFound, "there is no "+what+" "+core.Short(id), "jarvis session list --all", nil)
}
