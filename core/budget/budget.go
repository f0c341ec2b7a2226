// Package budget holds chains within the limits on what may be spent. It prices nothing and knows no model: who asks a model
// says how much a request may cost at most, and what it did cost.
package budget

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"jarvis/core"
)

// all is everybody's account.
const all core.Account = "all"

// What the accounts of a user, a session and a chain begin with.
const (
	user    = "user:"
	agent   = "agent:"
	session = "session:"
	chain   = "chain:"
)

// ownerName is how a budget names the owner; there are no other users yet.
const ownerName = "owner"

// Store keeps what is spent and held. Each method is one transaction.
type Store interface {
	// Reserve holds the amount on every claim, or on none and gives core.BudgetExceeded, which names the claim. It is idempotent
	// per owner, chain and step; a larger amount takes the place of the earlier one, which stays when there is no room.
	Reserve(ctx context.Context, r core.Reservation) error
	// Settle replaces a reservation by debits; without one it only adds them.
	Settle(ctx context.Context, owner core.InstanceID, c core.ChainID, step int, debits []core.Debit) error
	// CloseSpending gives back what a chain holds and forgets its own account.
	CloseSpending(ctx context.Context, owner core.InstanceID, c core.ChainID) error
	// ReleaseHolds gives back what instances other than self hold.
	ReleaseHolds(ctx context.Context, self core.InstanceID) error
}

// Limit is one configured budget; a zero amount is no limit.
type Limit struct {
	For            string // all, chain, agent:ID, user:NAME, session:ID; what else there may be counts nothing yet
	Daily, Monthly core.MicroUSD
}

// Ledger reserves before a request and settles after it.
type Ledger struct {
	store  Store
	self   core.InstanceID
	limits func() []Limit
}

// New makes a ledger of an instance. limits gives the configured budgets and is asked before each request.
func New(store Store, self core.InstanceID, limits func() []Limit) *Ledger {
	return &Ledger{store: store, self: self, limits: limits}
}

// Start gives back what dead instances held.
func (l *Ledger) Start(ctx context.Context) error { return l.store.ReleaseHolds(ctx, l.self) }

// Claims are the limits that a request of the chain at a time must stay within; none when no budget concerns it. Days and
// months are those of the time's zone.
func (l *Ledger) Claims(c core.Chain, at time.Time) []core.Claim {
	day, month := periods(at)
	var out []core.Claim
	add := func(a core.Account, p core.Period, limit core.MicroUSD, name string) {
		if limit <= 0 {
			return
		}
		// An account is charged once, whatever limits there are on it: the least one counts.
		i := slices.IndexFunc(out, func(c core.Claim) bool { return c.Account == a && c.Period == p })
		switch {
		case i < 0:
			out = append(out, core.Claim{Account: a, Period: p, Limit: limit, Name: name})
		case limit < out[i].Limit:
			out[i].Limit, out[i].Name = limit, name
		}
	}
	for _, b := range l.limits() {
		a, ok := account(b.For, c)
		switch {
		case !ok:
		case b.For == "chain":
			add(a, "", least(b.Daily, b.Monthly), "chain")
		default:
			add(a, day, b.Daily, b.For+", daily")
			add(a, month, b.Monthly, b.For+", monthly")
		}
	}
	add(own(c), "", c.Params.MaxCost, "of this request (max_cost_usd)")
	return out
}

// Budget is one limit as it stands at a time.
type Budget struct {
	For     string // as configured
	Span    string // day, month or chain
	Amount  core.MicroUSD
	Account core.Account // that it is on; "" = on more than one
	Period  core.Period
}

// Limits are the configured budgets, one entry a limit.
func (l *Ledger) Limits(at time.Time) []Budget {
	day, month := periods(at)
	var out []Budget
	for _, b := range l.limits() {
		var a core.Account
		kind, name, _ := strings.Cut(b.For, ":")
		switch {
		case kind == "all", kind == "user" && name == ownerName, kind == "agent", kind == "session" && core.ValidUUID(name):
			a = core.Account(b.For)
		case kind == "chain":
			if n := least(b.Daily, b.Monthly); n > 0 {
				out = append(out, Budget{For: b.For, Span: "chain", Amount: n})
			}
			continue
		}
		if b.Daily > 0 {
			out = append(out, Budget{b.For, "day", b.Daily, a, day})
		}
		if b.Monthly > 0 {
			out = append(out, Budget{b.For, "month", b.Monthly, a, month})
		}
	}
	return out
}

// Reserve holds the most that a step may cost; core.BudgetExceeded names the budget that has no room for it.
func (l *Ledger) Reserve(ctx context.Context, c core.Chain, step int, amount core.MicroUSD, claims []core.Claim) error {
	return l.store.Reserve(ctx, core.Reservation{Chain: c.ID, Step: step, Owner: l.self, Amount: amount, Claims: claims})
}

// Debits are what a step's cost counts to. Everybody's, the user's and the agent's accounts count always, so that a budget that
// is set in the middle of a day knows of its morning; the others when the request had a claim on them.
func (l *Ledger) Debits(c core.Chain, at time.Time, cost core.MicroUSD, claims []core.Claim) []core.Debit {
	if cost <= 0 {
		return nil
	}
	day, month := periods(at)
	always := []core.Account{all}
	if c.User == core.Owner {
		always = append(always, user+ownerName)
	}
	if c.Agent != "" {
		always = append(always, core.Account(agent+string(c.Agent)))
	}
	var out []core.Debit
	for _, a := range always {
		out = append(out, core.Debit{Account: a, Period: day, Amount: cost}, core.Debit{Account: a, Period: month, Amount: cost})
	}
	seen := map[core.Debit]bool{}
	for _, d := range out {
		seen[d] = true
	}
	for _, claim := range claims {
		d := core.Debit{Account: claim.Account, Period: claim.Period, Amount: cost}
		if !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	return out
}

// Settle books a step whose chain is kept in memory only; the others' debits go into the transaction that stores the step.
func (l *Ledger) Settle(ctx context.Context, c core.ChainID, step int, debits []core.Debit) error {
	return l.store.Settle(ctx, l.self, c, step, debits)
}

// Close ends a chain that is kept in memory only: nothing of it stays but what it cost the others' accounts.
func (l *Ledger) Close(ctx context.Context, c core.ChainID) error {
	return l.store.CloseSpending(ctx, l.self, c)
}

func periods(at time.Time) (day, month core.Period) {
	return core.Period(at.Format(time.DateOnly)), core.Period(at.Format("2006-01"))
}

func own(c core.Chain) core.Account { return core.Account(chain + string(c.ID)) }

// account is whose budget it is; false when it does not concern the chain.
func account(of string, c core.Chain) (core.Account, bool) {
	switch kind, name, _ := strings.Cut(of, ":"); kind {
	case "all":
		return all, true
	case "chain":
		return own(c), true
	case "user":
		return core.Account(of), name == ownerName && c.User == core.Owner
	case "agent":
		return core.Account(of), name != "" && name == string(c.Agent)
	case "session":
		id := string(c.Session)
		return core.Account(session + id), name != "" && (name == id || name == core.Short(id))
	}
	return "", false
}

func least(a, b core.MicroUSD) core.MicroUSD {
	if a > 0 && b > 0 {
		return min(a, b)
	}
	return cmp.Or(a, b)
}
