package chat

import (
	"context"
	"time"

	"jarvis/core"
)

// lane is the goroutine of one lane. It is only a matter of economy: that one chain of a lane runs at a time, and in order,
// is decided by the store, in Claim and, where the lane is free, in Accept.
type lane struct {
	again bool // something was queued while the goroutine was about to end
}

// kick makes sure that a lane has a goroutine which looks for its next chain. Before readiness it does nothing.
func (s *Service) kick(name string, h home) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base == nil || s.draining {
		return
	}
	if l, ok := s.active[name]; ok {
		l.again = true
		return
	}
	l := &lane{}
	s.active[name] = l
	s.lanes.Add(1)
	go s.serveLane(s.base, name, h, l, nil)
}

// reserve takes the place of a lane's goroutine, so that a chain can be claimed with its acceptance; nil when the lane has one
// already or lanes do not run. Whoever has reserved must start serveLane.
func (s *Service) reserve(name string) (*lane, context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base == nil || s.draining || s.active[name] != nil {
		return nil, nil
	}
	l := &lane{}
	s.active[name] = l
	s.lanes.Add(1)
	return l, s.base
}

// serveLane executes claimed, when there is one, and then what it can claim until the lane is empty.
func (s *Service) serveLane(ctx context.Context, name string, h home, l *lane, claimed *core.Chain) {
	defer s.lanes.Done()
	if claimed != nil {
		s.execute(ctx, h, *claimed)
	}
	wait := retryFirst
	for {
		if s.leave(ctx, name, l, true) {
			return
		}
		// Whether it is claimed must be known also when the daemon goes down just now.
		c, ok, err := h.store.Claim(context.WithoutCancel(ctx), name, s.d.Self, s.d.Now())
		switch {
		case err != nil:
			if ctx.Err() == nil {
				s.d.Log.Error("Lane cannot be claimed", "lane", name, "error", err)
				s.pause(ctx, wait)
				wait = min(2*wait, retryMost)
			}
		case ok:
			wait = retryFirst
			s.execute(ctx, h, c)
		default:
			if s.leave(ctx, name, l, false) {
				return
			}
		}
	}
}

// leave ends a lane's goroutine when the service goes down or, with busy false, when nothing came in meanwhile.
func (s *Service) leave(ctx context.Context, name string, l *lane, busy bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() == nil && !s.draining {
		if busy {
			return false
		}
		if l.again {
			l.again = false
			return false
		}
	}
	delete(s.active, name)
	return true
}

// pause waits by the injected clock.
func (s *Service) pause(ctx context.Context, d time.Duration) {
	ch := make(chan struct{})
	stop := s.d.After(d, func() { close(ch) })
	defer stop()
	select {
	case <-ch:
	case <-ctx.Done():
	}
}

// execute runs one claimed chain to its end.
func (s *Service) execute(ctx context.Context, h home, c core.Chain) {
	r, made := s.run(c, h)
	if made {
		close(r.ready)
	}
	<-r.ready
	r.writing.Lock()
	defer r.writing.Unlock()
	cctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.begin(cancel)
	defer s.forget(r)
	t := &turn{s: s, r: r, c: c, set: s.settings(), rec: recorder{seen: map[string]bool{}}}
	stop, err := t.start(cctx, cancel)
	t.end(ctx, stop, err)
}
