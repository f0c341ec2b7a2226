package llm

import (
	"context"
	"errors"
	"iter"

	"jarvis/core"
)

// What people read of a model that they did not name in the request: where its name comes from, and how to be rid of it.
const (
	configuredModel = "model in the configuration cannot be used"
	configuredHint  = "jarvis config set model auto"
	setupHint       = "jarvis setup"
)

// configured is the model that the configuration names: when the service does not have it, people must learn who asked for it.
type configured struct{ Model }

// Stream streams the model's answer.
func (c configured) Stream(ctx context.Context, r Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		for d, err := range c.Model.Stream(ctx, r) {
			var e *Error
			if errors.As(err, &e) && e.Kind == KindNotFound && e.Hint == "" {
				own := *e
				own.Message += " (it is model in the configuration)"
				own.Hint = configuredHint
				err = &own
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// Blame says of an error about a model's name where that name comes from. hint is the next command, unless what helps is to
// connect the service.
func Blame(err error, where, hint string) error {
	var e *core.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Hint == setupHint {
		hint = setupHint
	}
	return core.E(e.Code, where+": "+e.Message, hint, err)
}
