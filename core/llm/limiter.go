package llm

import (
	"context"
	"fmt"
	"iter"
	"sync"
)

// Concurrency bounds the answers that stream at once; 0 = no limit.
type Concurrency struct {
	PerModel    int
	PerProvider int
}

// slots are the counting semaphores of a router, by ref or provider.
type slots struct {
	c  Concurrency
	mu sync.Mutex // guards m
	m  map[string]chan struct{}
}

func newSlots(c Concurrency) *slots { return &slots{c: c, m: map[string]chan struct{}{}} }

func (s *slots) of(name string, n int) chan struct{} {
	if n <= 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, ok := s.m[name]
	if !ok {
		ch = make(chan struct{}, n)
		s.m[name] = ch
	}
	return ch
}

// limit makes a model wait for its turn.
func (s *slots) limit(provider string, m Model) Model {
	if s.c.PerModel <= 0 && s.c.PerProvider <= 0 {
		return m
	}
	// Always the model's slot first: two requests can never hold what the other waits for.
	return &limited{Model: m, slots: []chan struct{}{s.of(m.Ref(), s.c.PerModel), s.of(provider, s.c.PerProvider)}}
}

type limited struct {
	Model
	slots []chan struct{} // nil = no limit
}

// Stream streams when there is a slot.
func (l *limited) Stream(ctx context.Context, r Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		for _, ch := range l.slots {
			if ch == nil {
				continue
			}
			select {
			case ch <- struct{}{}:
				defer func() { <-ch }()
			case <-ctx.Done():
				yield(Delta{}, fmt.Errorf("%w: %w", ErrUnsent, ctx.Err()))
				return
			}
		}
		l.Model.Stream(ctx, r)(yield)
	}
}
