package bolt

import (
	"bytes"
	"context"
	"fmt"

	"jarvis/core"
)

// maxHolds is how many reservations are looked at in one transaction.
const maxHolds = 200

// Reserve holds an amount on all claims at once, or on none: core.BudgetExceeded names the first one that has no room. It is
// idempotent per (owner, chain, step); a larger amount than before takes the earlier one's place, or leaves it as it is.
func (d *DB) Reserve(ctx context.Context, r core.Reservation) error {
	return d.update(ctx, "reserve", func(t *tx) error {
		k := key(str(r.Owner), str(r.Chain), u64(r.Step))
		var old core.Reservation
		if again, err := t.get(bHold, k, &old); err != nil || again && r.Amount <= old.Amount {
			return err
		}
		for _, c := range r.Claims {
			s, err := t.spent(c.Account, c.Period)
			if err != nil {
				return err
			}
			held := s.Held - holds(old, c)
			// Written so that no sum can overflow.
			if left := c.Limit - s.Amount - held; r.Amount > left {
				return core.E(core.BudgetExceeded, fmt.Sprintf("the budget %s has no room for this request: $%.6f of $%.6f are used or reserved, it may cost up to $%.6f",
					c.Name, usd(s.Amount+held), usd(c.Limit), usd(r.Amount)), "jarvis usage", nil)
			}
		}
		if err := t.release(k); err != nil {
			return err
		}
		for _, c := range r.Claims {
			if err := t.charge(c.Account, c.Period, 0, r.Amount); err != nil {
				return err
			}
		}
		return t.put(bHold, k, r)
	})
}

// holds is what a reservation holds on a claim's account.
func holds(r core.Reservation, on core.Claim) core.MicroUSD {
	for _, c := range r.Claims {
		if c.Account == on.Account && c.Period == on.Period {
			return r.Amount
		}
	}
	return 0
}

func usd(m core.MicroUSD) float64 { return float64(m) / 1e6 }

// Settle replaces a reservation by what its step cost; without a reservation it only adds. For a step that no store keeps.
func (d *DB) Settle(ctx context.Context, owner core.InstanceID, chain core.ChainID, step int, debits []core.Debit) error {
	return d.update(ctx, "settle", func(t *tx) error { return t.settle(owner, chain, step, debits) })
}

func (t *tx) settle(owner core.InstanceID, chain core.ChainID, step int, debits []core.Debit) error {
	if err := t.release(key(str(owner), str(chain), u64(step))); err != nil {
		return err
	}
	for _, d := range debits {
		if err := t.charge(d.Account, d.Period, d.Amount, 0); err != nil {
			return err
		}
	}
	return nil
}

// ReleaseHolds gives back what instances other than self held: they are dead.
func (d *DB) ReleaseHolds(ctx context.Context, self core.InstanceID) error {
	for more := true; more; {
		err := d.update(ctx, "release holds", func(t *tx) error {
			ours := key(str(self))
			var ks [][]byte
			err := t.each(bHold, nil, func(k, _ []byte) (bool, error) {
				if !bytes.HasPrefix(k, ours) {
					ks = append(ks, bytes.Clone(k))
				}
				return len(ks) < maxHolds, nil
			})
			if err != nil {
				return err
			}
			more = len(ks) == maxHolds
			return t.releaseAll(ks)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// CloseSpending ends what a chain that no store keeps holds, and its own account; the others' goes with their end.
func (d *DB) CloseSpending(ctx context.Context, owner core.InstanceID, chain core.ChainID) error {
	return d.update(ctx, "close spending", func(t *tx) error { return t.closeSpending(core.Chain{ID: chain, Owner: owner}) })
}

// closeSpending ends what a chain holds and its own account, once the chain is ended.
func (t *tx) closeSpending(c core.Chain) error {
	ks, err := t.keys(bHold, key(str(c.Owner), str(c.ID)), maxHolds)
	if err != nil {
		return err
	}
	if err := t.releaseAll(ks); err != nil {
		return err
	}
	k := key(str("chain:"+c.ID), nil)
	if ok, err := t.has(bSpent, k); err != nil || !ok {
		return err
	}
	return t.del(bSpent, k)
}

func (t *tx) releaseAll(ks [][]byte) error {
	for _, k := range ks {
		if err := t.release(k); err != nil {
			return err
		}
	}
	return nil
}

// release gives one reservation back; one that is not there is none.
func (t *tx) release(k []byte) error {
	var r core.Reservation
	if ok, err := t.get(bHold, k, &r); err != nil || !ok {
		return err
	}
	for _, c := range r.Claims {
		if err := t.charge(c.Account, c.Period, 0, -r.Amount); err != nil {
			return err
		}
	}
	return t.del(bHold, k)
}

// Spent reads an account's state in a period.
func (d *DB) Spent(ctx context.Context, a core.Account, p core.Period) (core.Spent, error) {
	var s core.Spent
	err := d.view(ctx, "spent", func(t *tx) (err error) {
		s, err = t.spent(a, p)
		return err
	})
	return s, err
}

func (t *tx) spent(a core.Account, p core.Period) (core.Spent, error) {
	var s core.Spent
	_, err := t.get(bSpent, key(str(a), str(p)), &s)
	return s, err
}

func (t *tx) charge(a core.Account, p core.Period, amount, held core.MicroUSD) error {
	s, err := t.spent(a, p)
	if err != nil {
		return err
	}
	s.Amount += amount
	s.Held = max(0, s.Held+held)
	return t.put(bSpent, key(str(a), str(p)), s)
}
