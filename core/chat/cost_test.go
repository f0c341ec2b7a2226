package chat

import (
	"context"
	"testing"
	"testing/synctest"

	"jarvis/core"
	"jarvis/core/llm"
)

func TestTheCostIsTheProvidersWhereItTellsOne(t *testing.T) {
	dear := &llm.Price{In: 1_000_000, Out: 2_000_000}
	told := llm.Delta{Kind: llm.DeltaUsage, Usage: &core.Usage{In: 10, Out: 5, Cost: 1234}}
	for _, tc := range []struct {
		name  string
		price *llm.Price
		usage llm.Delta
		want  float64 // -1 = unknown
	}{
		{"told, no price", nil, told, 0.001234},
		{"told, another price", dear, told, 0.001234},
		{"only a price", dear, usage(10, 5), 0.00002},
		{"neither", nil, usage(10, 5), -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{ref: "fake/one", info: llm.Info{Price: tc.price}, play: []script{says(text("hi"), tc.usage, finish(llm.FinishEnd))}}
				w := newWorld(t, deps(m, NewMemory())).serve()
				defer w.close()
				_, es := w.talk("", "go")
				got := -1.0
				if d := doneOf(t, es); d.CostUSD != nil {
					got = *d.CostUSD
				}
				if got != tc.want {
					t.Errorf("cost %v, want %v", got, tc.want)
				}
			})
		})
	}
}

func TestAnAnswerWithoutUsageHasNoKnownCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{func(_ context.Context, _ llm.Request, yield func(llm.Delta, error) bool) {
			_ = yield(text("hi"), nil) && yield(finish(llm.FinishEnd), nil)
		}}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		defer w.close()
		_, es := w.talk("", "go")
		if d := doneOf(t, es); d.CostUSD != nil {
			t.Errorf("cost %v", *d.CostUSD)
		}
	})
}
