package chat

import (
	"context"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
)

// Budget limits what chains may spend; core/budget has it.
type Budget interface {
	// Claims are the limits that concern a request of the chain at this time.
	Claims(c core.Chain, at time.Time) []core.Claim
	// Reserve holds the most that a step may cost, again with more when a dearer model stands in; core.BudgetExceeded when one of
	// the claims has no room.
	Reserve(ctx context.Context, c core.Chain, step int, amount core.MicroUSD, claims []core.Claim) error
	// Debits are what a step's cost counts to.
	Debits(c core.Chain, at time.Time, cost core.MicroUSD, claims []core.Claim) []core.Debit
	// Settle books the debits of a step that no store keeps.
	Settle(ctx context.Context, c core.ChainID, step int, debits []core.Debit) error
	// Close forgets a chain that no store keeps.
	Close(ctx context.Context, c core.ChainID) error
}

// bill is what the step that is under way may cost, and did.
type bill struct {
	at     time.Time
	step   int // that it is for
	claims []core.Claim
	debits []core.Debit // not stored yet
}

// reserve holds the most that the request may cost. A stop reason ends the chain before anything is sent.
func (t *turn) reserve(ctx context.Context, req llm.Request) (core.StopReason, error) {
	b := t.s.d.Budget
	if b == nil {
		return "", nil
	}
	t.bill = bill{at: t.s.d.Now(), step: t.iters + 1}
	if t.bill.claims = b.Claims(t.c, t.bill.at); len(t.bill.claims) == 0 {
		return "", nil
	}
	price := t.model.Info().Price
	if price == nil {
		return core.Failed, t.unpriced(t.model)
	}
	err := t.hold(ctx, price, req)
	if core.CodeOf(err) == core.BudgetExceeded {
		t.notice("Stopped: " + people(err).Message + ".")
		return core.OverBudget, nil
	}
	if err != nil {
		return t.ended(ctx, unkept(err))
	}
	return "", nil
}

func (t *turn) unpriced(m llm.Model) error {
	return core.E(core.BudgetExceeded,
		"the budget "+t.bill.claims[0].Name+" cannot be held: the price of "+m.Ref()+" is unknown; tell it with usd_per_mtok in providers",
		"jarvis config edit", nil)
}

// hold reserves what a request may cost at a price.
func (t *turn) hold(ctx context.Context, p *llm.Price, req llm.Request) error {
	amount := most(p, t.fixed, req)
	if amount == 0 {
		return nil
	}
	return t.s.d.Budget.Reserve(ctx, t.c, t.bill.step, amount, t.bill.claims)
}

// substitute holds the price of a model that is to stand in for the one that the request was reserved for.
func (t *turn) substitute(ctx context.Context, req llm.Request) func(llm.Model) error {
	return func(m llm.Model) error {
		if len(t.bill.claims) == 0 {
			return nil
		}
		p := m.Info().Price
		if p == nil {
			return t.unpriced(m)
		}
		return t.hold(ctx, p, req)
	}
}

// charge makes the debits of a step. What was spent is kept also when the chain was stopped.
func (t *turn) charge(ctx context.Context, s *core.Step) {
	b := t.s.d.Budget
	if b == nil {
		return
	}
	s.Day = core.Period(t.bill.at.Format(time.DateOnly))
	t.bill.debits = b.Debits(t.c, t.bill.at, s.Usage.Cost, t.bill.claims)
	if !t.unstored() {
		return // the store takes them with the step
	}
	if err := b.Settle(context.WithoutCancel(ctx), t.c.ID, s.N, t.bill.debits); err != nil {
		t.s.d.Log.Error("Cost of a private chain cannot be kept", "error", err)
	}
	t.bill.debits = nil
}

// unstored reports whether the chain is kept in memory only.
func (t *turn) unstored() bool { return t.r.home.store == Store(t.s.private) }

// closeBill forgets the account of a private chain, of which nothing stays. One without a claim has none.
func (t *turn) closeBill(ctx context.Context) {
	if t.s.d.Budget == nil || !t.unstored() || len(t.bill.claims) == 0 {
		return
	}
	if err := t.s.d.Budget.Close(ctx, t.c.ID); err != nil {
		t.s.d.Log.Error("Account of a private chain cannot be forgotten", "error", err)
	}
}
