// Package chat runs chains: intake, lanes, the turn loop, stop, the disconnect rule and recovery. It is the one door: CLI,
// screen, gateway, scheduler and bridges all call it.
//
// It takes time, ids, models and tools only through Deps, so that a journal can be replayed; it never sees a provider, a
// store's implementation or a front end.
package chat

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/tool"
)

// Store is what a chain needs kept. Every method is one transaction and durable when it returns.
type Store interface {
	// Accept stores an intake and returns the chain with its position and its place in the lane (1 = next); it is queued, or
	// running when the intake has an owner and the lane was free, which spares a commit before the first word. The same chain id
	// or dedupe key by the same user returns the first chain, with place 0; by another user it is core.NotFound. The lane's
	// bound (100 queued) is core.RateLimited. The session must exist and belong to the chain's user, or come in the intake.
	Accept(ctx context.Context, in core.Intake) (c core.Chain, place int, err error)
	// Claim takes the lane's next chain for owner: state running. false when nothing waits or a chain of the lane is running.
	Claim(ctx context.Context, lane string, owner core.InstanceID, at time.Time) (core.Chain, bool, error)
	// Append stores one iteration; idempotent per (chain, step); core.Conflict when another instance owns the chain.
	Append(ctx context.Context, p core.Progress) error
	// Finish ends a running chain exactly once (core.Conflict when it is ended already or owned by another instance) and
	// updates the session's modified time.
	Finish(ctx context.Context, e core.Ending) error
	// Drop ends a queued chain that will not run: its message stays; core.Conflict when it is not queued.
	Drop(ctx context.Context, e core.Ending) error
	// Adopt makes self the owner of an open chain of a dead instance, so that recovery can finish it.
	Adopt(ctx context.Context, id core.ChainID, self core.InstanceID) (core.Chain, error)
	// Unfinished yields every open chain (queued, running, waiting) that self does not own; queued ones have no owner. One that
	// cannot be read comes with its id alone and the error, and the others behind it; an error without an id is the end.
	Unfinished(ctx context.Context, self core.InstanceID) iter.Seq2[core.Chain, error]
	// Chain reads one chain; core.NotFound.
	Chain(ctx context.Context, id core.ChainID) (core.Chain, error)
	// History pages through a session's messages (core.Page.Through bounds it to a position).
	History(ctx context.Context, s core.SessionID, p core.Page) ([]core.Message, core.Cursor, error)
	// Session reads one session; core.NotFound.
	Session(ctx context.Context, id core.SessionID) (core.Session, error)
	Summaries
}

// Summaries are what stands in prompts for older chains. They come with core.Progress.
type Summaries interface {
	// Summary is a session's newest one, which has taken in the earlier ones; false when there is none.
	Summary(ctx context.Context, id core.SessionID) (core.Summary, bool, error)
	// UndoSummary takes the newest one away and returns it; core.NotFound when there is none, or no such session of the user.
	UndoSummary(ctx context.Context, user core.UserID, id core.SessionID) (core.Summary, error)
}

// Journal keeps every event of a chain before a client sees it.
type Journal interface {
	// Open opens a chain's journal for writing, creating it when it is missing; a half-written last line is cut off.
	Open(id core.ChainID) (Log, error)
	// Read yields every event after a number, first those on disk, then live ones as they are appended by this process, and
	// ends after the terminal event, or when ctx ends, or with core.NotFound when there is no such journal. A reader that is
	// behind may get neighbouring text (or reasoning, or one call's tool_output) events joined into one with the last number.
	Read(ctx context.Context, id core.ChainID, after uint64) iter.Seq2[core.Event, error]
}

// Log is one chain's open journal.
type Log interface {
	// Append numbers and writes an event with one write(2) before any reader sees it. A terminal event is synced and seals.
	Append(e core.Event) (seq uint64, err error)
	// Record writes a line without a number, for replay: request manifest, provider attempts, clock readings.
	Record(kind string, v any) error
	// Last is the number of the last event, 0 when there is none.
	Last() uint64
	// Sealed reports whether the terminal event is there.
	Sealed() bool
	Close() error
}

// Blobs keeps attachments by their content.
type Blobs interface {
	Put(ctx context.Context, r io.Reader) (d core.Digest, size int64, err error)
	Get(ctx context.Context, d core.Digest) (io.ReadCloser, error)
}

// Settings are what a chain takes from the configuration snapshot it starts with.
type Settings struct {
	MaxIterations int `json:"max_iterations"` // 0 = 100
	MaxTokens     int `json:"max_tokens"`     // 0 = 4096
	ToolArguments int `json:"tool_arguments"` // bytes; 0 = 1 MiB
	Prompt        int `json:"prompt"`         // bytes of one message; 0 = 10 MiB
}

// Deps is all that chat sees of the world.
type Deps struct {
	Store    Store
	Journal  Journal
	Blobs    Blobs
	Models   llm.Resolver
	Tools    *tool.Registry
	Settings func() Settings // called once a chain
	Now      func() time.Time
	After    func(d time.Duration, f func()) (stop func() bool) // time.AfterFunc; tests give their own
	NewID    func() string                                      // UUIDv7
	// Todos gives the user's list, whose open entries travel with each new message; nil = none do.
	Todos func(ctx context.Context, user core.UserID) ([]core.Todo, error)
	// Marked gives a session's marked messages in order, which travel with each new message; nil = none do.
	Marked func(ctx context.Context, s core.SessionID) ([]core.Message, error)
	Budget Budget // nil = no limits on what is spent
	Self   core.InstanceID
	// Accepted is told the session of each chain that was stored, from within Ask: it must be quick. nil = nobody wants to know.
	Accepted func(core.SessionID)
	Log      *slog.Logger
	// ValidateJSON checks an answer against a JSON schema and gives it back, repaired where only its writing was wrong (a
	// code fence, a trailing comma). The error says in one line what is wrong; models read it. With a nil value only the
	// schema itself is checked. nil = answers with a schema are refused.
	ValidateJSON func(schema, value []byte) ([]byte, error)
}
