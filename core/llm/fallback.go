package llm

import (
	"context"
	"errors"
	"iter"
)

// Fallback asks the models one after the other until one answers. It goes on only before the first token, and says so in
// a DeltaNotice. When none answers, the error is the first one's. A composite of one model is that model.
func Fallback(models ...Model) Model {
	if len(models) == 1 {
		return models[0]
	}
	return &fallback{models: models}
}

type fallback struct{ models []Model }

// Ref is the first model's.
func (f *fallback) Ref() string { return f.models[0].Ref() }

// Info is the first model's.
func (f *fallback) Info() Info { return f.models[0].Info() }

// Stream streams the first answer there is.
func (f *fallback) Stream(ctx context.Context, r Request) iter.Seq2[Delta, error] {
	i := 0
	return failover(ctx, r, func(_ Model, _ error) Model {
		if i == len(f.models) {
			return nil
		}
		i++
		return f.models[i-1]
	})
}

// failover streams from the models that next gives, one after the other. next gets the model that failed and its error
// (nil, nil at first) and answers nil when there is nobody left.
func failover(ctx context.Context, r Request, next func(Model, error) Model) iter.Seq2[Delta, error] {
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
				notice = "Answered by " + m.Ref() + " because " + why.Error()
			}
			shown, gone, err := relay(noticed(m.Stream(ctx, r), notice), yield)
			if gone || err == nil {
				return
			}
			if first == nil {
				first = err
			}
			if shown || !movable(err) {
				if shown {
					first = err
				}
				yield(Delta{}, first)
				return
			}
			failed, why = m, err
		}
	}
}

// noticed puts a notice before the answer's first own delta; a model that fails too never shows it.
func noticed(seq iter.Seq2[Delta, error], notice string) iter.Seq2[Delta, error] {
	if notice == "" {
		return seq
	}
	return func(yield func(Delta, error) bool) {
		said := false
		for d, err := range seq {
			if err == nil && !said && (d.shows() || d.Kind == DeltaModel || d.Kind == DeltaFinish) {
				said = true
				if !yield(Delta{Kind: DeltaNotice, Text: notice}, nil) {
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
