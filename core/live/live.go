// Package live is the stream of a session for every screen that shows it: the events of all its chains, one chain after the
// other in the order in which they run, and those that start later as they start. It may not run chains, and it keeps no
// event: a screen has a place in the journals, so a slow one costs nothing and comes back where it was.
package live

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"jarvis/core"
)

const (
	batch = 100 // chains that are read at a time
	// newest is how many of the last chains are looked at for one that is open: a lane holds one that runs and 100 that wait.
	newest = 200
)

// End is the place behind everything that has ended.
const End = "end"

// Store is what the stream reads. Every method is one transaction.
type Store interface {
	Session(ctx context.Context, id core.SessionID) (core.Session, error)
	Chain(ctx context.Context, id core.ChainID) (core.Chain, error)
	Chains(ctx context.Context, s core.SessionID, p core.Page) ([]core.Chain, core.Cursor, error)
	// ChainsAfter gives a session's chains behind a position in their order, at most n.
	ChainsAfter(ctx context.Context, s core.SessionID, pos uint64, n int) ([]core.Chain, error)
}

// Deps is all that the stream sees of the world.
type Deps struct {
	Store Store
	// Events yields a chain's events after a number, live ones as they come, and ends after the terminal one.
	Events func(ctx context.Context, user core.UserID, id core.ChainID, after uint64) iter.Seq2[core.Event, error]
	Now    func() time.Time
	Log    *slog.Logger
}

// Service tells screens what happens in sessions.
type Service struct {
	d Deps

	mu     sync.Mutex // guards what follows
	topics map[core.SessionID]*topic
}

// topic is a session that screens wait for.
type topic struct {
	screens int
	wake    chan struct{} // closed at the next change
}

// New makes a service. Deps without Log log nowhere.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{d: d, topics: map[core.SessionID]*topic{}}
}

// Changed wakes the screens of a session: a chain was accepted, or the session is gone.
func (s *Service) Changed(id core.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.topics[id]; t != nil {
		close(t.wake)
		t.wake = make(chan struct{})
	}
}

func (s *Service) join(id core.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.topics[id]
	if t == nil {
		t = &topic{wake: make(chan struct{})}
		s.topics[id] = t
	}
	t.screens++
}

func (s *Service) leave(id core.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.topics[id]
	if t.screens--; t.screens == 0 {
		delete(s.topics, id)
	}
}

// woken is closed at the next change. The caller has joined.
func (s *Service) woken(id core.SessionID) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.topics[id].wake
}

// PlaceOf is where a reader stands who has seen an event: <chain>:<seq>, and the chain alone behind its last event.
func PlaceOf(e core.Event) string {
	if e.Type.Terminal() {
		return string(e.Chain)
	}
	return string(e.Chain) + ":" + strconv.FormatUint(e.Seq, 10)
}

// place is where a stream goes on: behind a position, but in the chain at its head behind a number.
type place struct {
	pos   uint64       // of the last chain that was seen whole
	chain core.ChainID // the next one, "" = whichever follows
	seq   uint64
}

// Events yields the events of a session's chains after a place ("" = from the first chain on): those that were, then live ones
// as they come. It ends when the session is erased, or with ctx. An event without a type says that there is nothing more to
// tell for now. Another user's session is core.NotFound, a place that is none of the session core.BadRequest. A pair with an
// error is the last one.
func (s *Service) Events(ctx context.Context, user core.UserID, id core.SessionID, after string) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		s.join(id)
		defer s.leave(id)
		at, err := s.start(ctx, user, id, after)
		if err != nil {
			yield(core.Event{}, err)
			return
		}
		r := &reader{s: s, user: user, session: id, at: at, yield: yield}
		for {
			wake := s.woken(id) // taken before looking, so that nothing comes unnoticed between
			more, err := r.pass(ctx)
			if err != nil {
				yield(core.Event{}, err)
				return
			}
			if !more || !yield(core.Event{}, nil) {
				return
			}
			select {
			case <-wake:
			case <-ctx.Done():
				yield(core.Event{}, ctx.Err())
				return
			}
		}
	}
}

// start finds the place that was asked for.
func (s *Service) start(ctx context.Context, user core.UserID, id core.SessionID, after string) (place, error) {
	sess, err := s.d.Store.Session(ctx, id)
	if err != nil {
		return place{}, err
	}
	if sess.User != user {
		return place{}, core.E(core.NotFound, "there is no session "+core.Short(string(id)), "jarvis session list --all", nil)
	}
	switch after {
	case "":
		return place{}, nil
	case End:
		return s.end(ctx, id)
	}
	cid, number, part := strings.Cut(after, ":")
	if !core.ValidUUID(cid) {
		return place{}, unplaced(nil)
	}
	c, err := s.d.Store.Chain(ctx, core.ChainID(cid))
	if core.CodeOf(err) == core.NotFound || err == nil && c.Session != id {
		return place{}, unplaced(err)
	}
	if err != nil || !part {
		return place{pos: c.Pos}, err
	}
	seq, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return place{}, unplaced(err)
	}
	return place{pos: c.Pos - 1, chain: c.ID, seq: seq}, nil
}

func unplaced(err error) error {
	return core.E(core.BadRequest, "Last-Event-ID must be the id of an event of this session", "", err)
}

// end is the place before the first chain that is open, else behind the last one.
func (s *Service) end(ctx context.Context, id core.SessionID) (place, error) {
	var at place
	p := core.Page{Backward: true, Limit: newest}
	for left := newest; left > 0; {
		cs, next, err := s.d.Store.Chains(ctx, id, p)
		if err != nil {
			return place{}, err
		}
		for i := len(cs) - 1; i >= 0; i-- {
			at.pos = max(at.pos, cs[i].Pos)
		}
		for i := len(cs) - 1; i >= 0; i-- {
			if cs[i].State != core.Ended {
				at.pos = cs[i].Pos - 1
			}
		}
		left -= len(cs)
		if next == "" || len(cs) == 0 {
			break
		}
		p.After = next
	}
	return at, nil
}

// reader is one screen's position.
type reader struct {
	s       *Service
	user    core.UserID
	session core.SessionID
	at      place
	yield   func(core.Event, error) bool
}

// pass yields what there is behind the reader's place. more is false when the reader has left or the session is gone.
func (r *reader) pass(ctx context.Context) (more bool, err error) {
	for {
		cs, err := r.s.d.Store.ChainsAfter(ctx, r.session, r.at.pos, batch)
		if err != nil {
			return false, err
		}
		for _, c := range cs {
			if more, err := r.chain(ctx, c); !more || err != nil {
				return false, err
			}
			r.at = place{pos: c.Pos}
		}
		if len(cs) > 0 {
			continue
		}
		if _, err := r.s.d.Store.Session(ctx, r.session); core.CodeOf(err) == core.NotFound {
			return false, nil
		} else if err != nil {
			return false, err
		}
		return true, nil
	}
}

// errLeft: nobody reads any more.
var errLeft = errors.New("the reader has left")

// chain yields one chain's events.
func (r *reader) chain(ctx context.Context, c core.Chain) (more bool, err error) {
	seq := uint64(0)
	if r.at.chain == c.ID {
		seq = r.at.seq
	}
	seq, err = r.follow(ctx, c.ID, seq)
	switch {
	case err == nil && ctx.Err() != nil:
		return false, ctx.Err()
	case err == nil:
		return true, nil
	case errors.Is(err, errLeft):
		return false, nil
	case ctx.Err() != nil:
		return false, err
	}
	return r.mend(ctx, c.ID, seq, err)
}

// follow yields a chain's events after a number, and gives the last one's.
func (r *reader) follow(ctx context.Context, id core.ChainID, seq uint64) (uint64, error) {
	for e, err := range r.s.d.Events(ctx, r.user, id, seq) {
		if err != nil {
			return seq, err
		}
		seq = e.Seq
		if !r.yield(e, nil) {
			return seq, errLeft
		}
		if e.Type.Terminal() {
			return seq, nil
		}
	}
	return seq, nil
}

// mend ends a chain in the stream whose journal cannot be read, so that those behind it are seen: cut off there, a screen would
// come back and meet the same fault again and again. One that is still open may be read later.
func (r *reader) mend(ctx context.Context, id core.ChainID, seq uint64, cause error) (more bool, err error) {
	c, err := r.s.d.Store.Chain(ctx, id)
	if core.CodeOf(err) == core.NotFound {
		return true, nil // erased just now
	}
	if err != nil || c.State != core.Ended {
		return false, errors.Join(cause, err)
	}
	r.s.d.Log.Error("Chain cannot be told", "chain", id, "error", cause)
	d := core.ErrorData{Code: core.Internal, Message: fmt.Sprintf("the events of chain %s cannot be read", core.Short(string(id))), Hint: "jarvis daemon logs"}
	var known *core.Error
	if errors.As(cause, &known) {
		d.Code, d.Message, d.Hint = known.Code, known.Message, known.Hint
	}
	e := core.Event{Type: core.EventError, Seq: seq + 1, Chain: id, Session: r.session, Agent: c.Agent, Time: r.s.d.Now()}
	return r.yield(e.With(d), nil), nil
}
