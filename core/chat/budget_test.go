package chat

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
)

// purse is a budget of one claim that keeps what it is told.
type purse struct {
	refuse   bool
	most     core.MicroUSD // that may be reserved; 0 = anything
	reserved core.MicroUSD // of one step
	settled  core.MicroUSD // of private chains
	closed   int           // private chains
}

func (p *purse) Claims(c core.Chain, _ time.Time) []core.Claim {
	return []core.Claim{{Account: core.Account("chain:" + c.ID), Limit: 1, Name: "chain"}}
}

func (p *purse) Reserve(_ context.Context, _ core.Chain, _ int, amount core.MicroUSD, _ []core.Claim) error {
	if p.refuse || p.most > 0 && amount > p.most {
		return core.E(core.BudgetExceeded, "the budget chain has no room", "jarvis usage", nil)
	}
	p.reserved = max(p.reserved, amount)
	return nil
}

func (p *purse) Debits(_ core.Chain, _ time.Time, cost core.MicroUSD, _ []core.Claim) []core.Debit {
	return []core.Debit{{Account: "all", Amount: cost}}
}

func (p *purse) Settle(_ context.Context, _ core.ChainID, _ int, ds []core.Debit) error {
	for _, d := range ds {
		p.settled += d.Amount
	}
	return nil
}

// TestBudget: a request without room is not sent, and one without a price is refused.
func TestBudget(t *testing.T) {
	price := &llm.Price{In: 1_000_000, Out: 1_000_000}
	for _, tc := range []struct {
		name  string
		price *llm.Price
		purse purse
		stop  core.StopReason // "" = an error
		sent  int
	}{
		{"room", price, purse{}, core.EndTurn, 1},
		{"no room", price, purse{refuse: true}, core.OverBudget, 0},
		{"no price", nil, purse{}, "", 0},
		{"free", &llm.Price{}, purse{refuse: true}, core.EndTurn, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{ref: "fake/one", info: llm.Info{Price: tc.price}, play: []script{answers("hi")}}
				d := deps(m, NewMemory())
				d.Budget = &tc.purse
				w := newWorld(t, d).serve()
				defer w.close()
				_, es := w.talk("", "go")
				last := es[len(es)-1]
				if tc.stop == "" {
					if last.Type != core.EventError {
						t.Errorf("ended with %+v", last)
					}
				} else if got := doneOf(t, es).StopReason; got != tc.stop {
					t.Errorf("stopped by %s", got)
				}
				if n := len(m.requests()); n != tc.sent {
					t.Errorf("%d requests were sent", n)
				}
			})
		})
	}
}

func (p *purse) Close(context.Context, core.ChainID) error {
	p.closed++
	return nil
}

// TestAPrivateChainLeavesNoAccount: the store ends the others' with them.
func TestAPrivateChainLeavesNoAccount(t *testing.T) {
	for _, private := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			m := &model{ref: "fake/one", info: llm.Info{Price: &llm.Price{Out: 1_000_000}}, play: []script{answers("hi")}}
			d, p := deps(m, NewMemory()), &purse{}
			d.Budget = p
			w := newWorld(t, d).serve()
			defer w.close()
			c := w.ask(core.Ask{Text: "go", Private: private})
			w.events(c.ID, 0)
			if private != (p.closed == 1) {
				t.Errorf("private %t: closed %d times", private, p.closed)
			}
		})
	}
}
