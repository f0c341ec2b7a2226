// Package llm is the contract with a language model: requests and answers as plain data, typed errors, model names,
// aliases, catalogue, retry and failover. Providers live in sub-packages, which only daemon imports: their SDKs cost
// minutes to build and milliseconds to start.
package llm

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"time"

	"jarvis/core"
)

// Request is one request to a model. It holds no function, channel or pointer to live state, so it can be stored, hashed
// and replayed.
type Request struct {
	System      []Block         `json:"system,omitempty"`
	Tools       []Tool          `json:"tools,omitempty"` // sorted by name, schemas canonical: a cached prefix must not move
	Messages    []Message       `json:"messages"`
	Choice      string          `json:"choice,omitempty"`     // "" = auto, "any", "none"
	MaxTokens   int             `json:"max_tokens,omitempty"` // of the answer; 0 = the model's own limit
	Temperature *float64        `json:"temperature,omitempty"`
	Thinking    string          `json:"thinking,omitempty"` // "" or off, low, medium, high
	Schema      json.RawMessage `json:"schema,omitempty"`   // the answer must be one JSON value of this schema
	CacheAfter  []int           `json:"cache_after,omitempty"`
	Lang        string          `json:"lang,omitempty"` // the caller's language and zone; builtin/offline reads them
	TZ          string          `json:"tz,omitempty"`
}

// Block is one part of the system prompt.
type Block struct {
	Text string `json:"text"`
}

// Tool is a tool as a model sees it; Schema is a JSON schema of its parameters.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// Message is one turn. Role is core.RoleUser or core.RoleAssistant; tool results travel in a user message.
type Message struct {
	Role  string `json:"role"`
	Parts []Part `json:"parts"`
}

// The types of a Part. An image or PDF is PartBlob with its media type.
const (
	PartText       = "text"
	PartReasoning  = "reasoning"
	PartToolUse    = "tool_use"
	PartToolResult = "tool_result"
	PartBlob       = "blob"
)

// Part is a piece of a message.
type Part struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"` // text, reasoning, result
	Call      core.CallID     `json:"call,omitempty"` // of tool_use and tool_result
	Name      string          `json:"name,omitempty"` // the tool's, or the blob's file name
	Args      json.RawMessage `json:"args,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Blob      core.Digest     `json:"blob,omitempty"`
	MediaType string          `json:"media_type,omitempty"`
	Opaque    *core.Opaque    `json:"opaque,omitempty"` // dropped by every provider but the one it names
}

// DeltaKind says what a Delta carries.
type DeltaKind string

// The kinds of a Delta.
const (
	DeltaText      DeltaKind = "text"
	DeltaReasoning DeltaKind = "reasoning"
	DeltaOpaque    DeltaKind = "opaque" // Part.Opaque belongs to the reasoning before it (a signature)
	DeltaCall      DeltaKind = "call"   // Part is a whole tool_use, its Args valid JSON
	DeltaUsage     DeltaKind = "usage"  // cumulative for this request; the last one counts
	DeltaFinish    DeltaKind = "finish" // Finish; exactly one, last
	DeltaModel     DeltaKind = "model"  // Text is the ref of the model that answers; once, before its first token
	DeltaRetry     DeltaKind = "retry"  // Retry: an attempt was refused and will be repeated after a wait
	DeltaNotice    DeltaKind = "notice" // Text is one sentence for people (answered by the fallback model …)
)

// The reasons in Delta.Finish.
const (
	FinishEnd       = "end_turn"
	FinishToolUse   = "tool_use"
	FinishMaxTokens = "max_tokens"
	FinishRefusal   = "refusal"
)

// Delta is one piece of a streamed answer.
type Delta struct {
	Kind   DeltaKind
	Text   string
	Part   *Part
	Usage  *core.Usage
	Finish string
	Retry  *Retry
}

// Retry tells of one refused attempt.
type Retry struct {
	Provider string
	Wait     time.Duration
	Cause    string // one line, without secrets
}

// Info is what the catalogue or the provider knows of a model. Zero means unknown.
type Info struct {
	Ref       string `json:"ref"`  // "provider/model"
	Name      string `json:"name"` // for people
	Window    int    `json:"context_window"`
	MaxOutput int    `json:"max_output"`
	Price     *Price `json:"price,omitempty"` // nil = unknown; local models have a zero price
	Images    bool   `json:"images"`
	PDF       bool   `json:"pdf"`
	Tools     bool   `json:"tools"`
	Reasoning bool   `json:"reasoning"`
	Schema    bool   `json:"schema"` // takes Request.Schema itself
	Local     bool   `json:"local"`  // runs on this machine
	Installed bool   `json:"installed"`

	MaybeImages bool       `json:"-"` // nobody has told whether it takes images: Images is no answer, trying is
	MaybePDF    bool       `json:"-"`
	Said        *Abilities `json:"-"` // what a person says it takes, over all that others tell
}

// Abilities are a person's word on what a model takes; nil = not said.
type Abilities struct{ Images, PDF, Tools *bool }

// Price is in micro-USD a million tokens.
type Price struct {
	In         core.MicroUSD `json:"in"`
	Out        core.MicroUSD `json:"out"`
	CacheRead  core.MicroUSD `json:"cache_read"`
	CacheWrite core.MicroUSD `json:"cache_write"`
}

// Cost prices a usage, rounded up to a micro-dollar; a nil price marks it unpriced.
func (p *Price) Cost(u core.Usage) core.Usage {
	if p == nil {
		u.Unpriced = true
		return u
	}
	sum := int64(p.In)*u.In + int64(p.Out)*u.Out + int64(p.CacheRead)*u.CacheRead + int64(p.CacheWrite)*u.CacheWrite
	u.Cost = core.MicroUSD((sum + 999_999) / 1_000_000)
	return u
}

// Model streams one answer. Breaking out of the loop or cancelling ctx ends the request. The error, when there is one, is
// the last pair yielded, is an *Error unless ctx ended, and nothing is retried once a text, reasoning or call delta came.
type Model interface {
	Ref() string // "provider/model"
	Info() Info
	Stream(ctx context.Context, r Request) iter.Seq2[Delta, error]
}

// Chooser is a Model that stands for several. Choose names the one for a chain whose first request is r, before that request is
// built for it: r has every tool that the chain may use, also when the model that comes of it takes none.
type Chooser interface {
	Choose(r Request) Model
}

// Resolver finds a model by what a person typed: a full ref, a bare name, an alias, "" or "auto" for the configured one.
// An unknown name is core.BadRequest with the nearest names in its hint.
type Resolver interface {
	Resolve(ctx context.Context, name string) (Model, error)
}

// Provider offers models of one service.
type Provider interface {
	Name() string                               // the first part of a ref
	Models(ctx context.Context) ([]Info, error) // asks the service; costs no tokens
	Model(id string) (Model, error)             // id without the provider's name
}

// Blobs gives a provider the bytes of a Part's blob.
type Blobs interface {
	Get(ctx context.Context, d core.Digest) (io.ReadCloser, error)
}
