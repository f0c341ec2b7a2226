package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"jarvis/core"
	"jarvis/core/budget"
	"jarvis/core/chat"
	"jarvis/core/llm"
	"jarvis/core/tool"
	"jarvis/core/tool/basic"
	"jarvis/store/bolt"
	"jarvis/store/journal"
)

// rounds is how many requests a chain of the calculating model takes.
const rounds = 12

// calculating is a scripted model that calls a tool in each request but the last, and says what each cost.
type calculating struct{}

func (calculating) Ref() string { return "fake/calculating" }

func (calculating) Info() llm.Info {
	return llm.Info{Window: 100_000, MaxOutput: 100, Tools: true, Price: &llm.Price{Out: 10_000_000}}
}

func (m calculating) Resolve(context.Context, string) (llm.Model, error) { return llm.Announce(m), nil }

func (calculating) Stream(_ context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		n := 0
		for _, m := range r.Messages {
			for _, p := range m.Parts {
				if p.Type == llm.PartToolResult {
					n++
				}
			}
		}
		part := llm.Delta{Kind: llm.DeltaText, Text: "done"}
		finish := llm.FinishEnd
		if n < rounds-1 {
			args, _ := json.Marshal(map[string]string{"expression": fmt.Sprint(n, "+1")})
			part = llm.Delta{Kind: llm.DeltaCall, Part: &llm.Part{Type: llm.PartToolUse, Call: "x", Name: "calculate", Args: args}}
			finish = llm.FinishToolUse
		}
		for _, d := range []llm.Delta{part, {Kind: llm.DeltaUsage, Usage: &core.Usage{Out: 90}}, {Kind: llm.DeltaFinish, Finish: finish}} {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// TestChainsRaceAgainstOneBudget: two whole chains over the real store spend at most the limit, whatever they do at once. A
// request may cost 1,000 and costs 900.
func TestChainsRaceAgainstOneBudget(t *testing.T) {
	const most, cost = 1000, 900
	for _, limit := range []core.MicroUSD{most, 3 * most, 7*cost + 150, 2*rounds*cost + most} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			st, s := spending(t, calculating{}, []budget.Limit{{For: "all", Daily: limit}})
			watched := watch(t, st, limit)
			var (
				all   sync.WaitGroup
				stops [2]core.StopReason
				ids   [2]core.ChainID
			)
			for i := range stops {
				all.Go(func() {
					c, err := s.Ask(t.Context(), core.Ask{User: core.Owner, Text: "go on"})
					if err != nil {
						t.Error(err)
						return
					}
					ids[i] = c.ID
					for e, err := range s.Events(t.Context(), core.Owner, c.ID, 0) {
						var d core.DoneData
						switch {
						case err != nil:
							t.Error(err)
						case e.Type == core.EventError:
							t.Errorf("%s", e.Data)
						case e.Type == core.EventDone:
							if err := e.Detail(&d); err != nil {
								t.Error(err)
							}
							stops[i] = d.StopReason
						}
					}
				})
			}
			all.Wait()
			watched()
			day, err := st.Spent(t.Context(), "all", today())
			if err != nil || day.Held != 0 || day.Amount > limit {
				t.Errorf("spent %+v of %d, %v", day, limit, err)
			}
			var sum core.MicroUSD
			for i, id := range ids {
				c, err := st.Chain(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				sum += c.Usage.Cost
				if stops[i] != core.EndTurn && stops[i] != core.OverBudget {
					t.Errorf("chain %d was stopped by %q", i, stops[i])
				}
			}
			if sum != day.Amount {
				t.Errorf("the chains cost %d, the account says %d", sum, day.Amount)
			}
			enough := limit >= 2*rounds*cost
			if over := stops[0] == core.OverBudget || stops[1] == core.OverBudget; over == enough {
				t.Errorf("stopped by %v", stops)
			}
			if !enough && limit-day.Amount >= most { // what is left had room for one more request, and nobody held it
				t.Errorf("stopped at %d of %d", day.Amount, limit)
			}
		})
	}
}

func today() core.Period { return core.Period(time.Now().Format(time.DateOnly)) }

// watch looks at the account all the time until the function it gives is called: what is spent and held stays within the limit.
func watch(t *testing.T, st *bolt.DB, limit core.MicroUSD) func() {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			if s, err := st.Spent(ctx, "all", today()); err == nil && s.Amount+s.Held > limit {
				t.Errorf("%+v is more than %d", s, limit)
				return
			}
		}
	})
	return func() { cancel(); all.Wait() }
}

// spending is a service over a real store and real journals, with budgets.
func spending(t *testing.T, m llm.Resolver, limits []budget.Limit) (*bolt.DB, *chat.Service) {
	t.Helper()
	dir := t.TempDir()
	st, err := bolt.Open(t.Context(), bolt.Options{Path: filepath.Join(dir, "jarvis.db")})
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(filepath.Join(dir, "runs"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reg := tool.NewRegistry()
	if err := reg.Add(basic.Tools()...); err != nil {
		t.Fatal(err)
	}
	id := func() string { return uuid.Must(uuid.NewV7()).String() }
	self := core.InstanceID(id())
	s := chat.New(chat.Deps{
		Store: st, Journal: journals{j}, Models: m, Tools: reg, Now: time.Now, NewID: id, Self: self,
		Budget: budget.New(st, self, func() []budget.Limit { return limits }),
		After:  func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop },
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	<-s.Ready()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := errors.Join(j.Close(), st.Close()); err != nil {
			t.Error(err)
		}
	})
	return st, s
}
