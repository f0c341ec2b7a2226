// Package api holds the routes, request and response types and the error envelope of the control API, shared by server and
// client. It imports core's nouns only, because the thin command links it.
package api

import (
	"encoding/json"

	"jarvis/core"
)

// VersionHeader carries the daemon's version on every response; RequestIDHeader the id that the log has of a request.
const (
	VersionHeader   = "X-Jarvis-Version"
	RequestIDHeader = "X-Request-Id"
)

// The routes of the control API, as net/http patterns.
const (
	RouteHealth       = "GET /healthz"
	RouteReady        = "GET /readyz"
	RouteStatus       = "GET /api/status"
	RouteShutdown     = "POST /api/shutdown"
	RouteChat         = "POST /api/chat"
	RouteChatStop     = "POST /api/chat/stop"
	RouteChain        = "GET /api/chains/{id}"
	RouteChainEvents  = "GET /api/chains/{id}/events"
	RouteSessions     = "GET /api/sessions"
	RouteSession      = "GET /api/sessions/{id}"
	RouteSessionPage  = "GET /api/sessions/{id}/messages"
	RouteSessionRm    = "DELETE /api/sessions/{id}"
	RouteSystemPrompt = "GET /api/sessions/{id}/system-prompt"
	RoutePromptBlocks = "GET /api/sessions/{id}/system-prompt-blocks"
	RouteTodos        = "GET /api/todo"
	RouteTodoAdd      = "POST /api/todo"
	RouteTodoSet      = "PUT /api/todo/{n}"
	RouteModels       = "GET /api/models"
	RouteModelTest    = "POST /api/models/test"
	RouteModelPull    = "POST /api/models/pull"
	RouteModelRm      = "DELETE /api/models/{ref...}"
)

// Chat is the body of RouteChat; all but Content are optional. The answer is a stream of the chain's events.
type Chat struct {
	Content      string            `json:"content"`
	Session      core.SessionID    `json:"session_id,omitempty"` // seed 001's sessionId is accepted too
	Chain        core.ChainID      `json:"chain,omitempty"`
	Agent        core.AgentID      `json:"agent,omitempty"`
	Model        string            `json:"model,omitempty"`
	Attachments  []Attachment      `json:"attachments,omitempty"`
	OnDisconnect core.OnDisconnect `json:"on_disconnect,omitempty"` // default continue
	Continue     bool              `json:"continue,omitempty"`      // the caller's newest ask session of Cwd, else the newest anywhere
	Schema       json.RawMessage   `json:"schema,omitempty"`
	System       string            `json:"system,omitempty"`
	Workspace    string            `json:"workspace,omitempty"`
	Mode         string            `json:"mode,omitempty"`
	Tools        []string          `json:"tools,omitzero"`      // absent = the default set, empty = none
	Responder    core.Responder    `json:"responder,omitempty"` // default none
	TimeoutMS    int64             `json:"timeout_ms,omitempty"`
	MaxCostUSD   float64           `json:"max_cost_usd,omitempty"`
	Cwd          string            `json:"cwd,omitempty"`
	Lang         string            `json:"lang,omitempty"`
	TZ           string            `json:"tz,omitempty"`
	Private      bool              `json:"private,omitempty"`
	Arrival      string            `json:"arrival,omitempty"` // queue (default); steer and replace come with the screen
	Origin       string            `json:"origin,omitempty"`  // cli or tui; default api
}

// MaxAttachments is how many files go with one request.
const MaxAttachments = 100

// Attachment is a file sent with a request: Data is base64 in JSON, or Blob names one that is stored already.
type Attachment struct {
	Name      string      `json:"name"`
	MediaType string      `json:"media_type,omitempty"`
	Data      []byte      `json:"data,omitempty"`
	Blob      core.Digest `json:"blob,omitempty"`
}

// ChatStop is the body of RouteChatStop: one of the two.
type ChatStop struct {
	Session core.SessionID `json:"session_id,omitempty"`
	Chain   core.ChainID   `json:"chain,omitempty"`
}

// List is the answer of every listing.
type List[T any] struct {
	Items      []T         `json:"items"`
	NextCursor core.Cursor `json:"next_cursor"`
}

// PromptBlock is one block of the system prompt as people inspect it.
type PromptBlock struct {
	Icon     string `json:"icon"`
	Label    string `json:"label"`
	Content  string `json:"content"`
	Volatile bool   `json:"volatile"` // travels with the newest message instead of the system prompt
}

type (
	// TodoAdd is the body of RouteTodoAdd.
	TodoAdd struct {
		Content string `json:"content"`
	}
	// TodoSet is the body of RouteTodoSet; Status is one of core's.
	TodoSet struct {
		Status string `json:"status"`
	}
)

// Model is one row of RouteModels.
type Model struct {
	Ref       string  `json:"ref"`
	Name      string  `json:"name"`
	Provider  string  `json:"provider"`
	Window    int     `json:"context_window"`
	InUSD     float64 `json:"usd_per_mtok_in"`
	OutUSD    float64 `json:"usd_per_mtok_out"`
	Priced    bool    `json:"priced"`
	Local     bool    `json:"local"`
	Installed bool    `json:"installed"`            // usable now: its provider answers and, when local, it is on disk
	Default   bool    `json:"default"`              // what model: auto means now
	Size      int64   `json:"size_bytes,omitempty"` // what fetching it would bring; 0 = unknown or nothing
	Note      string  `json:"note,omitempty"`
}

type (
	// ModelTest is the body of RouteModelTest.
	ModelTest struct {
		Model   string `json:"model"`
		Resolve bool   `json:"resolve,omitempty"` // only say which model the name means; it is sent nothing
	}
	// ModelTested is its answer.
	ModelTested struct {
		Model      string         `json:"model"`
		OK         bool           `json:"ok"`
		Answer     string         `json:"answer"`
		FirstMS    int64          `json:"first_token_ms"`
		DurationMS int64          `json:"duration_ms"`
		Error      *ErrorBody     `json:"error,omitempty"`
		Usage      *core.DoneData `json:"usage,omitempty"`
	}
)

type (
	// ModelPull is the body of RouteModelPull.
	ModelPull struct {
		Model string `json:"model"`
	}
	// PullProgress is one event of its answer, in bytes; the last one has Done or Error.
	PullProgress struct {
		File  string     `json:"file,omitempty"`
		Bytes int64      `json:"bytes"`
		Total int64      `json:"total"`
		Done  bool       `json:"done,omitempty"`
		Error *ErrorBody `json:"error,omitempty"`
	}
)

// The states of a daemon in Status.
const (
	StateStopped   = "stopped"
	StateStarting  = "starting"
	StateMigrating = "migrating"
	StateReady     = "ready"
	StateDegraded  = "degraded"
	StateDamaged   = "damaged"
	StateStopping  = "stopping"
)

// Status is the answer of RouteStatus and of `daemon status -o json`.
type Status struct {
	PID       int               `json:"pid"`
	Version   string            `json:"version"`
	Home      string            `json:"home"` // where the data lies
	Socket    string            `json:"socket"`
	Listen    string            `json:"listen"`
	Uptime    int64             `json:"uptime_seconds"`
	Warnings  []string          `json:"warnings"`
	State     string            `json:"state"`
	Model     string            `json:"model,omitempty"` // what model: auto means now
	Language  string            `json:"language,omitempty"`
	Theme     string            `json:"theme,omitempty"`         // of screens
	Running   int               `json:"running,omitempty"`       // chains
	Queued    int               `json:"queued,omitempty"`        // chains
	QueueAge  int64             `json:"queue_age_ms,omitempty"`  // of the oldest queued chain
	Providers []string          `json:"provider_vars,omitempty"` // names of the provider variables the daemon sees
	Services  map[string]string `json:"services,omitempty"`
	Limits    *Limits           `json:"limits,omitempty"`
}

// Limits are the sizes in bytes that the daemon takes: of one prompt, one attachment, and one request as a whole.
type Limits struct {
	Prompt     int64 `json:"prompt"`
	Attachment int64 `json:"attachment"`
	Request    int64 `json:"request"`
}

// Ready is the answer of RouteReady: each component's state.
type Ready struct {
	Ready      bool              `json:"ready"`
	Components map[string]string `json:"components"`
}

// Headers of a request or response beyond VersionHeader. In a request VarsHeader lists, by comma, the names of the provider
// variables that the caller's shell has; in the response those of them that the daemon has not. Never values.
const (
	VarsHeader    = "X-Jarvis-Vars"
	ChainHeader   = "X-Jarvis-Chain"
	SessionHeader = "X-Jarvis-Session"
)

// Stopped is the answer of RouteChatStop: the chains that were open.
type Stopped struct {
	Stopped []core.ChainID `json:"stopped"`
}

// SystemPrompt is the answer of RouteSystemPrompt.
type SystemPrompt struct {
	Prompt string `json:"prompt"`
}
