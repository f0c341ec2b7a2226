package chat

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sync"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/prompt"
	"jarvis/core/tool"
)

// The bounds of the tools of one iteration.
const (
	maxParallel = 8
	maxResult   = 4 << 20 // bytes of one result
	loopAfter   = 3       // the same calls with the same results so many times are a loop
)

// toolsOf gives the tools that a model is offered, sorted by name. A model that is known to take none gets none.
func (s *Service) toolsOf(names []string, info llm.Info) []llm.Tool {
	if s.d.Tools == nil || (known(info) && !info.Tools) {
		return nil
	}
	var out []llm.Tool
	for _, sp := range s.d.Tools.Specs(names) {
		out = append(out, llm.Tool{Name: sp.Name, Description: sp.Description, Schema: canonical(sp.Schema)})
	}
	return out
}

// canonical writes a schema with its keys sorted and without white space: a cached prefix must not move with its writing.
func canonical(schema json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return schema
	}
	b, err := json.Marshal(v)
	if err != nil {
		return schema
	}
	return b
}

// known reports whether the catalogue knows a model: of one that it does not, "no" means "unknown".
func known(i llm.Info) bool {
	return i.Window > 0 || i.MaxOutput > 0 || i.Tools || i.Images || i.PDF || i.Reasoning || i.Schema
}

// runTools runs the calls of one iteration: neighbours that only read together, all others one by one. Results and their
// events keep the order of the calls. After a stop, calls that have not begun do not.
func (t *turn) runTools(ctx context.Context, calls []core.Message, problems map[core.CallID]string) []core.Message {
	results := make([]core.Message, 0, len(calls))
	for i := 0; i < len(calls); {
		n := 1
		if t.readOnly(calls[i].Tool) {
			for i+n < len(calls) && n < maxParallel && t.readOnly(calls[i+n].Tool) {
				n++
			}
		}
		batch := make([]tool.Result, n)
		var wg sync.WaitGroup
		for k := 1; k < n; k++ {
			wg.Go(func() { batch[k] = t.runTool(ctx, calls[i+k], problems) })
		}
		batch[0] = t.runTool(ctx, calls[i], problems)
		wg.Wait()
		for k, res := range batch {
			results = append(results, t.result(calls[i+k], res))
		}
		i += n
	}
	return results
}

func (t *turn) readOnly(name string) bool {
	tl, ok := t.offered(name)
	return ok && tl.Spec().ReadOnly
}

// offered finds a tool among those that the model was offered.
func (t *turn) offered(name string) (tool.Tool, bool) {
	for _, d := range t.tools {
		if d.Name == name {
			return t.s.d.Tools.Get(name)
		}
	}
	return nil, false
}

// result writes a result's event and makes its message.
func (t *turn) result(call core.Message, res tool.Result) core.Message {
	_, truncated := prompt.CutResult(res.Text)
	// An event that cannot be written ends the chain at the next one.
	_ = t.w.event(core.EventToolResult, res.Text, core.ToolResultData{
		Call: call.Call, Tool: call.Tool, OK: !res.IsError, Truncated: truncated,
	})
	return core.Message{
		Role: core.RoleUser, Type: core.TypeToolResult, Tool: call.Tool, Call: call.Call, Text: res.Text, IsError: res.IsError,
	}
}

// runTool plans and runs one call. Whatever goes wrong becomes a result that the model sees. A tool that does not end
// when its chain is stopped is left behind after a moment.
func (t *turn) runTool(ctx context.Context, call core.Message, problems map[core.CallID]string) tool.Result {
	if ctx.Err() != nil {
		return failedResult("stopped before it ran")
	}
	if p := problems[call.Call]; p != "" {
		return failedResult(p)
	}
	tl, ok := t.offered(call.Tool)
	if !ok {
		return failedResult(fmt.Sprintf("there is no tool %q", call.Tool))
	}
	start := t.s.d.Now()
	done := make(chan tool.Result, 1)
	go func() { done <- t.perform(ctx, tl, call) }()
	var res tool.Result
	select {
	case res = <-done:
	case <-ctx.Done():
		left := make(chan struct{})
		cancel := t.s.d.After(stopGrace, func() { close(left) })
		defer cancel()
		select {
		case res = <-done:
		case <-left:
			t.s.d.Log.Warn("Tool does not stop", "chain", t.c.ID, "tool", call.Tool)
			res = failedResult("stopped; it may or may not have run")
		}
	}
	t.w.record("tool", toolRecord{Start: start, End: t.s.d.Now(), Call: call.Call, Tool: call.Tool, OK: !res.IsError})
	return res
}

func (t *turn) perform(ctx context.Context, tl tool.Tool, m core.Message) (res tool.Result) {
	defer func() {
		if p := recover(); p != nil {
			t.s.d.Log.Error("Tool panicked", "chain", t.c.ID, "tool", m.Tool, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			res = failedResult("the tool failed with an internal error")
		}
	}()
	out := &outputs{w: t.w, call: m.Call}
	c := tool.Call{
		ID: m.Call, Args: m.Input, Output: out.write,
		Env: tool.Env{
			User: t.c.User, Session: t.c.Session, Chain: t.c.ID, Agent: t.c.Agent, Now: t.s.d.Now(),
			TZ: t.c.Params.TZ, Lang: t.c.Params.Lang,
		},
	}
	p, err := tl.Plan(ctx, c)
	if err != nil {
		return failedResult(line(err))
	}
	if d := tool.Decide(m.Tool, p, t.c.Responder); !d.Allowed {
		return failedResult(d.Reason)
	}
	res, err = tl.Run(ctx, c, p)
	if err != nil {
		return failedResult(line(err))
	}
	res.Text = toValid(res.Text)
	if len(res.Text) > maxResult {
		res.Text = toValid(res.Text[:maxResult]) + "\n[cut: the result was larger than 4 MiB]"
	}
	return res
}

func failedResult(text string) tool.Result { return tool.Result{Text: text, IsError: true} }

// loopGuard notices calls that are repeated without bringing anything new.
type loopGuard struct {
	counts map[[sha256.Size]byte]int
}

// seen counts one iteration's calls with their results and names the tool of a loop, "" when there is none. An iteration
// that brings anything new starts the count again.
func (g *loopGuard) seen(calls, results []core.Message) string {
	keys := map[[sha256.Size]byte]string{}
	fresh := false
	for i, c := range calls {
		k := loopKey(c, results[i])
		keys[k] = c.Tool
		if _, known := g.counts[k]; !known {
			fresh = true
		}
	}
	if g.counts == nil {
		g.counts = map[[sha256.Size]byte]int{}
	}
	if fresh {
		for k := range g.counts {
			g.counts[k] = 0
		}
	}
	for k, name := range keys {
		if g.counts[k]++; g.counts[k] >= loopAfter {
			return name
		}
	}
	return ""
}

func loopKey(c, r core.Message) [sha256.Size]byte {
	var v any
	args := c.Input
	if json.Unmarshal(args, &v) == nil {
		if b, err := json.Marshal(v); err == nil { // key order is not a difference
			args = b
		}
	}
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %t %q", c.Tool, args, r.IsError, r.Text))
}
