package daemon

import (
	"context"
	"iter"
	"log/slog"
	"sync"

	"jarvis/core/llm"
	"jarvis/core/llm/offline"
)

// builtin is builtin/offline made on first use: its grammars take 40 ms to compile, which no start should wait for.
type builtin struct {
	make func() *offline.Model
}

func newBuiltin(log *slog.Logger) builtin {
	return builtin{make: sync.OnceValue(func() *offline.Model { return offline.New(offline.Options{Log: log}) })}
}

// Ref is "builtin/offline".
func (b builtin) Ref() string { return offline.Ref }

// Info describes the model.
func (b builtin) Info() llm.Info { return b.make().Info() }

// Stream answers by rules.
func (b builtin) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return b.make().Stream(ctx, r)
}

// Matches reports whether the rules understand a request wholly.
func (b builtin) Matches(r llm.Request) bool { return b.make().Matches(r) }

// with puts it behind every language model, and before small local ones for what its grammar fully matches.
func (b builtin) with(o llm.RouterOptions) llm.RouterOptions {
	o.Offline, o.Matcher = b, b
	return o
}
