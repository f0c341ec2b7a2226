package storetest

import (
	"context"
	"iter"
	"time"

	"jarvis/core"
)

// The interfaces are those of core/chat, core/session and core/todo, written out: a service's own tests can run the suite
// against their fakes, which an import of the service would forbid. A test holds that they are the same.
type (
	// Chats is chat.Store.
	Chats interface {
		Accept(ctx context.Context, in core.Intake) (c core.Chain, place int, err error)
		Claim(ctx context.Context, lane string, owner core.InstanceID, at time.Time) (core.Chain, bool, error)
		Append(ctx context.Context, p core.Progress) error
		Finish(ctx context.Context, e core.Ending) error
		Drop(ctx context.Context, e core.Ending) error
		Adopt(ctx context.Context, id core.ChainID, self core.InstanceID) (core.Chain, error)
		Unfinished(ctx context.Context, self core.InstanceID) iter.Seq2[core.Chain, error]
		Chain(ctx context.Context, id core.ChainID) (core.Chain, error)
		History(ctx context.Context, s core.SessionID, p core.Page) ([]core.Message, core.Cursor, error)
		Session(ctx context.Context, id core.SessionID) (core.Session, error)
		Summary(ctx context.Context, id core.SessionID) (core.Summary, bool, error)
		UndoSummary(ctx context.Context, user core.UserID, id core.SessionID) (core.Summary, error)
	}

	// Sessions is session.Store.
	Sessions interface {
		Session(ctx context.Context, id core.SessionID) (core.Session, error)
		Sessions(ctx context.Context, user core.UserID, hidden bool, p core.Page) ([]core.Session, core.Cursor, error)
		FindSessions(ctx context.Context, user core.UserID, typed string, n int) ([]core.SessionID, error)
		LastAsk(ctx context.Context, user core.UserID, cwd string) (core.Session, error)
		History(ctx context.Context, s core.SessionID, p core.Page) ([]core.Message, core.Cursor, error)
		Chains(ctx context.Context, s core.SessionID, p core.Page) ([]core.Chain, core.Cursor, error)
		DeleteSession(ctx context.Context, id core.SessionID) ([]core.ChainID, error)
		Orphans(ctx context.Context, n int) ([]core.ChainID, error)
		Forget(ctx context.Context, ids ...core.ChainID) error
		Expired(ctx context.Context, before time.Time, n int) ([]core.SessionID, error)
	}

	// Live is what live.Store has beyond those of session.Store and chat.Store.
	Live interface {
		ChainsAfter(ctx context.Context, s core.SessionID, pos uint64, n int) ([]core.Chain, error)
	}

	// Todos is todo.Store.
	Todos interface {
		Todos(ctx context.Context, list string) ([]core.Todo, error)
		AddTodo(ctx context.Context, list, content string, at time.Time, max int) (core.Todo, error)
		SetTodos(ctx context.Context, list string, todos []core.Todo, at time.Time) ([]core.Todo, error)
		SetTodo(ctx context.Context, list string, n uint64, status string) (core.Todo, error)
	}

	// Store is a whole store.
	Store interface {
		Chats
		Sessions
		Live
		Todos
	}
)
