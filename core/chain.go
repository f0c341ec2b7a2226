package core

import (
	"encoding/json"
	"time"
)

// ChainState is where a chain is between acceptance and end.
type ChainState string

// queued → running ⇄ waiting (for a permission; it holds the lane) → ended.
const (
	Queued  ChainState = "queued"
	Running ChainState = "running"
	Waiting ChainState = "waiting"
	Ended   ChainState = "ended"
)

// StopReason says why a chain ended.
type StopReason string

// The stop reasons of DESIGN 5.
const (
	EndTurn            StopReason = "end_turn"
	MaxIterations      StopReason = "max_iterations"
	Failed             StopReason = "error"
	Stopped            StopReason = "stopped"
	ClientDisconnected StopReason = "client_disconnected"
	Interrupted        StopReason = "interrupted"
	OverBudget         StopReason = "budget"
	Loop               StopReason = "loop"
	Refused            StopReason = "refused"
	TimedOut           StopReason = "timeout"
)

// OnDisconnect says what becomes of a chain that nobody reads any more.
type OnDisconnect string

// Cancel stops a chain ten seconds after its last reader left; Continue lets it finish.
const (
	Cancel   OnDisconnect = "cancel"
	Continue OnDisconnect = "continue"
)

// Responder says who can be asked for permission while a chain runs.
type Responder string

// With RespondNone every question is answered "no" at once; with RespondUser it waits for the session's user.
const (
	RespondNone Responder = "none"
	RespondUser Responder = "user"
)

// Origin says through which door a chain came and what makes it unique there.
type Origin struct {
	Kind   string `json:"kind"`             // cli tui api job telegram matrix
	Source string `json:"source,omitempty"` // e.g. "telegram:mybot"
	Key    string `json:"key,omitempty"`    // dedupe key inside Source; "" = none
	Cursor string `json:"cursor,omitempty"` // the source's new position, stored in the same transaction
}

// Params are a request's own wishes. They are stored with the chain, so that a queued one survives a restart unchanged.
type Params struct {
	Model     string          `json:"model,omitempty"`      // as asked for: a full name, a bare one, an alias, "" = the session's or the default
	System    string          `json:"system,omitempty"`     // replaces the conduct block of a plain ask
	Schema    json.RawMessage `json:"schema,omitempty"`     // the answer must be one JSON value that validates
	Tools     []string        `json:"tools,omitzero"`       // nil = the default set, empty = none
	TimeoutMS int64           `json:"timeout_ms,omitempty"` // of the whole chain, from its start; 0 = none
	Cwd       string          `json:"cwd,omitempty"`        // the caller's folder
	Lang      string          `json:"lang,omitempty"`       // "de", "en", …
	TZ        string          `json:"tz,omitempty"`         // IANA name
	MaxCost   MicroUSD        `json:"max_cost,omitempty"`   // of the chain and its children; 0 = no limit of its own
}

// Usage counts the tokens of one or more requests. In excludes what was read from or written to the provider's cache.
type Usage struct {
	In         int64    `json:"in"`
	Out        int64    `json:"out"`
	CacheWrite int64    `json:"cache_write"`
	CacheRead  int64    `json:"cache_read"`
	Cost       MicroUSD `json:"cost,omitempty"`
	Unpriced   bool     `json:"unpriced,omitempty"` // some part of it has no known price, so Cost is not the whole
}

// Add sums two usages; an unknown price makes the sum's price unknown.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		In: u.In + v.In, Out: u.Out + v.Out, CacheWrite: u.CacheWrite + v.CacheWrite, CacheRead: u.CacheRead + v.CacheRead,
		Cost: u.Cost + v.Cost, Unpriced: u.Unpriced || v.Unpriced,
	}
}

// CostUSD is the cost in dollars, nil when a part of it is unknown.
func (u Usage) CostUSD() *float64 {
	if u.Unpriced {
		return nil
	}
	usd := float64(u.Cost) / 1e6
	return &usd
}

// Chain is one request and everything until its final answer.
type Chain struct {
	ID           ChainID      `json:"id"`
	Session      SessionID    `json:"session"`
	User         UserID       `json:"user"`
	Agent        AgentID      `json:"agent,omitempty"`
	Project      ProjectID    `json:"project,omitempty"`
	Origin       Origin       `json:"origin"`
	Lane         string       `json:"lane"`          // "session:<id>" or "project:<id>"
	Pos          uint64       `json:"pos,omitempty"` // assigned by the store at acceptance; the order inside a session and lane
	State        ChainState   `json:"state"`
	Owner        InstanceID   `json:"owner,omitempty"` // the daemon that runs it; fences its writes
	Responder    Responder    `json:"responder"`
	OnDisconnect OnDisconnect `json:"on_disconnect"`
	Params       Params       `json:"params"`
	System       string       `json:"system,omitempty"` // the system prompt as sent
	Model        string       `json:"model,omitempty"`  // the model that answered
	Stop         StopReason   `json:"stop,omitempty"`
	Usage        Usage        `json:"usage"`
	Iterations   int          `json:"iterations,omitempty"`
	Last         uint64       `json:"last,omitempty"` // number of the terminal event, named before that event is written
	Created      time.Time    `json:"created"`
	Started      time.Time    `json:"started,omitzero"`
	Done         time.Time    `json:"done,omitzero"`
}

// Ask is what a front end wants of core/chat: one message to one session.
type Ask struct {
	Chain        ChainID   // "" = minted here
	Session      SessionID // "" = a new hidden session
	User         UserID
	Agent        AgentID
	Text         string
	Attachments  []Attachment // their blobs are stored already
	Params       Params
	Origin       Origin
	OnDisconnect OnDisconnect
	Responder    Responder
	Private      bool // keep nothing on disk
}

// Intake, Progress and Ending are the transactions of a chain: acceptance, one iteration, the end.

// Intake is stored whole or not at all: the chain as queued, its message, its place in the lane, its dedupe key and,
// when the session is new, the session.
type Intake struct {
	Chain   Chain
	Message Message
	Session *Session // to create; nil = Chain.Session exists
	Title   string   // for a session that exists and has none
	// Owner claims the chain at once, in the same transaction, when nothing of its lane waits or runs: the state is then running.
	// "" = leave it queued.
	Owner InstanceID
}

// Progress is what one iteration adds. It is idempotent per (chain, step) and refused when Owner does not hold the chain.
//
// A step's usage is added to the usage rows of its chain's user (by day, model, agent and session) in the same transaction;
// Debits are added to their accounts, and the step's reservation goes.
type Progress struct {
	Chain    ChainID
	Owner    InstanceID
	Step     *Step
	Messages []Message
	Debits   []Debit
	// Summary was made in this turn; core.Conflict, and nothing is stored, when the session's newest one is not the one that it
	// takes in.
	Summary *Summary
}

// Ending closes a chain exactly once.
type Ending struct {
	Progress
	Stop   StopReason
	Model  string
	System string
	Usage  Usage
	Iters  int
	Done   time.Time
	Last   uint64 // number of the terminal event, which is written after this transaction
}

// Step is one request to a model.
type Step struct {
	Chain     ChainID   `json:"chain"`
	N         int       `json:"n"`             // from 1; 0 is the request that made a summary
	Day       Period    `json:"day,omitempty"` // that its usage counts to
	Model     string    `json:"model"`
	Usage     Usage     `json:"usage"`
	Finish    string    `json:"finish"`
	Started   time.Time `json:"started"`
	FirstByte time.Time `json:"first_byte,omitzero"`
	Done      time.Time `json:"done"`
}
