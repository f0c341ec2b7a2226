package session

import (
	"context"
	"fmt"
	"iter"
	"math"

	"jarvis/core"
	"jarvis/core/transcript"
)

// Copies writes sessions that are made whole and not by a conversation: bounded steps, each one transaction, and the session
// is seen by nobody before the last. What a crash leaves of one is erased at the next start.
type Copies interface {
	// StartImport notes that a session of a new id is about to be written; core.Conflict when there is one.
	StartImport(ctx context.Context, id core.SessionID) error
	// ImportSome writes a part of it: ended chains, messages and summaries in their order, a chain before what names it.
	ImportSome(ctx context.Context, id core.SessionID, part core.Copied) error
	// FinishImport makes the session visible.
	FinishImport(ctx context.Context, s core.Session) (core.Session, error)
	// DropImport erases what was written of it.
	DropImport(ctx context.Context, id core.SessionID) error
	// Summaries pages through a session's summaries, oldest first.
	Summaries(ctx context.Context, id core.SessionID, p core.Page) ([]core.Summary, core.Cursor, error)
}

// The bounds of one step: rows, and about how many bytes of text they have.
const (
	copyRows   = 500
	copyBytes  = 2 << 20
	chainsPage = 50 // each has a system prompt
)

// writer writes a session in steps.
type writer struct {
	s    *Service
	ctx  context.Context //nolint:containedctx // of the one call
	to   core.Session
	size int

	part core.Copied
	ids  map[core.ChainID]core.ChainID // of the source and ours
}

// write makes a session of what fill gives a writer: whole, or not at all.
func (s *Service) write(ctx context.Context, to core.Session, fill func(*writer) (core.Session, error)) (_ core.Session, err error) {
	to.ID = core.SessionID(s.d.NewID())
	if err := s.d.Copies.StartImport(ctx, to.ID); err != nil {
		return core.Session{}, err
	}
	defer func() {
		if err == nil {
			return
		}
		// What was written goes also when the caller has gone. If even that fails, the next start does it.
		ctx := context.WithoutCancel(ctx)
		if derr := s.d.Copies.DropImport(ctx, to.ID); derr != nil {
			s.d.Log.Error("A session that could not be written cannot be erased", "session", to.ID, "error", derr)
			return
		}
		if derr := s.finish(ctx); derr != nil { // its chains have no journals, but the store does not know
			s.d.Log.Error("Journals of erased sessions cannot be removed", "error", derr)
		}
	}()
	w := &writer{s: s, ctx: ctx, to: to, ids: map[core.ChainID]core.ChainID{}}
	full, err := fill(w)
	if err != nil {
		return core.Session{}, err
	}
	if err := w.flush(); err != nil {
		return core.Session{}, err
	}
	full.ID, full.User = to.ID, to.User
	return s.d.Copies.FinishImport(ctx, full)
}

// Chain takes a chain under a new id: an id names one chain.
func (w *writer) Chain(c core.Chain) error {
	id := core.ChainID(w.s.d.NewID())
	w.ids[c.ID] = id
	c.ID, c.Session, c.User, c.Pos = id, w.to.ID, w.to.User, 0
	c.Origin = core.Origin{Kind: c.Origin.Kind}
	c.Last = 3 // it has no journal: its events are told from the store, and these are three
	w.part.Chains = append(w.part.Chains, c)
	return w.step(len(c.System) + len(c.Params.System) + len(c.Params.Schema))
}

// Message takes a message of a chain that it has taken.
func (w *writer) Message(m core.Message) error {
	id, ok := w.ids[m.Chain]
	if !ok {
		return core.E(core.Internal, "a message names no chain", "jarvis daemon logs", nil)
	}
	m.Chain, m.Session = id, w.to.ID
	w.part.Messages = append(w.part.Messages, m)
	return w.step(len(m.Text) + len(m.Input) + len(m.Context))
}

// Summary takes a summary of chains that it has taken; one of others is left out.
func (w *writer) Summary(s core.Summary) error {
	first, ok := w.ids[s.First]
	last, also := w.ids[s.Last]
	if !ok || !also {
		return nil
	}
	s.First, s.Last, s.Chain, s.Session = first, last, w.ids[s.Chain], w.to.ID
	w.part.Summaries = append(w.part.Summaries, s)
	return w.step(len(s.Text))
}

// Archive takes an archive of chains that it has taken; what it has not is left out of it.
func (w *writer) Archive(a core.CopiedArchive) error {
	a.ID, a.Session = core.ArchiveID(w.s.d.NewID()), w.to.ID
	var ranges []core.ChainRange
	for _, r := range a.Ranges {
		first, ok := w.ids[r.First]
		last, also := w.ids[r.Last]
		if ok && also {
			ranges = append(ranges, core.ChainRange{First: first, Last: last})
		}
	}
	if a.Ranges = ranges; len(ranges) == 0 {
		return nil
	}
	w.part.Archives = append(w.part.Archives, a)
	return w.step(40 * len(ranges))
}

func (w *writer) step(size int) error {
	if w.size += size; w.size < copyBytes && w.rows() < copyRows {
		return nil
	}
	return w.flush()
}

func (w *writer) rows() int {
	return len(w.part.Chains) + len(w.part.Messages) + len(w.part.Summaries) + len(w.part.Archives)
}

func (w *writer) flush() error {
	if w.rows() == 0 {
		return nil
	}
	err := w.s.d.Copies.ImportSome(w.ctx, w.to.ID, w.part)
	w.part, w.size = core.Copied{}, 0
	return err
}

// walk yields the ended chains of a session up to a position, each followed by its messages, and then its summaries and
// archives. An error is the last pair; a session that was erased meanwhile is one.
func (s *Service) walk(ctx context.Context, id core.SessionID, through uint64, v core.View) iter.Seq2[transcript.Entry, error] {
	return func(yield func(transcript.Entry, error) bool) {
		next, stop := iter.Pull2(s.history(ctx, id, through, v))
		defer stop()
		kept, err := s.archivedOf(ctx, id, v)
		if err != nil {
			yield(transcript.Entry{}, err)
			return
		}
		m, err, more := next()
		for c, cerr := range s.chains(ctx, id, through, v) {
			if cerr != nil {
				yield(transcript.Entry{}, cerr)
				return
			}
			ended := c.State == core.Ended
			if ended {
				kept.see(c)
			}
			if ended && !yield(transcript.Entry{Chain: &c}, nil) {
				return
			}
			for ; more && err == nil && m.Pos <= c.Pos; m, err, more = next() {
				if ended && m.Chain == c.ID && !yield(transcript.Entry{Message: &m}, nil) {
					return
				}
			}
			if err != nil {
				yield(transcript.Entry{}, err)
				return
			}
		}
		for sum, err := range s.summaries(ctx, id, through) {
			if err != nil {
				yield(transcript.Entry{}, err)
				return
			}
			if !yield(transcript.Entry{Summary: &sum}, nil) {
				return
			}
		}
		for _, a := range kept.archives {
			if len(a.Ranges) > 0 && !yield(transcript.Entry{Archive: &a}, nil) {
				return
			}
		}
		if _, err := s.d.Store.Session(ctx, id); err != nil {
			yield(transcript.Entry{}, err)
		}
	}
}

func (s *Service) chains(ctx context.Context, id core.SessionID, through uint64, v core.View) iter.Seq2[core.Chain, error] {
	return func(yield func(core.Chain, error) bool) {
		for p := (core.Page{Limit: chainsPage, View: v}); ; {
			cs, next, err := s.d.Store.Chains(ctx, id, p)
			if err != nil {
				yield(core.Chain{}, err)
				return
			}
			for _, c := range cs {
				if c.Pos > through || !yield(c, nil) {
					return
				}
			}
			if p.After = next; next == "" {
				return
			}
		}
	}
}

// summaries yields those that tell of nothing behind a position.
func (s *Service) summaries(ctx context.Context, id core.SessionID, through uint64) iter.Seq2[core.Summary, error] {
	return func(yield func(core.Summary, error) bool) {
		for p := (core.Page{Limit: chainsPage}); ; {
			ss, next, err := s.d.Copies.Summaries(ctx, id, p)
			if err != nil {
				yield(core.Summary{}, err)
				return
			}
			for _, sum := range ss {
				if sum.To > through || !yield(sum, nil) {
					return
				}
			}
			if p.After = next; next == "" {
				return
			}
		}
	}
}

func (s *Service) history(ctx context.Context, id core.SessionID, through uint64, v core.View) iter.Seq2[core.Message, error] {
	return func(yield func(core.Message, error) bool) {
		for p := (core.Page{Limit: copyRows, Through: through, View: v}); ; {
			ms, next, err := s.d.Store.History(ctx, id, p)
			if err != nil {
				yield(core.Message{}, err)
				return
			}
			for _, m := range ms {
				if !yield(m, nil) {
					return
				}
			}
			if p.After = next; next == "" {
				return
			}
		}
	}
}

// last is the position of a session's newest chain: what comes later is not part of a copy that has begun.
func (s *Service) last(ctx context.Context, id core.SessionID) (uint64, error) {
	cs, _, err := s.d.Store.Chains(ctx, id, core.Page{Limit: 1, Backward: true, View: core.ViewAll})
	if err != nil {
		return 0, fmt.Errorf("find the end of the session: %w", err)
	}
	if len(cs) == 0 {
		return math.MaxUint64, nil
	}
	return cs[0].Pos, nil
}
