package llm

import (
	"context"
	"errors"
	"iter"
)

// failover streams from the models that next gives, one after the other. next gets the model that failed and its error
// (nil, nil at first) and answers nil when there is nobody left. It goes on only before the first token, and says so in a
// DeltaNotice; took is told who answers. When none answers, the error is the first one's.
func failover(ctx context.Context, r Request, next func(Model, error) Model, took func(Model)) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		var first error
		notice := ""
		var failed Model
		var why error
		for {
			m := next(failed, why)
			if m == nil {
				yield(Delta{}, first)
				return
			}
			if failed != nil {
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
			failed, why = m, err
		}
	}
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
