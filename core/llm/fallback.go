package llm

import (
	"context"
	"errors"
	"iter"
)

// Substituted is a Model that others may stand in for.
type Substituted interface {
	// StreamIf is Stream that asks before the request goes to another model than the chosen one; an error keeps it from that one.
	StreamIf(ctx context.Context, r Request, may func(Model) error) iter.Seq2[Delta, error]
}

// ErrUnsent marks the error of a request that ended before it went out.
var ErrUnsent = errors.New("the request was not sent")

// unasked is why next is asked again when a model did not get the request.
type unasked struct{ error }

// failover streams from the models that next gives, one after the other. next gets the model that failed and its error
// (nil, nil at first) and answers nil when there is nobody left; may (nil = all) keeps the request from one. It goes on only
// before the first token, and says so in a DeltaNotice; took is told who answers. When none answers, the error is the first
// one's.
func failover(
	ctx context.Context, r Request, next func(Model, error) Model, may func(Model) error, took func(Model),
) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		var first, why error
		m := next(nil, nil)
		for {
			if m == nil {
				yield(Delta{}, first)
				return
			}
			notice := ""
			if why != nil {
				if err := allowed(may, m); err != nil {
					if !yield(Delta{Kind: DeltaNotice, Text: m.Ref() + " was not asked: " + err.Error()}, nil) {
						return
					}
					m = next(m, unasked{err})
					continue
				}
				notice = because(m, why)
			}
			shown, gone, err := relay(begin(m.Stream(ctx, r), notice, func() { took(m) }), yield)
			if gone || err == nil {
				return
			}
			if first == nil || shown {
				first = err
			}
			if shown || !movable(err) {
				yield(Delta{}, first)
				return
			}
			why = err
			m = next(m, err)
		}
	}
}

func allowed(may func(Model) error, m Model) error {
	if may == nil {
		return nil
	}
	return may(m)
}

// because is the sentence about a fallback.
func because(m Model, why error) string { return "Answered by " + m.Ref() + " because " + why.Error() }

// begin puts a notice ("" = none) before the answer's first own delta and tells that it begins; a model that fails before it
// does neither.
func begin(seq iter.Seq2[Delta, error], notice string, began func()) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		said := false
		for d, err := range seq {
			if err == nil && !said && (d.shows() || d.Kind == DeltaModel || d.Kind == DeltaFinish) {
				said = true
				began()
				if notice != "" && !yield(Delta{Kind: DeltaNotice, Text: notice}, nil) {
					return
				}
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// movable reports whether another model may do what this one refused: not when the request itself is wrong.
func movable(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Kind != KindBadRequest && e.Kind != KindTooLong
}
