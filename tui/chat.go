package tui

import (
	"context"
	"errors"
	"iter"
	"os"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/home"
	"jarvis/daemon/locale"
	"jarvis/tui/view"
)

// daemon is what the conversation needs of the daemon's client.
type daemon interface {
	Start(ctx context.Context, args ...string) (bool, error)
	Status(ctx context.Context) (api.Status, error)
	Changes(ctx context.Context) iter.Seq2[api.StateChange, error]
	Models(ctx context.Context) ([]api.Model, error)
	ResolveModel(ctx context.Context, name string) (string, error)
	NewChainID() core.ChainID
	Ask(ctx context.Context, req api.Chat) iter.Seq2[core.Event, error]
	Events(ctx context.Context, id core.ChainID, after uint64) iter.Seq2[core.Event, error]
	SessionEvents(ctx context.Context, id core.SessionID) iter.Seq2[core.Event, error]
	Stop(ctx context.Context, s api.ChatStop) error
	Chain(ctx context.Context, id core.ChainID) (core.Chain, error)
	Session(ctx context.Context, id string) (core.Session, error)
	Sessions(ctx context.Context, hidden bool, p core.Page) (api.List[core.Session], error)
	Messages(ctx context.Context, id string, p core.Page) (api.List[core.Message], error)
}

var _ daemon = (*client.Client)(nil)

// offlineModel answers without any language model being there.
const offlineModel = "builtin/offline"

// chat is one conversation, whatever it is shown on.
type chat struct {
	d       daemon
	say     speech
	opt     view.Options
	getenv  func(string) string
	now     func() time.Time
	offline bool // do not start the daemon
	newest  bool // go on with the newest conversation

	session core.SessionID
	model   string // as asked for; "" = the session's or the default
	answers string // the model that answered last
}

// connect starts the daemon when that is wanted and finds the session that was named.
func (c *chat) connect(ctx context.Context, typed string) (api.Status, error) {
	if !c.offline {
		if _, err := c.d.Start(ctx); err != nil {
			return api.Status{}, err
		}
	}
	st, err := c.d.Status(ctx)
	if err != nil {
		return st, err
	}
	c.wear(st)
	if c.newest && typed == "" {
		list, err := c.d.Sessions(ctx, false, core.Page{Limit: 1})
		if err != nil {
			return st, err
		}
		if len(list.Items) == 0 {
			return st, core.E(core.NotFound, c.say.of("There is no conversation yet."), "jarvis chat", nil)
		}
		typed = string(list.Items[0].ID)
	}
	if c.model != "" {
		if c.answers, err = c.d.ResolveModel(ctx, c.model); err != nil {
			return st, err
		}
	}
	if typed != "" {
		s, err := c.d.Session(ctx, typed)
		if err != nil {
			return st, err
		}
		c.session = s.ID
		if c.model == "" {
			c.answers = s.Model
		}
	}
	return st, nil
}

// request is one message as it goes to the daemon.
func (c *chat) request(text string) api.Chat {
	req := api.Chat{
		Content: text, Session: c.session, Chain: c.d.NewChainID(), Model: c.model, OnDisconnect: core.Continue,
		Responder: core.RespondNone, Origin: "tui", Lang: c.say.lang, TZ: locale.Zone(c.getenv),
	}
	if wd, err := os.Getwd(); err == nil {
		req.Cwd = wd
	}
	return req
}

// saw keeps what an event says of the conversation.
func (c *chat) saw(e core.Event) {
	if e.Session != "" {
		c.session = e.Session
	}
	if e.Type == core.EventStart {
		var d core.StartData
		if e.Detail(&d) == nil && d.Model != "" {
			c.answers = d.Model
		}
	}
}

// ending says in one sentence why a chain ended, "" when there is nothing to say, and the next command.
func (c *chat) ending(e core.Event) (sentence, hint string, bad bool) {
	switch e.Type {
	case core.EventError:
		var d core.ErrorData
		if e.Detail(&d) != nil || d.Message == "" {
			return c.say.of("the answer ended without its end"), "jarvis daemon logs", true
		}
		return locale.Message(c.say.lang, d.Message), d.Hint, true
	case core.EventDone:
		var d core.DoneData
		if e.Detail(&d) != nil {
			return "", "", false
		}
		return c.say.of(api.WhyStopped(d.StopReason)), "", false
	}
	return c.say.of("the answer ended without its end"), "jarvis daemon logs", true
}

// explain gives an error's sentence and the next command.
func explain(say speech, err error) (sentence, hint string) {
	sentence = err.Error()
	var e *core.Error
	var place *home.Error
	if errors.As(err, &e) {
		sentence, hint = e.Message, e.Hint
	} else if errors.As(err, &place) {
		sentence, hint = place.Message, place.Hint
	}
	if hint == "" && errors.Is(err, api.ErrUnreachable) {
		hint = "jarvis daemon start"
	}
	return locale.Message(say.lang, sentence), hint
}
