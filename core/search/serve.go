package search

import (
	"context"
	"time"
)

// Serve builds and keeps the index until ctx ends: what is new goes in before too much of it waits, erased sessions at once,
// and when nobody has searched for a while the index is closed.
func (s *Service) Serve(ctx context.Context) error {
	defer s.close()
	if _, err := s.keepUp(ctx); err != nil && ctx.Err() == nil { // what an earlier daemon left
		s.d.Log.Warn("Search index is behind", "error", err)
	}
	idle := time.NewTimer(idleClose)
	defer idle.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.wake:
			if err := s.finish(ctx); err != nil && ctx.Err() == nil {
				s.d.Log.Warn("Search index is not complete", "error", err)
			}
			idle.Reset(idleClose)
		case <-s.d.Store.Changed():
			used, err := s.keepUp(ctx)
			if err != nil && ctx.Err() == nil {
				s.d.Log.Warn("Search index is behind", "error", err)
			}
			if used {
				idle.Reset(idleClose)
			}
		case <-idle.C:
			s.close()
		}
	}
}

func (s *Service) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.d.Index.Close(); err != nil {
		s.d.Log.Warn("Search index did not close", "error", err)
	}
}

// finish builds on until the index is complete. Between two steps it lets searches in, and the machine breathe.
func (s *Service) finish(ctx context.Context) error {
	for {
		begin := s.d.Now()
		s.mu.Lock()
		st, err := s.state(ctx)
		if err == nil && !st.Built {
			err = s.build(ctx, &st)
		}
		s.mu.Unlock()
		if err != nil || st.Built {
			return err
		}
		if !pause(ctx, s.d.Now().Sub(begin)) {
			return ctx.Err()
		}
	}
}

// keepUp looks at what waits. Without an index nothing has to.
func (s *Service) keepUp(ctx context.Context) (used bool, err error) {
	if !s.d.Index.Exists() {
		last, err := s.d.Store.LastChange(ctx)
		if err != nil {
			return false, err
		}
		s.mu.Lock() // a first search may just be making one
		defer s.mu.Unlock()
		if s.d.Index.Exists() {
			return false, nil
		}
		s.unmerged = false
		return false, s.d.Store.Ack(ctx, last)
	}
	cs, err := s.d.Store.Changes(ctx, 0, behind)
	if err != nil {
		return false, err
	}
	erased := false
	for _, c := range cs {
		erased = erased || c.Erased()
	}
	if !erased && len(cs) < behind {
		return false, nil
	}
	if erased && !pause(ctx, erasePause) {
		return false, ctx.Err()
	}
	return true, s.keepUpNow(ctx, erased)
}

func (s *Service) keepUpNow(ctx context.Context, erased bool) error {
	for more := true; more; {
		s.mu.Lock()
		st, err := s.state(ctx)
		if err == nil {
			more, err = s.drain(ctx, &st)
		}
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	if !erased {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st, err := s.state(ctx)
	if err != nil {
		return err
	}
	if err := s.d.Index.Merge(ctx); err != nil {
		return err
	}
	s.unmerged = false
	return s.d.Store.Ack(ctx, st.Seq)
}

// pause reports whether ctx is still good after it.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
