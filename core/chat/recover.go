package chat

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"

	"jarvis/core"
	"jarvis/core/prompt"
)

// recover closes what a dead daemon left running and finds what it left queued. It returns the lanes that have work, and the
// chains of them that are claimed already.
func (s *Service) recover(ctx context.Context) (lanes map[string]home, claimed map[string]core.Chain, err error) {
	lanes, claimed = map[string]home{}, map[string]core.Chain{}
	for c, err := range s.disk.store.Unfinished(ctx, s.d.Self) {
		if err != nil && c.ID == "" {
			return nil, nil, fmt.Errorf("find open chains: %w", err)
		}
		if err != nil { // damaged: the others must be found all the same
			s.d.Log.Error("Open chain cannot be read", "chain", c.ID, "error", err)
			continue
		}
		lanes[c.Lane] = s.disk
		switch {
		case c.State == core.Queued:
			err = s.takeUp(ctx, c)
		case s.unbegun(c):
			if c, err = s.disk.store.Adopt(ctx, c.ID, s.d.Self); err == nil {
				if err = s.takeUp(ctx, c); err == nil {
					claimed[c.Lane] = c
				}
			}
		default:
			err = s.interrupt(ctx, c)
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil { // one chain must not keep all others from running
			s.d.Log.Error("Open chain cannot be taken up", "chain", c.ID, "state", c.State, "error", err)
		}
	}
	return lanes, claimed, s.sealAll(ctx)
}

// unbegun reports whether a chain was claimed with its acceptance and nothing more: its journal ends before the running state,
// so no model was asked and nobody saw a word. It runs now as if it had been left queued.
func (s *Service) unbegun(c core.Chain) bool {
	log, err := s.disk.journal.Open(c.ID)
	if err != nil {
		return false
	}
	defer func() { _ = log.Close() }()
	return log.Last() <= 2 && !log.Sealed() // the message and its queued state
}

// Unsealed is what a Journal may offer beside: the journals without a terminal event, so that those of ended chains get
// theirs at start and not only when somebody reads them.
type Unsealed interface {
	Unsealed(ctx context.Context) iter.Seq2[core.ChainID, error]
}

// sealAll closes the journals whose chains the store has as ended.
func (s *Service) sealAll(ctx context.Context) error {
	j, ok := s.disk.journal.(Unsealed)
	if !ok {
		return nil
	}
	for id, err := range j.Unsealed(ctx) {
		if err == nil {
			var c core.Chain
			if c, err = s.disk.store.Chain(ctx, id); err == nil && c.State == core.Ended {
				_, err = s.seal(ctx, s.disk, c)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && core.CodeOf(err) != core.NotFound {
			s.d.Log.Error("Journal cannot be closed", "chain", id, "error", err)
		}
	}
	return nil
}

// takeUp takes a chain that a dead daemon had not begun up again; its journal gets what a crash kept from it.
func (s *Service) takeUp(ctx context.Context, c core.Chain) error {
	r, made := s.run(c, s.disk)
	if !made {
		return nil
	}
	ms, err := chainMessages(ctx, s.disk.store, c)
	if err == nil && len(ms) > 0 {
		err = s.introduce(r, ms[0], 1, false)
	}
	close(r.ready)
	if err != nil && c.State == core.Running {
		s.refuse(ctx, r, c, err)
		return err
	}
	if err != nil {
		return s.drop(ctx, r, core.Failed, unkept(err))
	}
	return nil
}

// left is what a dead daemon's journal tells of a chain.
type left struct {
	text    strings.Builder
	model   string
	usage   core.Usage
	iters   int
	used    map[core.CallID]core.ToolUseData
	results map[core.CallID]core.Message
	stop    core.StopReason // of the terminal event, "" = there is none
	failure *core.Error     // when stop is an error
}

// interrupt closes a chain that a dead daemon was running: its text stays, every call gets a result.
func (s *Service) interrupt(ctx context.Context, c core.Chain) error {
	c, err := s.disk.store.Adopt(ctx, c.ID, s.d.Self)
	if err != nil {
		return fmt.Errorf("adopt: %w", err)
	}
	r, made := s.run(c, s.disk)
	if made {
		defer close(r.ready)
	}
	defer s.forget(r)
	r.writing.Lock()
	defer r.writing.Unlock()
	log, err := r.open()
	if err != nil {
		s.d.Log.Error("Journal cannot be opened", "chain", c.ID, "error", err)
		log = deadLog{err}
	}
	defer func() { _ = log.Close() }() // what closes a chain has closed it already
	ms, err := chainMessages(ctx, s.disk.store, c)
	if err != nil {
		return err
	}
	t := &turn{s: s, r: r, c: c, set: s.settings(), w: s.writer(r, log), own: ms, started: c.Started}
	if len(ms) > 0 {
		t.next = ms[len(ms)-1].N + 1
		// Without its first events the journal of a chain that was claimed at once would begin in the middle.
		_ = t.w.introduce(ms[0], 1)
	}
	l, err := s.readLeft(ctx, c.ID, log.Last())
	if err != nil {
		return err
	}
	t.ref, t.usage, t.iters = l.model, l.usage, l.iters
	t.shown.WriteString(l.text.String())
	if l.stop != "" {
		return t.confirm(ctx, l, log)
	}
	t.closeCalls(l)
	t.keepRest(l.text.String())
	t.end(ctx, core.Interrupted, nil)
	return nil
}

// confirm ends a chain in the store whose journal has its end already: the store is older than the journal, as after a
// restored backup. The journal was shown, so it counts.
func (t *turn) confirm(ctx context.Context, l *left, log Log) error {
	t.closeCalls(l)
	t.keepRest(l.text.String())
	for i := range t.pending {
		t.pending[i].Partial = l.stop != core.EndTurn && t.pending[i].Partial
	}
	var cause error
	if l.failure != nil {
		cause = l.failure
	}
	e := t.ending(l.stop, cause)
	e.Last = log.Last()
	if err := t.r.home.store.Finish(ctx, e); err != nil {
		return fmt.Errorf("finish: %w", err)
	}
	return nil
}

// readLeft reads a journal up to its last event, without waiting for more.
func (s *Service) readLeft(ctx context.Context, id core.ChainID, last uint64) (*left, error) {
	l := &left{used: map[core.CallID]core.ToolUseData{}, results: map[core.CallID]core.Message{}}
	if last == 0 {
		return l, nil
	}
	for e, err := range s.disk.journal.Read(ctx, id, 0) {
		if err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		if err := l.take(e); err != nil {
			s.d.Log.Warn("Event cannot be read", "chain", id, "seq", e.Seq, "error", err)
		}
		if e.Seq >= last {
			break
		}
	}
	return l, nil
}

func (l *left) take(e core.Event) error {
	switch e.Type {
	case core.EventText:
		l.text.WriteString(e.Text)
	case core.EventStart:
		var d core.StartData
		if err := e.Detail(&d); err != nil {
			return err
		}
		l.model = d.Model
	case core.EventUsage:
		var d core.UsageData
		if err := e.Detail(&d); err != nil {
			return err
		}
		l.iters++
		l.usage = core.Usage{In: d.Tokens.In, Out: d.Tokens.Out, CacheWrite: d.Tokens.CacheWrite, CacheRead: d.Tokens.CacheRead}
		if d.CostUSD == nil {
			l.usage.Unpriced = true
		} else {
			l.usage.Cost = core.MicroUSD(math.Round(*d.CostUSD * 1e6))
		}
	case core.EventDone:
		var d core.DoneData
		if err := e.Detail(&d); err != nil {
			return err
		}
		l.stop = d.StopReason
	case core.EventError:
		var d core.ErrorData
		if err := e.Detail(&d); err != nil {
			return err
		}
		l.stop, l.failure = core.Failed, core.E(d.Code, d.Message, d.Hint, nil)
	case core.EventToolUse:
		var d core.ToolUseData
		if err := e.Detail(&d); err != nil {
			return err
		}
		l.used[d.Call] = d
	case core.EventToolResult:
		var d core.ToolResultData
		if err := e.Detail(&d); err != nil {
			return err
		}
		l.results[d.Call] = core.Message{
			Role: core.RoleUser, Type: core.TypeToolResult, Tool: d.Tool, Call: d.Call, Text: e.Text, IsError: !d.OK,
		}
	}
	return nil
}

// closeCalls gives every stored call without a result one: the journal's, when it got that far, else an error.
func (t *turn) closeCalls(l *left) {
	has := map[core.CallID]bool{}
	for _, m := range t.own {
		if m.Type == core.TypeToolResult {
			has[m.Call] = true
		}
	}
	var missing []core.Message
	for _, m := range t.own {
		if m.Type != core.TypeToolUse || has[m.Call] {
			continue
		}
		res, ok := l.results[m.Call]
		if !ok {
			res = core.Message{
				Role: core.RoleUser, Type: core.TypeToolResult, Tool: m.Tool, Call: m.Call, Text: prompt.Interrupted, IsError: true,
			}
			if _, seen := l.used[m.Call]; seen {
				_ = t.w.event(core.EventToolResult, res.Text, core.ToolResultData{Call: m.Call, Tool: m.Tool})
			}
		}
		missing = append(missing, res)
	}
	t.keep(missing)
}

// keepRest keeps what is left of the text that was shown once the chain's messages are taken off, as a message that is marked
// partial.
func (t *turn) keepRest(rest string) {
	for _, m := range t.own {
		if m.Role == core.RoleAssistant && m.Type == core.TypeText {
			rest = strings.TrimPrefix(rest, m.Text)
		}
	}
	if rest != "" {
		t.keep([]core.Message{{Role: core.RoleAssistant, Type: core.TypeText, Text: rest, Partial: true}})
	}
}
