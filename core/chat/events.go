package chat

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"jarvis/core"
)

// Events yields a chain's events after a number: those in the journal, then live ones, and ends after the terminal event.
// Whoever reads is counted for the disconnect rule. Another user's chain is core.NotFound. When the journal is gone but the
// store has the chain, one snapshot of it is yielded. A pair with an error is the last one.
func (s *Service) Events(ctx context.Context, user core.UserID, id core.ChainID, after uint64) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		h := s.homeOf(id)
		c, err := s.Chain(ctx, user, id)
		if err != nil {
			yield(core.Event{}, err)
			return
		}
		r, open := s.find(id)
		if !open && c.State != core.Ended {
			select {
			case <-s.ready:
			case <-ctx.Done():
				yield(core.Event{}, ctx.Err())
				return
			}
			if r, open = s.find(id); !open {
				if c, err = s.Chain(ctx, user, id); err != nil {
					yield(core.Event{}, err)
					return
				}
			}
		}
		if !open {
			s.replay(ctx, h, c, after, yield)
			return
		}
		s.attach(r)
		defer s.detach(ctx, r)
		select {
		case <-r.ready:
		case <-ctx.Done():
			yield(core.Event{}, ctx.Err())
			return
		}
		s.follow(ctx, r, after, yield)
	}
}

// follow reads an open chain. When the journal cannot take more, the reader gets what is in it and then the terminal event.
func (s *Service) follow(ctx context.Context, r *run, after uint64, yield func(core.Event, error) bool) {
	rctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-r.broken:
			cancel()
		case <-over:
		}
	}()
	seq, ended := s.pass(rctx, r.home.journal, r.id, after, 0, yield)
	if ended {
		return
	}
	final, broken := r.terminal()
	if !broken {
		if ctx.Err() != nil {
			yield(core.Event{}, ctx.Err())
			return
		}
		s.replayAgain(ctx, r, seq, yield)
		return
	}
	// The reading was cut off where it stood; the rest of the file is read to its end.
	if seq+1 < final.Seq {
		if seq, ended = s.pass(ctx, r.home.journal, r.id, seq, final.Seq-1, yield); ended {
			return
		}
	}
	if final.Seq == 1 { // the journal could not even be opened, so its events are not counted
		if seq, ended = s.passWhatIsThere(ctx, r, seq, yield); ended {
			return
		}
	}
	final.Seq = max(final.Seq, seq+1)
	yield(final, nil)
}

// passWhatIsThere yields the events of a journal that nobody writes to any more. Behind the last one the reading would wait, so
// each is waited for a moment only.
func (s *Service) passWhatIsThere(ctx context.Context, r *run, after uint64, yield func(core.Event, error) bool) (seq uint64, ended bool) {
	rctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := s.d.After(retryFirst, cancel)
	defer func() { stop() }()
	return s.pass(rctx, r.home.journal, r.id, after, 0, func(e core.Event, err error) bool {
		stop()
		stop = s.d.After(retryFirst, cancel)
		return yield(e, err)
	})
}

// replayAgain serves a reader whose journal ended without a last word: what the store says counts.
func (s *Service) replayAgain(ctx context.Context, r *run, after uint64, yield func(core.Event, error) bool) {
	c, err := r.home.store.Chain(ctx, r.id)
	if err != nil {
		yield(core.Event{}, err)
		return
	}
	if c.State != core.Ended {
		yield(core.Event{}, core.E(core.Internal, "the journal of this chain cannot be read", "jarvis daemon logs", nil))
		return
	}
	s.replay(ctx, r.home, c, after, yield)
}

// pass yields a journal's events up to the terminal one, or to number until when that is set. ended says that the reader
// needs nothing more: he has the terminal event, has left, or got an error.
func (s *Service) pass(ctx context.Context, j Journal, id core.ChainID, after, until uint64,
	yield func(core.Event, error) bool,
) (seq uint64, ended bool) {
	seq = after
	for e, err := range j.Read(ctx, id, after) {
		if err != nil {
			if ctx.Err() != nil || core.CodeOf(err) == core.NotFound {
				return seq, false
			}
			yield(core.Event{}, err)
			return seq, true
		}
		seq = e.Seq
		if !yield(e, nil) || e.Type.Terminal() {
			return seq, true
		}
		if until > 0 && seq >= until {
			return seq, false
		}
	}
	return seq, false
}

// replay reads a chain that does not run here: its sealed journal, or what the store has of it.
func (s *Service) replay(ctx context.Context, h home, c core.Chain, after uint64, yield func(core.Event, error) bool) {
	if c.State != core.Ended {
		if _, ended := s.pass(ctx, h.journal, c.ID, after, 0, yield); !ended {
			yield(core.Event{}, core.E(core.Internal, "the journal of this chain cannot be read", "jarvis daemon logs", ctx.Err()))
		}
		return
	}
	sealed, err := s.heal(ctx, h, c)
	if err != nil {
		s.d.Log.Error("Journal cannot be closed", "chain", c.ID, "error", err)
	}
	if sealed {
		if _, ended := s.pass(ctx, h.journal, c.ID, after, 0, yield); ended {
			return
		}
		if ctx.Err() != nil {
			yield(core.Event{}, ctx.Err())
			return
		}
		if c.Last > 0 && after >= c.Last {
			return
		}
	}
	s.snapshot(ctx, h, c, after, yield)
}

// heal gives a journal whose chain has ended the terminal event that a crash kept from it. sealed is false when there is no
// journal to read to the end.
func (s *Service) heal(ctx context.Context, h home, c core.Chain) (sealed bool, err error) {
	if !s.exists(ctx, h.journal, c.ID) {
		return false, nil
	}
	return s.seal(ctx, h, c)
}

// seal appends the terminal event of an ended chain when its journal lacks it.
func (s *Service) seal(ctx context.Context, h home, c core.Chain) (sealed bool, err error) {
	s.healing.Lock()
	defer s.healing.Unlock()
	log, err := h.journal.Open(c.ID)
	if core.CodeOf(err) == core.Conflict {
		return true, nil // its lane is just about to do it
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if log.Sealed() {
		return true, nil
	}
	ms, err := chainMessages(ctx, h.store, c)
	if err != nil {
		return false, err
	}
	for _, e := range told(c, ms, log.Last() > 0) {
		e.Time = s.d.Now()
		if _, err := log.Append(e); err != nil {
			return false, err
		}
	}
	return true, nil
}

// exists reports whether a chain's journal has at least one event. Opening it would create it, and reading an empty one
// would wait, so the reading is bounded.
func (s *Service) exists(ctx context.Context, j Journal, id core.ChainID) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := s.d.After(retryFirst, cancel)
	defer stop()
	for _, err := range j.Read(ctx, id, 0) {
		return err == nil
	}
	return false
}

// snapshot tells an ended chain from the store alone: the message, the text as one event, the terminal event. A reader that
// has seen a part gets the terminal event only, whose text fills his gap.
func (s *Service) snapshot(ctx context.Context, h home, c core.Chain, after uint64, yield func(core.Event, error) bool) {
	ms, err := chainMessages(ctx, h.store, c)
	if err != nil {
		yield(core.Event{}, err)
		return
	}
	for _, e := range told(c, ms, after > 0) {
		e.Seq = max(e.Seq, after+1)
		if !yield(e, nil) {
			return
		}
	}
}

// told is an ended chain as events made from the store alone. seen leaves out all but the last word, whose text fills a gap.
func told(c core.Chain, ms []core.Message, seen bool) []core.Event {
	final := lastWord(c, ms)
	final.Seq = max(c.Last, 3)
	if seen {
		return []core.Event{final}
	}
	var out []core.Event
	if len(ms) > 0 && ms[0].N == 0 {
		m := ms[0]
		e := core.Event{Type: core.EventMessage, Seq: 1, Chain: c.ID, Session: c.Session, Agent: c.Agent, Time: m.Created, Text: m.Text}
		out = append(out, e.With(core.MessageData{ID: m.ID, Role: m.Role, Attachments: m.Attachments}))
	}
	if final.Text != "" {
		out = append(out, core.Event{
			Type: core.EventText, Seq: final.Seq - 1, Chain: c.ID, Session: c.Session, Agent: c.Agent, Time: c.Done, Text: final.Text,
		})
	}
	return append(out, final)
}

// lastWord makes the terminal event of a chain that has ended in the store.
func lastWord(c core.Chain, ms []core.Message) core.Event {
	var text strings.Builder
	var failure *core.Message
	for i, m := range ms {
		switch {
		case m.Role == core.RoleAssistant && m.Type == core.TypeText:
			text.WriteString(m.Text)
		case m.Type == core.TypeError:
			failure = &ms[i]
		}
	}
	e := core.Event{Type: core.EventDone, Seq: c.Last, Chain: c.ID, Session: c.Session, Agent: c.Agent, Time: c.Done, Text: text.String()}
	if c.Stop != core.Failed {
		d := core.DoneData{
			Model: c.Model, StopReason: c.Stop, Iterations: c.Iterations, Tokens: c.Usage.Tokens(), CostUSD: c.Usage.CostUSD(),
		}
		if !c.Started.IsZero() { // one that was dropped never ran
			d.DurationMS = max(0, c.Done.Sub(c.Started).Milliseconds())
		}
		return e.With(d)
	}
	e.Type = core.EventError
	d := core.ErrorData{Code: core.Internal, Message: "the chain ended with an error", Hint: "jarvis daemon logs", Model: c.Model}
	if failure != nil {
		d.Message = failure.Text
		readFailure(failure, &d)
	}
	return e.With(d)
}

// chainMessages reads one chain's messages in order.
func chainMessages(ctx context.Context, st Store, c core.Chain) ([]core.Message, error) {
	var pages [][]core.Message
	p := core.Page{Backward: true, From: c.Pos, Through: c.Pos, View: core.ViewAll}
	for {
		ms, next, err := st.History(ctx, c.Session, p)
		if err != nil {
			return nil, err
		}
		own := slices.DeleteFunc(slices.Clone(ms), func(m core.Message) bool { return m.Chain != c.ID })
		pages = append(pages, own)
		if len(own) < len(ms) || next == "" || len(ms) == 0 {
			break
		}
		p.After = next
	}
	slices.Reverse(pages)
	return slices.Concat(pages...), nil
}
