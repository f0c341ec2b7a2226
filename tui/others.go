package tui

import (
	"context"
	"iter"

	"jarvis/core"
	"jarvis/tui/view"
)

// maxOthers bounds the questions of other screens that wait while an answer comes here.
const maxOthers = 100

// question is what was asked in this conversation.
type question struct {
	chain core.ChainID
	text  string
}

// attend listens to the conversation that is open now for what other screens ask in it.
func (k *talk) attend(ctx context.Context) {
	if k.session == k.attended {
		return
	}
	k.unattend()
	if k.attended = k.session; k.session == "" {
		return
	}
	ctx, k.deaf = context.WithCancel(ctx)
	k.foreign = k.listen(ctx, k.session)
}

func (k *talk) unattend() {
	if k.deaf != nil {
		k.deaf()
	}
	k.deaf, k.foreign, k.others = nil, nil, nil
}

// listen sends the questions of a session until ctx ends.
func (c *chat) listen(ctx context.Context, id core.SessionID) <-chan question {
	ch := make(chan question)
	go func() {
		defer func() { _ = recover() }() // it would end the program past every deferred call and leave a raw terminal
		for e, err := range c.d.SessionEvents(ctx, id) {
			var d core.MessageData
			if err != nil {
				return // then only what is asked here is seen
			}
			if e.Type != core.EventMessage || e.Detail(&d) != nil || d.Role != core.RoleUser {
				continue
			}
			select {
			case ch <- question{e.Chain, e.Text}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch
}

// overhear shows a question that another screen asked, and its answer; behind the one that is just coming here.
func (k *talk) overhear(ctx context.Context, q question) {
	switch {
	case k.known[q.chain]:
	case k.t == nil:
		k.out = append(k.out, view.Message("· ", k.opt.Theme.Dim, k.say.of("asked elsewhere:"), k.opt.Theme.Dim, k.opt)...)
		k.out = append(k.out, k.said(q.text)...)
		k.follow(ctx, q.chain, func(ctx context.Context) iter.Seq2[core.Event, error] { return k.d.Events(ctx, q.chain, 0) })
	case len(k.others) < maxOthers:
		k.others = append(k.others, q)
	}
}
