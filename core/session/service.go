package session

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"jarvis/core"
	"jarvis/core/transcript"
)

// The expiry of hidden sessions.
const (
	kept       = 30 * 24 * time.Hour // since the last message
	sweepEvery = time.Hour
	sweepBatch = 100
	candidates = 10 // how many an ambiguous id names
	titleShown = 40
)

// Deps is all that sessions see of the world.
type Deps struct {
	Store    Store
	Editor   Editor
	Copies   Copies
	Blobs    Blobs
	Math     func() transcript.Math // renders formulas of one page; nil leaves them as they were written
	NewID    func() string          // a UUIDv7
	Archiver Archiver
	Marker   Marker
	Maker    Maker
	Reader   Reader
	// Changed gives a channel that is closed when a chain of any session has been accepted, got on or ended.
	Changed func() <-chan struct{}
	// Journals removes the journals of erased chains; those that are not there are no error.
	Journals func(ctx context.Context, ids ...core.ChainID) error
	Expired  func(ctx context.Context, n int, err error) // is told how many sessions an expiry has erased, when any; nil = nobody
	Erased   func(core.SessionID)                        // is told of each session that is gone; nil = nobody wants to know
	Now      func() time.Time
	After    func(d time.Duration, f func()) (stop func() bool)
	Log      *slog.Logger
}

// Service lists, finds, reads and erases a user's sessions.
type Service struct{ d Deps }

// New makes a service. Deps without Log log nowhere.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{d: d}
}

// List pages through a user's sessions, newest first; hidden ones only when asked for.
func (s *Service) List(ctx context.Context, user core.UserID, hidden bool, p core.Page) ([]core.Session, core.Cursor, error) {
	return s.d.Store.Sessions(ctx, user, hidden, p)
}

// Get reads one session by its whole id; another user's is core.NotFound.
func (s *Service) Get(ctx context.Context, user core.UserID, id core.SessionID) (core.Session, error) {
	sess, err := s.d.Store.Session(ctx, id)
	if err != nil {
		return core.Session{}, err
	}
	if sess.User != user {
		return core.Session{}, unknown(string(id))
	}
	return sess, nil
}

// Find reads the session that a whole id, or what a person types of one, names. An ambiguous one is core.BadRequest that
// lists the candidates.
func (s *Service) Find(ctx context.Context, user core.UserID, typed string) (core.Session, error) {
	typed = strings.ToLower(strings.TrimSpace(typed))
	if core.ValidUUID(typed) {
		return s.Get(ctx, user, core.SessionID(typed))
	}
	if !core.HexDigits(typed) {
		return core.Session{}, core.E(core.BadRequest, fmt.Sprintf("%q is not the id of a session", shorten(typed)), "jarvis session list --all", nil)
	}
	ids, err := s.d.Store.FindSessions(ctx, user, typed, candidates)
	if err != nil {
		return core.Session{}, err
	}
	switch len(ids) {
	case 0:
		return core.Session{}, unknown(typed)
	case 1:
		return s.Get(ctx, user, ids[0])
	}
	return core.Session{}, s.ambiguous(ctx, user, typed, ids)
}

func (s *Service) ambiguous(ctx context.Context, user core.UserID, typed string, ids []core.SessionID) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s names several sessions:", typed)
	sep := " "
	for _, id := range ids {
		sess, err := s.Get(ctx, user, id)
		if err != nil {
			continue // just erased
		}
		fmt.Fprintf(&b, "%s%s (%s)", sep, id, shorten(sess.Title))
		sep = ", "
	}
	if len(ids) == candidates {
		b.WriteString(", …")
	}
	return core.E(core.BadRequest, b.String(), "jarvis session list --all", nil)
}

func shorten(s string) string {
	if r := []rune(s); len(r) > titleShown {
		return string(r[:titleShown-1]) + "…"
	}
	return s
}

func unknown(typed string) error {
	return core.E(core.NotFound, "there is no session "+typed, "jarvis session list --all", nil)
}

// LastAsk gives the user's newest session that `ask` made in the folder, else his newest one anywhere; core.NotFound.
func (s *Service) LastAsk(ctx context.Context, user core.UserID, cwd string) (core.Session, error) {
	sess, err := s.d.Store.LastAsk(ctx, user, cwd)
	if cwd != "" && core.CodeOf(err) == core.NotFound {
		return s.d.Store.LastAsk(ctx, user, "")
	}
	return sess, err
}

// Messages pages through a session's messages. The caller has found the session for its user.
func (s *Service) Messages(ctx context.Context, id core.SessionID, p core.Page) ([]core.Message, core.Cursor, error) {
	return s.d.Store.History(ctx, id, p)
}

// Chains pages through a session's chains in order. The caller has found the session for its user.
func (s *Service) Chains(ctx context.Context, id core.SessionID, p core.Page) ([]core.Chain, core.Cursor, error) {
	return s.d.Store.Chains(ctx, id, p)
}

// Delete erases a session with its messages, chains and journals; core.Conflict while one of its chains is open.
func (s *Service) Delete(ctx context.Context, user core.UserID, id core.SessionID) error {
	if _, err := s.Get(ctx, user, id); err != nil {
		return err
	}
	return s.erase(ctx, id)
}

func (s *Service) erase(ctx context.Context, id core.SessionID) error {
	chains, err := s.d.Store.DeleteSession(ctx, id)
	if err != nil {
		return err
	}
	if s.d.Erased != nil {
		s.d.Erased(id)
	}
	// The store has forgotten the session: its journals go also when the caller has gone.
	return s.removeJournals(context.WithoutCancel(ctx), chains)
}

// removeJournals removes the journals of erased chains; the store remembers them until that is done.
func (s *Service) removeJournals(ctx context.Context, chains []core.ChainID) error {
	if len(chains) == 0 {
		return nil
	}
	if s.d.Journals != nil {
		if err := s.d.Journals(ctx, chains...); err != nil {
			return fmt.Errorf("remove journals: %w", err)
		}
	}
	if err := s.d.Store.Forget(ctx, chains...); err != nil {
		return fmt.Errorf("remove journals: %w", err)
	}
	return nil
}

// finish removes the journals that a crash, or a disk that failed, left of erased chains.
func (s *Service) finish(ctx context.Context) error {
	for {
		chains, err := s.d.Store.Orphans(ctx, sweepBatch)
		if err != nil {
			return fmt.Errorf("find journals of erased chains: %w", err)
		}
		if len(chains) == 0 {
			return nil
		}
		if err := s.removeJournals(ctx, chains); err != nil {
			return err
		}
	}
}

// Expire erases the hidden sessions that nobody has continued for thirty days, and says how many. One that cannot be erased
// now (a chain of it is open) is tried again later.
func (s *Service) Expire(ctx context.Context) (int, error) {
	before := s.d.Now().Add(-kept)
	erased := 0
	for {
		ids, err := s.d.Store.Expired(ctx, before, sweepBatch)
		if err != nil {
			return erased, fmt.Errorf("find expired sessions: %w", err)
		}
		some := false
		for _, id := range ids {
			switch err := s.erase(ctx, id); core.CodeOf(err) {
			case "":
				some = true
				erased++
			case core.Conflict, core.NotFound:
			default:
				return erased, fmt.Errorf("erase session: %w", err)
			}
		}
		if len(ids) < sweepBatch || !some {
			return erased, nil
		}
	}
}

// Serve finishes what was not erased wholly and runs the expiry, every hour until ctx ends.
func (s *Service) Serve(ctx context.Context) error {
	for {
		if err := s.finish(ctx); err != nil && ctx.Err() == nil {
			s.d.Log.Error("Journals of erased sessions cannot be removed", "error", err)
		}
		n, err := s.Expire(ctx)
		if err != nil && ctx.Err() == nil {
			s.d.Log.Error("Expired sessions cannot be erased", "error", err)
		}
		if n > 0 {
			s.d.Log.Info("Expired sessions erased", "count", n)
			if s.d.Expired != nil {
				s.d.Expired(ctx, n, err)
			}
		}
		wake := make(chan struct{})
		stop := s.d.After(sweepEvery, func() { close(wake) })
		select {
		case <-wake:
		case <-ctx.Done():
			stop()
			return ctx.Err()
		}
	}
}
