package tui

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
)

// fakeDaemon answers with scripted events.
type fakeDaemon struct {
	mu      sync.Mutex
	asked   []api.Chat
	stopped []core.ChainID
	script  func(ctx context.Context, req api.Chat, yield func(core.Event) bool) error
	stop    chan struct{}
	status  chan api.Status // what Changes tells of, one a change; nil = nothing ever changes
	state   api.Status
	heard   chan core.Event // what SessionEvents tells of; nil = nothing

	session  core.Session
	messages []core.Message
	chain    core.Chain
	n        int
}

const fakeSession = core.SessionID("0192f0a0-0000-7000-8000-000000abc123")

func (f *fakeDaemon) Start(context.Context, ...string) (bool, error) { return false, nil }

func (f *fakeDaemon) Status(context.Context) (api.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return api.Status{Version: "0.1.0+abc", Model: "test/one", State: api.StateReady, Language: f.state.Language, Theme: f.state.Theme}, nil
}

func (f *fakeDaemon) Changes(ctx context.Context) iter.Seq2[api.StateChange, error] {
	return func(yield func(api.StateChange, error) bool) {
		for {
			select {
			case st := <-f.status:
				f.mu.Lock()
				f.state = st
				f.mu.Unlock()
			case <-ctx.Done():
				return
			}
			if !yield(api.StateChange{State: api.StateSettings}, nil) {
				return
			}
		}
	}
}

func (f *fakeDaemon) Models(context.Context) ([]api.Model, error) {
	return []api.Model{{Ref: "test/one", Installed: true, Default: true}, {Ref: "test/two", Installed: true}, {Ref: "test/gone"}}, nil
}

func (f *fakeDaemon) ResolveModel(_ context.Context, name string) (string, error) {
	if name == "nope" {
		return name, core.E(core.BadRequest, `unknown model "nope", did you mean test/one?`, "jarvis model list", nil)
	}
	return name, nil
}

func (f *fakeDaemon) NewChainID() core.ChainID {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	return core.ChainID(fmt.Sprintf("chain-%d", f.n))
}

func (f *fakeDaemon) Ask(ctx context.Context, req api.Chat) iter.Seq2[core.Event, error] {
	f.mu.Lock()
	f.asked = append(f.asked, req)
	f.mu.Unlock()
	return f.play(ctx, req)
}

func (f *fakeDaemon) play(ctx context.Context, req api.Chat) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		seq := uint64(0)
		err := f.script(ctx, req, func(e core.Event) bool {
			seq++
			e.Seq, e.Session, e.Chain, e.Time = seq, fakeSession, req.Chain, time.Unix(0, 0)
			return yield(e, nil)
		})
		if err != nil {
			yield(core.Event{}, err)
		}
	}
}

func (f *fakeDaemon) Events(ctx context.Context, id core.ChainID, _ uint64) iter.Seq2[core.Event, error] {
	return f.play(ctx, api.Chat{Chain: id})
}

func (f *fakeDaemon) SessionEvents(ctx context.Context, _ core.SessionID) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		for {
			select {
			case e := <-f.heard:
				if !yield(e, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func (f *fakeDaemon) Stop(_ context.Context, s api.ChatStop) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = append(f.stopped, s.Chain)
	if f.stop != nil {
		close(f.stop)
		f.stop = nil
	}
	return nil
}

func (f *fakeDaemon) Chain(context.Context, core.ChainID) (core.Chain, error) { return f.chain, nil }

func (f *fakeDaemon) Session(_ context.Context, id string) (core.Session, error) {
	if !core.MatchID(string(f.session.ID), id) {
		return core.Session{}, core.E(core.NotFound, "there is no session "+id, "jarvis session list", nil)
	}
	return f.session, nil
}

func (f *fakeDaemon) Sessions(context.Context, bool, core.Page) (api.List[core.Session], error) {
	return api.List[core.Session]{Items: []core.Session{{ID: fakeSession, Title: "One\x1b[31m", Modified: time.Unix(0, 0)}}}, nil
}

func (f *fakeDaemon) Messages(context.Context, string, core.Page) (api.List[core.Message], error) {
	return api.List[core.Message]{Items: f.messages}, nil
}

func (f *fakeDaemon) requests() []api.Chat {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]api.Chat(nil), f.asked...)
}

// says is a script that answers with text and ends.
func says(text string) func(context.Context, api.Chat, func(core.Event) bool) error {
	return func(_ context.Context, _ api.Chat, yield func(core.Event) bool) error {
		yield(core.Event{Type: core.EventStart}.With(core.StartData{Model: "test/one"}))
		yield(core.Event{Type: core.EventText, Text: text})
		yield(core.Event{Type: core.EventDone, Text: text}.With(core.DoneData{StopReason: core.EndTurn}))
		return nil
	}
}
