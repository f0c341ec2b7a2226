package daemon

import (
	"context"
	"sync"

	"jarvis/core"
	"jarvis/core/chat"
)

// bell wakes those who wait for news of sessions.
type bell struct {
	mu   sync.Mutex // guards next
	next chan struct{}
}

// wait gives a channel that is closed with the next ring.
func (b *bell) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// ringing is a store of chains that rings when one of them has got on.
type ringing struct {
	chat.Store
	bell *bell
}

// Accept stores an intake.
func (r ringing) Accept(ctx context.Context, in core.Intake) (core.Chain, int, error) {
	c, place, err := r.Store.Accept(ctx, in)
	r.bell.ring()
	return c, place, err
}

// Append stores one iteration.
func (r ringing) Append(ctx context.Context, p core.Progress) error {
	defer r.bell.ring()
	return r.Store.Append(ctx, p)
}

// Finish ends a running chain.
func (r ringing) Finish(ctx context.Context, e core.Ending) error {
	defer r.bell.ring()
	return r.Store.Finish(ctx, e)
}

// Drop ends a queued chain.
func (r ringing) Drop(ctx context.Context, e core.Ending) error {
	defer r.bell.ring()
	return r.Store.Drop(ctx, e)
}
