package chat

import (
	"context"

	"jarvis/core"
	"jarvis/core/llm"
)

// reading takes a summary as it comes.
type reading struct {
	t       *turn
	step    *core.Step
	most    int // bytes
	a       *answer
	thought int // bytes
	called  bool
}

func (r *reading) take(d llm.Delta) error {
	if r.step.FirstByte.IsZero() && shows(d.Kind) {
		r.step.FirstByte = r.t.s.d.Now()
	}
	switch d.Kind {
	case llm.DeltaModel:
		r.step.Model = d.Text
	case llm.DeltaText:
		if p := r.a.piece(core.TypeText); len(d.Text)+p.text.Len() <= r.most {
			p.text.WriteString(d.Text)
		} else {
			return useless("the summary is longer than what it was to shorten")
		}
	case llm.DeltaReasoning:
		if r.thought += len(d.Text); r.thought > longestThought {
			return useless("the model thought without end about the summary")
		}
	case llm.DeltaCall:
		r.called = true
	case llm.DeltaUsage:
		if d.Usage != nil {
			r.a.usage = *d.Usage
		}
	case llm.DeltaFinish:
		r.a.finish = d.Finish
		r.t.w.record("finish", finishRecord{Now: r.t.s.d.Now(), Finish: d.Finish, Usage: r.a.usage})
	case llm.DeltaRetry:
		if d.Retry != nil {
			return r.t.w.event(core.EventRetry, "", core.RetryData{
				Provider: d.Retry.Provider, WaitMS: d.Retry.Wait.Milliseconds(), Cause: d.Retry.Cause,
			})
		}
	case llm.DeltaNotice:
		return r.t.w.event(core.EventNotice, d.Text, nil)
	}
	return nil
}

// verdict is what is wrong with what came, nil when it is a summary.
func (r *reading) verdict(text string) error {
	switch {
	case r.a.finish == "":
		return r.t.modelError(llm.KindCut, "the summary was cut off")
	case r.called:
		return useless("the model called a tool instead")
	case r.a.finish == llm.FinishRefusal:
		return useless("the model refused")
	case text == "":
		return useless("the summary is empty")
	}
	return nil
}

// summaryOf makes the summary of chains. What an earlier one stood for it stands for too; with a gap between them it names only
// its own chains.
func (t *turn) summaryOf(text string, taken []earlier, gap bool, step core.Step) core.Summary {
	first, last, prev := taken[0], taken[len(taken)-1], t.summary
	s := core.Summary{
		Session: t.c.Session, Chain: t.c.ID, Prev: prev.To, Text: text, Model: step.Model, Usage: step.Usage, Created: step.Done,
		From: first.pos(), First: first.id(), Since: first.msgs[0].Created, Chains: prev.Chains + len(taken),
		To: last.pos(), Last: last.id(), Until: last.msgs[0].Created,
	}
	if prev.To > 0 && !gap {
		s.From, s.First, s.Since = prev.From, prev.First, prev.Since
	}
	return s
}

// rest lets a session go without summaries for a few turns.
func (s *Service) rest(id core.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.resting) >= maxResting {
		clear(s.resting)
	}
	s.resting[id] = summaryRest
}

// rests reports whether a turn of a session goes without a summary, and counts it.
func (s *Service) rests(id core.SessionID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.resting[id]
	if !ok {
		return false
	}
	if n--; n <= 0 {
		delete(s.resting, id)
	} else {
		s.resting[id] = n
	}
	return true
}

// maxResting bounds what is remembered.
const maxResting = 1000

// UndoSummary takes the newest summary of a user's session away and returns it: what it stood for counts itself again. Another
// user's session is core.NotFound.
func (s *Service) UndoSummary(ctx context.Context, user core.UserID, id core.SessionID) (core.Summary, error) {
	sum, err := s.homeFor(id).store.UndoSummary(ctx, user, id)
	if err == nil {
		s.mu.Lock()
		delete(s.resting, id)
		s.mu.Unlock()
	}
	return sum, err
}

// homeFor says where a session's things are.
func (s *Service) homeFor(id core.SessionID) home {
	if s.private.HasSession(id) {
		return home{store: s.private, journal: s.private.Journal()}
	}
	return s.disk
}
