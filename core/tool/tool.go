// Package tool is the contract of a tool, the registry and the permission policy. It contains no tool: each lives with the
// service whose effect it is. It may not import those services.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"jarvis/core"
)

// Effect is what running a call does to the world outside the user's own lists and memory.
type Effect string

// The effects that people see and policy judges. A plan without any needs no permission.
const (
	Reads   Effect = "read"
	Writes  Effect = "write"
	Execs   Effect = "exec"
	Network Effect = "network"
	Outside Effect = "outside"
	Sends   Effect = "send"
)

// Spec is a tool as models and people see it.
type Spec struct {
	Name        string
	Description string          // for the model: one or two sentences
	Schema      json.RawMessage // JSON schema of the parameters: an object with "additionalProperties": false
	ReadOnly    bool            // calls of one iteration that only read run in parallel
}

// Env is where a call happens.
type Env struct {
	User    core.UserID
	Session core.SessionID
	Chain   core.ChainID
	Agent   core.AgentID
	Now     time.Time
	TZ      string // IANA name, "" = the daemon's
	Lang    string
}

// Call is one tool_use of a model. Args are JSON, not yet validated.
type Call struct {
	ID     core.CallID
	Args   json.RawMessage
	Env    Env
	Output func([]byte) // becomes tool_output events; may be nil
}

// Plan is what a person would be asked about: no effect has happened yet.
type Plan struct {
	Effects       []Effect
	Preview       string            // the exact command, the diff
	Preconditions map[string]string // what must still hold when it runs
}

// Result is what the model gets back.
type Result struct {
	Text    string
	IsError bool
}

// Tool is one tool. Plan validates, resolves and previews, and has no effect; an error from it is shown to the model. Run
// does what was planned; it answers core.Conflict when a precondition of the plan no longer holds.
type Tool interface {
	Spec() Spec
	Plan(ctx context.Context, c Call) (Plan, error)
	Run(ctx context.Context, c Call, p Plan) (Result, error)
}

// Func makes a Tool of three values.
type Func struct {
	S Spec
	P func(context.Context, Call) (Plan, error) // nil = no effects
	R func(context.Context, Call, Plan) (Result, error)
}

// Spec gives S.
func (f Func) Spec() Spec { return f.S }

// Plan calls P.
func (f Func) Plan(ctx context.Context, c Call) (Plan, error) {
	if f.P == nil {
		return Plan{}, nil
	}
	return f.P(ctx, c)
}

// Run calls R.
func (f Func) Run(ctx context.Context, c Call, p Plan) (Result, error) { return f.R(ctx, c, p) }

// Registry holds the tools by name. It is safe for concurrent use.
type Registry struct {
	mu sync.RWMutex // guards m
	m  map[string]Tool
}

// NewRegistry makes an empty registry.
func NewRegistry() *Registry { return &Registry{m: map[string]Tool{}} }

// Add puts tools in; a name twice is a mistake in the wiring.
func (r *Registry) Add(ts ...Tool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range ts {
		n := t.Spec().Name
		if _, dup := r.m[n]; dup {
			return fmt.Errorf("tool %q is registered twice", n)
		}
		r.m[n] = t
	}
	return nil
}

// Get finds a tool by its name.
func (r *Registry) Get(name string) (Tool, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	t, ok := r.m[name]
	return t, ok
}

// Specs lists the tools that names allow, sorted by name (a cached prompt prefix must not move). nil allows all.
func (r *Registry) Specs(names []string) []Spec {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var out []Spec
	for n, t := range r.m {
		if names == nil || slices.Contains(names, n) {
			out = append(out, t.Spec())
		}
	}
	slices.SortFunc(out, func(a, b Spec) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Decode reads a call's arguments strictly into v: an unknown parameter is an error that the model sees.
func Decode(c Call, v any) error {
	args := c.Args
	if len(strings.TrimSpace(string(args))) == 0 {
		args = json.RawMessage("{}")
	}
	d := json.NewDecoder(strings.NewReader(string(args)))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return core.E(core.BadRequest, "bad arguments: "+strings.TrimPrefix(err.Error(), "json: "), "", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return core.E(core.BadRequest, "bad arguments: more than one value", "", nil)
	}
	return nil
}
