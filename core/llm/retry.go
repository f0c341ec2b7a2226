package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"time"
)

// Policy says how often and how patiently a refused request is repeated. The zero value is the default.
type Policy struct {
	Attempts int                                              // in all; 0 = 4
	Budget   time.Duration                                    // after which nothing is repeated, waits included; 0 = 60 s
	Base     time.Duration                                    // first wait, doubled each time; 0 = 500 ms
	Sleep    func(ctx context.Context, d time.Duration) error // nil = the real one
	Now      func() time.Time                                 // nil = time.Now
	Jitter   func() float64                                   // in [0,1); nil = random
}

func (p Policy) or() Policy {
	p.Attempts = firstPositive(p.Attempts, 4)
	p.Budget = firstPositive(p.Budget, maxWait)
	p.Base = firstPositive(p.Base, 500*time.Millisecond)
	if p.Sleep == nil {
		p.Sleep = sleep
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Jitter == nil {
		p.Jitter = rand.Float64
	}
	return p
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wait is how long to wait before attempt n+1 (n from 1): what the provider asks for, else exponential with jitter between
// half and the whole, so that 200 clients refused at once do not come back at once.
func (p Policy) wait(n int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked
	}
	d := p.Base << min(n-1, 6)
	return d/2 + time.Duration(p.Jitter()*float64(d/2))
}

// WithRetry repeats a request that was refused before its first token, and tells of each wait by a DeltaRetry.
func WithRetry(m Model, p Policy) Model { return &retrying{Model: m, p: p.or()} }

type retrying struct {
	Model
	p Policy
}

// Stream streams with retries.
func (m *retrying) Stream(ctx context.Context, r Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		start := m.p.Now()
		for n := 1; ; n++ {
			shown, gone, err := relay(m.Model.Stream(ctx, r), yield)
			if gone || err == nil {
				return
			}
			retry, err := m.again(n, start, shown, err)
			if retry == nil {
				yield(Delta{}, err)
				return
			}
			if !yield(Delta{Kind: DeltaRetry, Retry: retry}, nil) {
				return
			}
			if err := m.p.Sleep(ctx, retry.Wait); err != nil {
				yield(Delta{}, fmt.Errorf("%w again: %w", ErrUnsent, err))
				return
			}
		}
	}
}

// again decides on one refusal: a retry, or nil and the error to end with.
func (m *retrying) again(n int, start time.Time, shown bool, err error) (*Retry, error) {
	var e *Error
	if shown || !errors.As(err, &e) || !e.Retryable() {
		return nil, err
	}
	wait := m.p.wait(n, e.RetryAfter)
	if e.RetryAfter > maxWait {
		return nil, e.after()
	}
	if n >= m.p.Attempts || m.p.Now().Sub(start)+wait > m.p.Budget {
		return nil, e.tried(n)
	}
	return &Retry{Provider: e.Provider, Wait: wait, Cause: e.Cause()}, nil
}

// Cause is the status and the provider's sentence, without its name.
func (e *Error) Cause() string {
	msg := e.Message
	if msg == "" {
		msg = string(e.Kind)
	}
	if e.Status != 0 {
		return strconv.Itoa(e.Status) + " " + msg
	}
	return msg
}

// after says when a provider that asks for a long pause can be asked again.
func (e *Error) after() *Error {
	c := *e
	c.Message = fmt.Sprintf("%s; try again in %s", e.Message, e.RetryAfter.Round(time.Second))
	return &c
}

// tried says how often a request was refused.
func (e *Error) tried(n int) *Error {
	if n < 2 {
		return e
	}
	c := *e
	c.Message = fmt.Sprintf("%s (tried %d times)", e.Message, n)
	return &c
}

// shows reports whether a delta is part of the answer that people see: after it nothing is repeated.
func (d Delta) shows() bool {
	switch d.Kind {
	case DeltaText, DeltaReasoning, DeltaOpaque, DeltaCall:
		return true
	}
	return false
}

// relay passes deltas on until an error or the end. gone: the consumer broke out.
func relay(seq iter.Seq2[Delta, error], yield func(Delta, error) bool) (shown, gone bool, err error) {
	for d, e := range seq {
		if e != nil {
			return shown, false, e
		}
		shown = shown || d.shows()
		if !yield(d, nil) {
			return shown, true, nil
		}
	}
	return shown, false, nil
}
