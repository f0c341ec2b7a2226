package session

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"jarvis/core"
	"jarvis/core/transcript"
)

// Forking says where a copy of a session ends and what it is called.
type Forking struct {
	At    string // a message or a chain of it, as people type ids, "" = everything that is answered
	Title string // "" = that of the original, and a word
}

// Fork makes a new session of a session's ended chains up to a point. The original stays as it is; attachments are shared.
// Usage is not counted again.
func (s *Service) Fork(ctx context.Context, user core.UserID, id core.SessionID, f Forking) (core.Session, error) {
	from, err := s.Get(ctx, user, id)
	if err != nil {
		return core.Session{}, err
	}
	to := from
	to.Created = s.d.Now()
	to.Modified, to.Hidden, to.Cwd = to.Created, false, ""
	if to.Title = f.Title; f.Title == "" {
		to.Title = forkTitle(from.Title)
	} else if to.Title, err = goodTitle(f.Title); err != nil {
		return core.Session{}, err
	}
	end, err := s.point(ctx, id, f.At)
	if err != nil {
		return core.Session{}, err
	}
	return s.write(ctx, to, func(w *writer) (core.Session, error) {
		for e, err := range s.walk(ctx, id, end.pos, core.ViewAll) {
			if err != nil {
				return core.Session{}, err
			}
			if err := end.take(w, e); err != nil {
				return core.Session{}, err
			}
		}
		return to, nil
	})
}

// point is where a fork ends: with the message n of the chain at a position, or with the whole chain.
type point struct {
	pos   uint64
	chain core.ChainID // "" = no message of it is meant
	n     uint32
}

// take copies an entry that is not behind the point.
func (p point) take(w *writer, e transcript.Entry) error {
	switch {
	case e.Chain != nil:
		c := *e.Chain
		if c.ID == p.chain {
			c.Stop = core.Stopped // the rest of it stays with the original
		}
		return w.Chain(c)
	case e.Summary != nil:
		if e.Summary.To == p.pos && p.chain != "" {
			return nil // it tells of what is behind the point
		}
		return w.Summary(*e.Summary)
	case e.Archive != nil:
		return w.Archive(*e.Archive)
	case e.Message.Chain == p.chain && e.Message.N > p.n:
		return nil
	}
	return w.Message(*e.Message)
}

// point finds what a person typed among the chains of a session.
func (s *Service) point(ctx context.Context, id core.SessionID, at string) (point, error) {
	at = strings.ToLower(strings.TrimSpace(at))
	if at == "" {
		pos, err := s.last(ctx, id)
		return point{pos: pos}, err
	}
	typed, num, isMessage := strings.Cut(at, ".")
	n, err := strconv.ParseUint(num, 10, 32)
	if isMessage && err != nil || !core.HexDigits(typed) {
		return point{}, noPoint(at, core.BadRequest)
	}
	var found []core.Chain
	for c, err := range s.chains(ctx, id, ^uint64(0), core.ViewAll) {
		if err != nil {
			return point{}, err
		}
		if core.MatchID(string(c.ID), typed) {
			found = append(found, c)
		}
	}
	switch {
	case len(found) == 0:
		return point{}, noPoint(at, core.NotFound)
	case len(found) > 1:
		return point{}, core.E(core.BadRequest, shorten(at)+" names several chains of the session: type more of it",
			"jarvis session show "+core.Short(string(id))+" -o json", nil)
	case found[0].State != core.Ended:
		return point{}, core.E(core.Conflict, "this is still being answered", "jarvis session stop "+core.Short(string(id)), nil)
	case !isMessage:
		return point{pos: found[0].Pos}, nil
	}
	return s.message(ctx, id, found[0], uint32(n), at)
}

// message makes sure that a chain has the message. Its last one means the whole chain.
func (s *Service) message(ctx context.Context, id core.SessionID, c core.Chain, n uint32, at string) (point, error) {
	there, later := false, false
	for m, err := range s.within(ctx, id, c.Pos) {
		if err != nil {
			return point{}, err
		}
		there = there || m.N == n
		later = later || m.N > n
	}
	switch {
	case !there:
		return point{}, noPoint(at, core.NotFound)
	case !later:
		return point{pos: c.Pos}, nil
	}
	return point{pos: c.Pos, chain: c.ID, n: n}, nil
}

// within yields the messages of the chain at a position, newest first, without reading what is before it.
func (s *Service) within(ctx context.Context, id core.SessionID, pos uint64) func(yield func(core.Message, error) bool) {
	return func(yield func(core.Message, error) bool) {
		for p := (core.Page{Limit: copyRows, From: pos, Through: pos, Backward: true, View: core.ViewAll}); ; {
			ms, next, err := s.d.Store.History(ctx, id, p)
			if err != nil {
				yield(core.Message{}, err)
				return
			}
			for i := len(ms) - 1; i >= 0; i-- {
				if ms[i].Pos != pos || !yield(ms[i], nil) {
					return
				}
			}
			if p.After = next; next == "" {
				return
			}
		}
	}
}

func noPoint(at string, code core.Code) error {
	return core.E(code, "the session has no message or chain "+strconv.Quote(shorten(at)), "jarvis session show SESSION -o json", nil)
}

// forkTitle marks a copy, within the bounds of a title.
func forkTitle(title string) string {
	const mark = " (fork)"
	title = strings.TrimSuffix(title, mark)
	for len(title)+len(mark) > maxTitle {
		_, n := utf8.DecodeLastRuneInString(title)
		title = title[:len(title)-n]
	}
	return title + mark
}
