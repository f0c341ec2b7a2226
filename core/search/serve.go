package search

import (
	"context"
	"slices"
	"time"

	"jarvis/core"
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
			if _, err := s.keepUp(ctx); err != nil && ctx.Err() == nil { // a merge that a search interrupted
				s.d.Log.Warn("Search index is behind", "error", err)
			}
			s.close()
		}
	}
}

func (s *Service) close() {
	s.busy <- struct{}{}
	defer s.unlock()
	if err := s.d.Index.Close(); err != nil {
		s.d.Log.Warn("Search index did not close", "error", err)
	}
}

// finish builds on until the index is complete. Between two steps it lets searches in, and the machine breathe.
func (s *Service) finish(ctx context.Context) error {
	for {
		begin := s.d.Now()
		if err := s.lock(ctx); err != nil {
			return err
		}
		st, err := s.state(ctx)
		if err == nil && !st.Built {
			err = s.build(ctx, &st)
		}
		s.unlock()
		if err != nil || st.Built {
			return err
		}
		if !pause(ctx, s.d.Now().Sub(begin)) {
			return ctx.Err()
		}
	}
}

// keepUp looks at what waits. Without an index nothing has to; then the feed is only kept from growing.
func (s *Service) keepUp(ctx context.Context) (used bool, err error) {
	cs, err := s.d.Store.Changes(ctx, 0, behind)
	if err != nil {
		return false, err
	}
	erased := slices.ContainsFunc(cs, core.Change.Erased)
	if !erased && len(cs) < behind {
		return false, nil
	}
	if !s.d.Index.Exists() {
		return false, s.forget(ctx)
	}
	if erased && !pause(ctx, erasePause) {
		return false, ctx.Err()
	}
	return true, s.keepUpNow(ctx)
}

// forget empties the feed that no index needs. A first search may just be making one.
func (s *Service) forget(ctx context.Context) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	last, err := s.d.Store.LastChange(ctx)
	if err != nil || s.d.Index.Exists() {
		return err
	}
	s.unmerged = false
	return s.d.Store.Ack(ctx, last)
}

// keepUpNow brings everything into the index, and takes what was erased off the disk.
func (s *Service) keepUpNow(ctx context.Context) error {
	for more := true; more; {
		if err := s.lock(ctx); err != nil {
			return err
		}
		st, err := s.state(ctx)
		if err == nil {
			more, err = s.drain(ctx, &st)
		}
		s.unlock()
		if err != nil {
			return err
		}
	}
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	if !s.unmerged {
		return nil
	}
	return s.merge(ctx)
}

// merge rewrites the index, until a search interrupts it: then it is done when nobody searches.
func (s *Service) merge(ctx context.Context) error {
	st, err := s.state(ctx)
	if err != nil {
		return err
	}
	merging, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.interrupt = cancel
	s.mu.Unlock()
	err = s.d.Index.Merge(merging)
	s.mu.Lock()
	s.interrupt = nil
	s.mu.Unlock()
	if merging.Err() != nil && ctx.Err() == nil {
		return nil
	}
	if err != nil {
		return err
	}
	s.unmerged = false
	return s.d.Store.Ack(ctx, st.Seq)
}

func (s *Service) stopMerge() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.interrupt != nil {
		s.interrupt()
	}
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
