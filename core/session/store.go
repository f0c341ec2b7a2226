// Package session lists, reads and erases conversations. It may not run chains: that is core/chat's.
package session

import (
	"context"
	"time"

	"jarvis/core"
)

// Store is what sessions need kept. Every method is one transaction.
type Store interface {
	// Session reads one session; core.NotFound.
	Session(ctx context.Context, id core.SessionID) (core.Session, error)
	// Sessions pages through a user's sessions, newest first by Modified; hidden ones only when asked for.
	Sessions(ctx context.Context, user core.UserID, hidden bool, p core.Page) ([]core.Session, core.Cursor, error)
	// FindSessions gives the ids of a user's sessions that a typed id names (core.MatchID), at most n, without a scan.
	FindSessions(ctx context.Context, user core.UserID, typed string, n int) ([]core.SessionID, error)
	// LastAsk gives the user's newest session that `ask` made in the folder cwd ("" = anywhere); core.NotFound.
	LastAsk(ctx context.Context, user core.UserID, cwd string) (core.Session, error)
	// History pages through a session's messages.
	History(ctx context.Context, s core.SessionID, p core.Page) ([]core.Message, core.Cursor, error)
	// Chains pages through a session's chains in order.
	Chains(ctx context.Context, s core.SessionID, p core.Page) ([]core.Chain, core.Cursor, error)
	// DeleteSession erases a session with its messages, chains, steps, dedupe rows and blob references, and returns its
	// chains, whose journals the caller removes and then says so by Forget; core.Conflict while one of its chains is open.
	DeleteSession(ctx context.Context, id core.SessionID) ([]core.ChainID, error)
	// Orphans gives at most n erased chains for which Forget has not been called: a crash came between.
	Orphans(ctx context.Context, n int) ([]core.ChainID, error)
	// Forget says that the journals of erased chains are gone.
	Forget(ctx context.Context, ids ...core.ChainID) error
	// Expired gives hidden sessions not modified since before, at most n.
	Expired(ctx context.Context, before time.Time, n int) ([]core.SessionID, error)
}
