package chat

import (
	"context"
	"encoding/json"
	"errors"

	"jarvis/core"
	"jarvis/core/llm"
)

// ours marks the Opaque of an error message, which no provider gets.
const ours = "jarvis"

// end closes the chain: first the store, which names the terminal event's number, then that event. ctx is the lane's; the
// end itself does not depend on it, because a chain that is stopped must still be closed.
func (t *turn) end(ctx context.Context, stop core.StopReason, err error) {
	if jerr := t.w.failed(); jerr != nil {
		stop, err = core.Failed, unkept(jerr)
	}
	keep := context.WithoutCancel(ctx)
	t.closeBill(keep)
	e := t.ending(stop, err)
	e.Last = t.w.seal()
	final := t.final(stop, err)
	final.Seq = e.Last
	defer func() { _ = t.w.log.Close() }()
	ferr := t.r.home.store.Finish(keep, e)
	if ferr != nil && core.CodeOf(ferr) != core.Conflict {
		t.s.d.Log.Error("Chain cannot be finished", "chain", t.c.ID, "error", ferr)
		// Readers learn it now. The lane waits until the store works again, or the next start closes the chain.
		stop, err = core.Failed, unkept(ferr)
		e = t.ending(stop, err)
		final = t.final(stop, err)
		e.Last = t.w.seal()
		final.Seq = e.Last
		t.r.fail(final)
		for wait := retryFirst; ferr != nil && core.CodeOf(ferr) != core.Conflict; wait = min(2*wait, retryMost) {
			t.s.pause(ctx, wait)
			if ctx.Err() != nil {
				return
			}
			ferr = t.r.home.store.Finish(keep, e)
		}
	}
	if ferr != nil {
		c, cerr := t.r.home.store.Chain(keep, t.c.ID)
		if cerr != nil || c.State != core.Ended {
			t.s.d.Log.Error("Chain belongs to another daemon", "chain", t.c.ID, "error", ferr)
			t.r.fail(final)
			return
		}
	}
	if err := t.w.last(final); err != nil {
		t.s.d.Log.Error("Terminal event cannot be written", "chain", t.c.ID, "error", err)
		t.r.fail(final)
	}
	t.s.d.Log.Info("Chain ended", "chain", t.c.ID, "session", t.c.Session, "stop", stop, "model", t.ref, "iterations", t.iters,
		"in", t.usage.In, "out", t.usage.Out, "error", err)
}

// ending is what Finish stores.
func (t *turn) ending(stop core.StopReason, err error) core.Ending {
	ms := t.pending
	if stop == core.Failed {
		ms = append(ms[:len(ms):len(ms)], t.failure(people(err)))
	}
	return core.Ending{
		Progress: core.Progress{Chain: t.c.ID, Owner: t.s.d.Self, Step: t.step, Messages: ms, Debits: t.bill.debits},
		Stop:     stop, Model: t.ref, System: t.system, Usage: t.usage, Iters: t.iters, Done: t.s.d.Now(),
	}
}

// failure is the error as a message of the chain; its code and hint lie beside it, for whoever has to tell it again.
func (t *turn) failure(e *core.Error) core.Message {
	m := t.message(core.RoleAssistant, core.TypeError)
	m.Text = e.Message
	data, err := json.Marshal(core.ErrorData{Code: e.Code, Message: e.Message, Hint: e.Hint, Model: t.ref})
	if err == nil {
		m.Opaque = &core.Opaque{Provider: ours, Data: data}
	}
	return m
}

func readFailure(m *core.Message, d *core.ErrorData) {
	if m.Opaque == nil || m.Opaque.Provider != ours {
		return
	}
	var kept core.ErrorData
	if json.Unmarshal(m.Opaque.Data, &kept) == nil && kept.Code != "" {
		*d = kept
	}
}

// final is the terminal event, without its number.
func (t *turn) final(stop core.StopReason, err error) core.Event {
	if stop == core.Failed {
		e := people(err)
		return t.w.make(core.EventError, t.shown.String(), core.ErrorData{Code: e.Code, Message: e.Message, Hint: e.Hint, Model: t.ref})
	}
	return t.w.make(core.EventDone, t.shown.String(), core.DoneData{
		Model: t.ref, StopReason: stop, Iterations: t.iters, Tokens: t.usage.Tokens(), CostUSD: t.usage.CostUSD(),
		DurationMS: max(0, t.s.d.Now().Sub(t.started).Milliseconds()),
	})
}

// people turns whatever ended a chain into the error that is shown.
func people(err error) *core.Error {
	var ce *core.Error
	if errors.As(err, &ce) {
		return ce
	}
	var le *llm.Error
	if errors.As(err, &le) {
		return le.Core()
	}
	return core.E(core.Internal, "an internal error ended the chain", "jarvis daemon logs", err)
}
