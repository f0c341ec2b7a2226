package chat

import (
	"context"
	"fmt"
	"iter"
	"strings"
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

// TestWhatWasNotTold: an answer that was cut off, or whose service tells nothing, is charged by a bound; what was refused costs
// nothing.
func TestWhatWasNotTold(t *testing.T) {
	const long = 200 // bytes that came
	said := text(strings.Repeat("word ", long/5))
	price := &llm.Price{In: 1_000_000, Out: 2_000_000, CacheRead: 1_000_000, CacheWrite: 1_000_000}
	refused := func(status int, kind llm.Kind) script {
		return fails(&llm.Error{Kind: kind, Status: status, Provider: "fake", Message: "no"})
	}
	bare := func(ds ...llm.Delta) script { // no finish: cut off
		return says(ds...)
	}
	for _, tc := range []struct {
		name  string
		price *llm.Price
		play  script
		stop  bool // while it hangs
		in    string
		out   int64
	}{
		{"refused", price, refused(500, llm.KindServer), false, "none", 0},
		{"no connection", price, refused(0, llm.KindNetwork), false, "none", 0},
		{"silent", price, refused(0, llm.KindTimeout), false, "bound", 0},
		{"cut", price, bare(said), false, "bound", long / 2},
		{"cut with a call", price, bare(call("time", `{}`)), false, "bound", 3},
		{"cut behind the first usage", price, bare(usage(7, 1), said), false, "told", long / 2},
		{"cut, free", &llm.Price{}, bare(said), false, "none", 0},
		{"cut, no price", nil, bare(said), false, "none", 0},
		{"whole", price, says(said, usage(7, 40), finish(llm.FinishEnd)), false, "told", 40},
		{"whole, told nothing", price, says(said, finish(llm.FinishEnd)), false, "bound", long / 2},
		{"stopped", price, hangs(said), true, "bound", long / 2},
		{"stopped before a word", price, hangs(), true, "bound", 0},
		{"stopped while it waits its turn", price, func(ctx context.Context, _ llm.Request, yield func(llm.Delta, error) bool) {
			<-ctx.Done()
			yield(llm.Delta{}, fmt.Errorf("%w: %w", llm.ErrUnsent, ctx.Err()))
		}, true, "none", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{ref: "fake/one", info: llm.Info{Price: tc.price}, play: []script{tc.play}}
				p := &purse{}
				d := deps(m, NewMemory())
				if tc.price != nil {
					d.Budget = p
				}
				w := newWorld(t, d).serve()
				defer w.close()
				c := w.ask(core.Ask{Text: "go"})
				if tc.stop {
					synctest.Wait()
					if err := w.s.Stop(context.Background(), core.Owner, c.ID); err != nil {
						t.Fatal(err)
					}
				}
				w.events(c.ID, 0)
				got, err := w.store.Chain(context.Background(), c.ID)
				if err != nil {
					t.Fatal(err)
				}
				u := got.Usage
				in := "bound"
				switch u.In {
				case 0:
					in = "none"
				case 7:
					in = "told"
				}
				if in != tc.in || u.Out != tc.out {
					t.Errorf("usage %+v, want %s/%d", u, tc.in, tc.out)
				}
				if want := tc.price.Cost(u).Cost; tc.price != nil && u.Cost != want {
					t.Errorf("cost %d, want %d", u.Cost, want)
				}
				if tc.price != nil && u.Cost > p.reserved {
					t.Errorf("cost %d, reserved %d", u.Cost, p.reserved)
				}
			})
		})
	}
}

// two is a model with another that stands in for it when it fails.
type two struct{ *model }

func (m two) Resolve(context.Context, string) (llm.Model, error) { return m, nil }

func (m two) StreamIf(ctx context.Context, r llm.Request, may func(llm.Model) error) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		dear := &model{ref: "fake/dear", info: llm.Info{Price: &llm.Price{Out: 50_000_000}}, play: []script{answers("hi")}}
		if err := may(dear); err != nil {
			yield(llm.Delta{}, err)
			return
		}
		dear.Stream(ctx, r)(yield)
	}
}

// TestADearerModelIsReservedAtItsOwnPrice, and is not asked when the budget has no room for it.
func TestADearerModelIsReservedAtItsOwnPrice(t *testing.T) {
	for _, most := range []core.MicroUSD{1 << 40, 10_000} {
		synctest.Test(t, func(t *testing.T) {
			m := two{&model{ref: "fake/one", info: llm.Info{Price: &llm.Price{Out: 1_000_000}}}}
			p := &purse{most: most}
			d := deps(m.model, NewMemory())
			d.Models, d.Budget = m, p
			w := newWorld(t, d).serve()
			defer w.close()
			_, es := w.talk("", "go")
			last := es[len(es)-1].Type
			if room := most > 10_000; room != (last == core.EventDone) || room != (p.reserved >= 50*4096) || p.reserved > most {
				t.Errorf("most %d: ended with %s, reserved %d", most, last, p.reserved)
			}
		})
	}
}
