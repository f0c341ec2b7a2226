package chat

import (
	"context"
	"fmt"

	"jarvis/core"
)

// Stop ends a chain at any moment: queued, streaming or in a tool. It returns when the end is under way; the chain's
// events end with it. A chain that has ended already is no error.
func (s *Service) Stop(ctx context.Context, user core.UserID, id core.ChainID) error {
	h := s.homeOf(id)
	c, err := h.store.Chain(ctx, id)
	if err != nil {
		return err
	}
	if c.User != user {
		return notFound("chain", string(id))
	}
	if c.State == core.Ended {
		return nil
	}
	r, ok := s.find(id)
	if !ok {
		// Not known yet: recovery is on its way to it, or has just closed it.
		select {
		case <-s.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
		if r, ok = s.find(id); !ok {
			return nil
		}
	}
	return s.end(ctx, r, core.Stopped)
}

// StopSession stops every open chain of a session, the queued ones first, so that none of them starts meanwhile.
func (s *Service) StopSession(ctx context.Context, user core.UserID, id core.SessionID) error {
	h := s.homeFor(id)
	sess, err := h.store.Session(ctx, id)
	if err != nil {
		return err
	}
	if sess.User != user {
		return notFound("session", string(id))
	}
	select {
	case <-s.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	var queued, running []*run
	s.mu.Lock()
	for _, r := range s.runs {
		if r.session != id {
			continue
		}
		switch waits, runs := r.status(); {
		case waits:
			queued = append(queued, r)
		case runs:
			running = append(running, r)
		}
	}
	s.mu.Unlock()
	var first error
	for _, r := range append(queued, running...) {
		if err := s.end(ctx, r, core.Stopped); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// end stops a run: a running one ends by itself, a queued one is dropped. Once begun it does not depend on its caller.
func (s *Service) end(ctx context.Context, r *run, reason core.StopReason) error {
	if r.stop(reason) {
		return nil
	}
	<-r.ready
	return s.drop(context.WithoutCancel(ctx), r, reason, nil)
}

// drop ends a queued chain that will not run. One that was claimed meanwhile ends in its lane, which sees the reason.
func (s *Service) drop(ctx context.Context, r *run, reason core.StopReason, cause *core.Error) error {
	r.stop(reason)
	if !r.writing.TryLock() {
		return nil // its lane has it, and sees the reason
	}
	defer r.writing.Unlock()
	log, err := r.open()
	if err != nil {
		log = deadLog{err}
	}
	w := s.writer(r, log)
	t := &turn{s: s, r: r, w: w, c: core.Chain{ID: r.id, Session: r.session, Agent: r.agent}, next: 1}
	e := core.Ending{Progress: core.Progress{Chain: r.id}, Stop: reason, Done: s.d.Now(), Last: log.Last() + 1}
	if cause != nil {
		e.Messages = []core.Message{t.failure(cause)}
	}
	err = r.home.store.Drop(ctx, e)
	if core.CodeOf(err) == core.Conflict {
		r.leave(log)
		return nil
	}
	defer func() { _ = log.Close() }()
	final := w.make(core.EventDone, "", core.DoneData{StopReason: reason, CostUSD: new(float64)})
	if cause != nil {
		final = w.make(core.EventError, "", core.ErrorData{Code: cause.Code, Message: cause.Message, Hint: cause.Hint})
	}
	final.Seq = log.Last() + 1
	if err != nil {
		// The reader of a chain that could not even be dropped must not wait for ever; the next start closes it.
		if cause != nil {
			r.fail(final)
			s.forget(r)
		}
		return fmt.Errorf("drop: %w", err)
	}
	if err := w.last(final); err != nil {
		r.fail(final)
	}
	s.forget(r)
	return nil
}

// deadLog stands for a journal that cannot be opened.
type deadLog struct{ err error }

func (d deadLog) Append(core.Event) (uint64, error) { return 0, d.err }
func (d deadLog) Record(string, any) error          { return d.err }
func (d deadLog) Last() uint64                      { return 0 }
func (d deadLog) Sealed() bool                      { return false }
func (d deadLog) Close() error                      { return nil }
