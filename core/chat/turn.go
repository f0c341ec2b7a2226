package chat

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/prompt"
)

// turn is one chain while it runs.
type turn struct {
	s       *Service
	r       *run
	c       core.Chain
	w       *writer
	set     Settings
	rec     recorder
	started time.Time

	model  llm.Model
	info   llm.Info
	ref    string // the model that answers
	named  bool   // its start event is written
	sys    []llm.Block
	system string
	tools  []llm.Tool
	fixed  int // tokens of system prompt and tools

	summary core.Summary   // stands for the oldest chains; its To is 0 when there is none
	head    []llm.Message  // the summary as a message
	older   []earlier      // earlier chains as text, oldest first
	before  *earlier       // the chain before this one, whole
	tried   bool           // a summary was asked for in this turn
	own     []core.Message // this chain's messages, the request first
	files   []llm.Part     // its attachments
	extra   []llm.Message  // of a schema's repair: not kept
	omitted bool           // people were told that older chains are left out

	pending []core.Message // of own: not stored yet
	step    *core.Step     // not stored yet
	bill    bill
	next    uint32 // number of the next message
	calls   int
	shown   strings.Builder // the text events joined
	said    int             // bytes of JSON that the models have said, of maxAnswer
	usage   core.Usage
	iters   int
	repairs int
	guard   loopGuard
}

// start prepares the chain and runs it; a panic anywhere in it ends this chain only.
func (t *turn) start(ctx context.Context, cancel context.CancelCauseFunc) (stop core.StopReason, err error) {
	t.started = t.s.d.Now()
	log, err := t.r.open()
	if err != nil {
		log = deadLog{err}
	}
	t.w = t.s.writer(t.r, log)
	t.w.broke = func(err error) {
		t.s.d.Log.Error("Journal cannot be written", "chain", t.c.ID, "error", err)
		cancel(stopCause{core.Failed})
	}
	defer func() {
		if p := recover(); p != nil {
			t.s.d.Log.Error("Chain panicked", "chain", t.c.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			t.keepRest(t.shown.String())
			stop, err = core.Failed, core.E(core.Internal, "an internal error ended the chain", "jarvis daemon logs", fmt.Errorf("panic: %v", p))
		}
	}()
	if err != nil {
		return core.Failed, unkept(err)
	}
	if ms := t.c.Params.TimeoutMS; ms > 0 {
		end := t.s.d.After(time.Duration(ms)*time.Millisecond, func() { t.r.stop(core.TimedOut) })
		defer end()
	}
	if err := t.prepare(ctx); err != nil {
		return t.ended(ctx, err)
	}
	return t.loop(ctx)
}

// ended says how an error ends the chain: as the stop that caused it, or as a failure.
func (t *turn) ended(ctx context.Context, err error) (core.StopReason, error) {
	if ctx.Err() != nil {
		return reasonOf(ctx), nil
	}
	return core.Failed, err
}

// prepare loads what the chain needs: its message, the model, the prompt, the history, the attachments.
func (t *turn) prepare(ctx context.Context) error {
	ms, err := chainMessages(ctx, t.r.home.store, t.c)
	if err != nil {
		return fmt.Errorf("read the chain: %w", err)
	}
	if len(ms) == 0 || ms[0].N != 0 {
		return core.E(core.Internal, "the message of this chain is missing", "jarvis daemon logs", nil)
	}
	t.own = ms
	t.next = ms[len(ms)-1].N + 1
	if err := t.w.introduce(ms[0], 1); err != nil {
		return unkept(err)
	}
	if err := t.w.event(core.EventState, "", core.StateData{State: core.Running}); err != nil {
		return unkept(err)
	}
	sess, err := t.r.home.store.Session(ctx, t.c.Session)
	if err != nil {
		return fmt.Errorf("read the session: %w", err)
	}
	if t.model, err = t.resolve(ctx, sess); err != nil {
		return err
	}
	if c, ok := t.model.(llm.Chooser); ok {
		t.model = c.Choose(t.s.firstRequest(t.c.Params, t.own[0]))
	}
	t.info, t.ref = t.model.Info(), t.model.Ref()
	t.tools = t.s.toolsOf(t.c.Params.Tools, t.info)
	t.sys = prompt.System(prompt.Build(t.s.promptInput(t.c.Params, t.tools)))
	t.system = prompt.Text(t.sys)
	t.fixed = prompt.Tokens(len(t.system))
	for _, d := range t.tools {
		t.fixed += prompt.Tokens(len(d.Name) + len(d.Description) + len(d.Schema))
	}
	t.w.record("start", startRecord{
		Now: t.started, Owner: t.s.d.Self, Settings: t.set, Params: t.c.Params, Model: t.ref, Info: t.info,
	})
	if t.files, err = t.attachments(ctx, t.own[0].Attachments); err != nil {
		return err
	}
	return t.history(ctx)
}

// resolve finds the model: the request's, the session's, or the configured one.
func (t *turn) resolve(ctx context.Context, sess core.Session) (llm.Model, error) {
	name := t.c.Params.Model
	if name != "" || sess.Model == "" {
		return t.s.d.Models.Resolve(ctx, name)
	}
	m, err := t.s.d.Models.Resolve(ctx, sess.Model)
	if err != nil {
		return nil, llm.Blame(err, "this session's model cannot be used", "jarvis ask -s "+core.Short(string(sess.ID))+" -m auto PROMPT")
	}
	return m, nil
}

// loop is the turn loop: request, tools, next request, until there is an answer. Each iteration's usage event carries the
// chain's sums so far.
func (t *turn) loop(ctx context.Context) (core.StopReason, error) {
	for {
		if t.iters >= t.set.MaxIterations {
			t.notice(fmt.Sprintf("Stopped after %d iterations.", t.iters))
			return core.MaxIterations, nil
		}
		if err := t.makeRoom(ctx); err != nil {
			return t.ended(ctx, err)
		}
		req, err := t.request()
		if err != nil {
			return core.Failed, err
		}
		if stop, err := t.reserve(ctx, req); stop != "" {
			return stop, err
		}
		t.iters++
		ans, err := t.stream(ctx, req)
		t.charge(ctx, &ans.step)
		t.usage = t.usage.Add(ans.usage)
		t.step = &ans.step
		if err != nil {
			t.keep(ans.partial(t.schema()))
			return t.ended(ctx, err)
		}
		if err := t.w.event(core.EventUsage, "", core.UsageData{Tokens: t.usage.Tokens(), CostUSD: t.usage.CostUSD()}); err != nil {
			t.keep(ans.partial(t.schema()))
			return core.Failed, unkept(err)
		}
		if len(ans.calls) == 0 {
			stop, again, err := t.answer(ctx, ans)
			if again {
				continue
			}
			return stop, err
		}
		if stop, err := t.useTools(ctx, ans); stop != "" {
			return stop, err
		}
	}
}

// answer takes an answer without tool calls. again asks for a further request: a schema's repair.
func (t *turn) answer(ctx context.Context, ans *answer) (stop core.StopReason, again bool, err error) {
	empty := strings.TrimSpace(ans.text()) == ""
	switch {
	case ans.finish == llm.FinishRefusal:
		t.keep(ans.whole(t.schema()))
		t.notice("The model refused to answer.")
		return core.Refused, false, nil
	case empty && ans.finish == llm.FinishMaxTokens:
		t.keep(ans.partial(t.schema()))
		return core.Failed, false, core.E(core.UpstreamUnavailable,
			fmt.Sprintf("%s reached the limit of %d tokens before it wrote any text", t.ref, t.maxTokens()),
			"jarvis config set max_tokens "+fmt.Sprint(4*t.maxTokens()), nil)
	case empty && strings.TrimSpace(t.shown.String()) == "":
		t.keep(ans.partial(t.schema()))
		return core.Failed, false, t.modelError(llm.KindEmpty, "the answer is empty")
	case t.schema():
		return t.validate(ctx, ans)
	}
	t.keep(ans.whole(false))
	if ans.finish == llm.FinishMaxTokens {
		t.notice("The answer was cut at the limit of its length (max_tokens).")
	}
	return core.EndTurn, false, nil
}

// useTools stores the answer with its calls, runs them and stores the results. A stop reason ends the chain.
func (t *turn) useTools(ctx context.Context, ans *answer) (core.StopReason, error) {
	kept := t.keep(ans.whole(t.schema()))
	if err := t.flush(ctx); err != nil {
		return t.ended(ctx, unkept(err))
	}
	var calls []core.Message
	for _, m := range kept {
		if m.Type != core.TypeToolUse {
			continue
		}
		calls = append(calls, m)
		if err := t.w.event(core.EventToolUse, "", core.ToolUseData{Call: m.Call, Tool: m.Tool, Input: m.Input}); err != nil {
			return core.Failed, unkept(err)
		}
	}
	results := t.runTools(ctx, calls, ans.problems)
	t.keep(results)
	if err := t.flush(context.WithoutCancel(ctx)); err != nil {
		return t.ended(ctx, unkept(err))
	}
	if ctx.Err() != nil {
		return reasonOf(ctx), nil
	}
	if name := t.guard.seen(calls, results); name != "" {
		t.notice(fmt.Sprintf("Stopped: the model called %s again and again with the same result.", name))
		return core.Loop, nil
	}
	return "", nil
}

// keep numbers messages and puts them behind the chain's own; flush or the end stores them.
func (t *turn) keep(ms []core.Message) []core.Message {
	for i := range ms {
		m := t.message(ms[i].Role, ms[i].Type)
		ms[i].ID, ms[i].N, ms[i].Session, ms[i].Chain, ms[i].Pos, ms[i].Agent = m.ID, m.N, m.Session, m.Chain, m.Pos, m.Agent
		if ms[i].Created.IsZero() {
			ms[i].Created = m.Created
		}
	}
	t.own = append(t.own, ms...)
	t.pending = append(t.pending, ms...)
	return ms
}

func (t *turn) message(role, typ string) core.Message {
	m := core.Message{
		ID: messageID(t.c.ID, t.next), Session: t.c.Session, Chain: t.c.ID, Pos: t.c.Pos, N: t.next, Agent: t.c.Agent,
		Role: role, Type: typ, Created: t.s.d.Now(),
	}
	t.next++
	return m
}

// flush stores what is pending.
func (t *turn) flush(ctx context.Context) error {
	err := t.r.home.store.Append(ctx, core.Progress{Chain: t.c.ID, Owner: t.s.d.Self, Step: t.step, Messages: t.pending, Debits: t.bill.debits})
	if err != nil {
		return fmt.Errorf("append: %w", err)
	}
	t.pending, t.step, t.bill.debits = nil, nil, nil
	return nil
}

// notice tells people something; that it cannot be written shows at the next event.
func (t *turn) notice(text string) { _ = t.w.event(core.EventNotice, text, nil) }

func (t *turn) schema() bool { return len(t.c.Params.Schema) > 0 }

func (t *turn) modelError(k llm.Kind, message string) error {
	provider, id, _ := strings.Cut(t.ref, "/")
	return &llm.Error{Kind: k, Provider: provider, Model: id, Message: message}
}

// maxTokens is the limit of one answer.
func (t *turn) maxTokens() int {
	n := t.set.MaxTokens
	if t.info.MaxOutput > 0 {
		n = min(n, t.info.MaxOutput)
	}
	if t.info.Window > 0 {
		n = min(n, max(1, t.info.Window/2))
	}
	return n
}

// errStopped is the error of a stream whose chain was stopped.
var errStopped = errors.New("stopped")
