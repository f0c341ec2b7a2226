package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"jarvis/core"
	"jarvis/core/llm"
)

// answer is what one request brought.
type answer struct {
	pieces   []*piece
	calls    []*piece
	problems map[core.CallID]string // calls whose arguments cannot be used, with what the model is told
	finish   string
	usage    core.Usage
	step     core.Step
	rest     string // the beginning of a character whose end has not come yet
	restKind llm.DeltaKind
}

// valid makes a delta's text valid UTF-8; a character that comes in two deltas is shown with the second.
func (a *answer) valid(d llm.Delta) string {
	if a.rest == "" && utf8.ValidString(d.Text) {
		return d.Text
	}
	if a.restKind != d.Kind {
		a.rest = ""
	}
	text, rest := splitRune(a.rest + d.Text)
	a.rest, a.restKind = rest, d.Kind
	return toValid(text)
}

// piece is a run of one kind: reasoning, text, or one tool call.
type piece struct {
	msg  core.Message
	text strings.Builder
}

// text is the answer's text joined.
func (a *answer) text() string {
	var b strings.Builder
	for _, p := range a.pieces {
		if p.msg.Type == core.TypeText {
			b.WriteString(p.text.String())
		}
	}
	return b.String()
}

// whole gives the answer as messages. hidden leaves its text out: with a schema only the valid value counts.
func (a *answer) whole(hidden bool) []core.Message {
	var out []core.Message
	for _, p := range a.pieces {
		m := p.msg
		m.Text = p.text.String()
		if m.Type == core.TypeText && (hidden || m.Text == "") {
			continue
		}
		if m.Type == core.TypeReasoning && m.Text == "" && m.Opaque == nil {
			continue
		}
		out = append(out, m)
	}
	return out
}

// partial gives what there is of an answer that was cut off: no calls, which never ran.
func (a *answer) partial(hidden bool) []core.Message {
	var out []core.Message
	for _, m := range a.whole(hidden) {
		if m.Type == core.TypeToolUse {
			continue
		}
		m.Partial = true
		out = append(out, m)
	}
	return out
}

// stream sends one request and puts each piece of the answer into the journal before anyone sees it. The answer is never
// nil; with an error it holds what came before.
func (t *turn) stream(ctx context.Context, req llm.Request) (*answer, error) {
	a := &answer{problems: map[core.CallID]string{}}
	now := t.s.d.Now()
	a.step = core.Step{Chain: t.c.ID, N: t.iters, Model: t.ref, Started: now}
	t.w.record("request", t.rec.manifest(t.iters, t.ref, now, req, t.earlier(req.Messages)))
	said := false
	var err error
	for d, derr := range t.ask(ctx, req) {
		if derr != nil {
			err = derr
			break
		}
		if d.Kind == llm.DeltaModel {
			said = true
			err = t.begun(d.Text)
		} else {
			if !said && shows(d.Kind) {
				said = true
				err = t.begun(t.model.Ref())
			}
			if err == nil {
				err = t.take(a, d)
			}
		}
		if err != nil {
			break
		}
	}
	cause := err
	if ctx.Err() != nil {
		err = errStopped
	}
	if err == nil && a.finish == "" {
		err = t.modelError(llm.KindCut, "the answer was cut off")
		cause = err
	}
	a.usage = t.untold(a, req, cause)
	a.step.Model, a.step.Usage, a.step.Finish, a.step.Done = t.ref, a.usage, a.finish, t.s.d.Now()
	if err != nil {
		a.step.Finish = "error"
		t.w.record("failed", failRecord{Now: a.step.Done, Error: line(err)})
	}
	return a, err
}

// ask streams from the model, and from one that stands in for it as long as the budget has room for that one too.
func (t *turn) ask(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	if m, ok := t.model.(llm.Substituted); ok {
		return m.StreamIf(ctx, req, t.substitute(ctx, req))
	}
	return t.model.Stream(ctx, req)
}

// shows says whether a delta is part of an answer, so that its model must have been named before.
func shows(k llm.DeltaKind) bool {
	return k == llm.DeltaText || k == llm.DeltaReasoning || k == llm.DeltaCall
}

// begun names the model that answers; people are told once, and again when another one takes over.
func (t *turn) begun(ref string) error {
	first := !t.named
	t.named = true
	if !first && ref == t.ref {
		return nil
	}
	t.ref = ref
	if err := t.w.event(core.EventStart, "", core.StartData{Model: ref}); err != nil {
		return unkept(err)
	}
	return nil
}

// take puts one delta into the answer and the journal.
func (t *turn) take(a *answer, d llm.Delta) error {
	if a.step.FirstByte.IsZero() && shows(d.Kind) {
		a.step.FirstByte = t.s.d.Now()
	}
	var err error
	switch d.Kind {
	case llm.DeltaText, llm.DeltaReasoning:
		err = t.takeText(a, d.Kind == llm.DeltaText, a.valid(d))
	case llm.DeltaOpaque:
		if d.Part != nil && d.Part.Opaque != nil {
			if err = t.roomFor(d.Part.Opaque); err != nil {
				break
			}
			a.piece(core.TypeReasoning).msg.Opaque = d.Part.Opaque
			t.w.record("opaque", d.Part.Opaque)
		}
	case llm.DeltaCall:
		if d.Part != nil {
			if err = t.roomFor(d.Part.Opaque); err != nil {
				break
			}
			t.call(a, d.Part)
		}
	case llm.DeltaUsage:
		if d.Usage != nil {
			a.usage = *d.Usage // priced by llm.Announce, or by the provider itself
		}
	case llm.DeltaFinish:
		a.finish = d.Finish
		t.w.record("finish", finishRecord{Now: t.s.d.Now(), Finish: d.Finish, Usage: a.usage})
	case llm.DeltaRetry:
		if d.Retry != nil {
			err = t.w.event(core.EventRetry, "", core.RetryData{
				Provider: d.Retry.Provider, WaitMS: d.Retry.Wait.Milliseconds(), Cause: d.Retry.Cause,
			})
		}
	case llm.DeltaNotice:
		err = t.w.event(core.EventNotice, d.Text, nil)
	}
	if err != nil {
		return unkept(err)
	}
	return nil
}

// takeText shows and keeps a piece of text or reasoning, as far as the answer has room for it. With a schema text is shown when it is valid, not before.
func (t *turn) takeText(a *answer, text bool, s string) error {
	kind, typ := core.EventReasoning, core.TypeReasoning
	if text {
		kind, typ = core.EventText, core.TypeText
	}
	s, full := t.room(s)
	if s == "" {
		return full
	}
	if !text || !t.schema() {
		if err := t.w.event(kind, s, nil); err != nil {
			return err
		}
		if text {
			t.shown.WriteString(s)
		}
	}
	a.piece(typ).text.WriteString(s)
	return full
}

// piece gives the piece that a delta of this kind continues, or a new one.
func (a *answer) piece(typ string) *piece {
	if n := len(a.pieces); n > 0 && a.pieces[n-1].msg.Type == typ {
		// A signature ends its block of reasoning: what follows is another one.
		if typ != core.TypeReasoning || a.pieces[n-1].msg.Opaque == nil {
			return a.pieces[n-1]
		}
	}
	p := &piece{msg: core.Message{Role: core.RoleAssistant, Type: typ}}
	a.pieces = append(a.pieces, p)
	return p
}

// call takes a tool call under an id of ours, which stays unique also beside the calls of the chain before. Arguments that
// are no JSON object, or too large, are not kept: the call stays, and its result says what is wrong.
func (t *turn) call(a *answer, p *llm.Part) {
	t.calls++
	id := core.CallID(fmt.Sprintf("%s-%d", core.Short(string(t.c.ID)), t.calls))
	args := bytes.TrimSpace(p.Args)
	if len(args) == 0 {
		args = []byte("{}")
	}
	problem := ""
	switch {
	case len(args) > t.set.ToolArguments:
		problem = fmt.Sprintf("the arguments have %d bytes, the limit is %d", len(args), t.set.ToolArguments)
	case !json.Valid(args):
		problem = "the arguments are not valid JSON"
	case args[0] != '{':
		problem = "the arguments are not a JSON object"
	}
	if problem != "" {
		a.problems[id] = problem
		args = []byte("{}")
	}
	q := &piece{msg: core.Message{
		Role: core.RoleAssistant, Type: core.TypeToolUse, Tool: cut(toValid(p.Name), 200), Call: id, Input: bytes.Clone(args), Opaque: p.Opaque,
	}}
	a.pieces = append(a.pieces, q)
	a.calls = append(a.calls, q)
	t.w.record("call", callRecord{Now: t.s.d.Now(), Call: id, Tool: q.msg.Tool, Problem: problem, Opaque: p.Opaque})
}

type (
	startRecord struct {
		Now      time.Time       `json:"now"`
		Owner    core.InstanceID `json:"owner"`
		Settings Settings        `json:"settings"`
		Params   core.Params     `json:"params"`
		Model    string          `json:"model"`
		Info     llm.Info        `json:"info"`
	}
	failRecord struct {
		Now   time.Time `json:"now"`
		Error string    `json:"error"`
	}
	finishRecord struct {
		Now    time.Time  `json:"now"`
		Finish string     `json:"finish"`
		Usage  core.Usage `json:"usage"`
	}
	callRecord struct {
		Now     time.Time    `json:"now"`
		Call    core.CallID  `json:"call"`
		Tool    string       `json:"tool"`
		Problem string       `json:"problem,omitempty"`
		Opaque  *core.Opaque `json:"opaque,omitempty"`
	}
	toolRecord struct {
		Start time.Time   `json:"start"`
		End   time.Time   `json:"end"`
		Call  core.CallID `json:"call"`
		Tool  string      `json:"tool"`
		OK    bool        `json:"ok"`
	}
)
