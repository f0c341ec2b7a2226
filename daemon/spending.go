package daemon

import (
	"context"
	"time"

	"jarvis/core"
	"jarvis/core/budget"
	"jarvis/daemon/api"
	"jarvis/daemon/config"
	"jarvis/store/bolt"
)

// spending gives the server what was used, and the limits that the configuration sets.
type spending struct {
	db     *bolt.DB
	ledger *budget.Ledger
}

// Usage lists what a user used.
func (s spending) Usage(ctx context.Context, q core.UsageQuery) ([]core.UsageRow, error) {
	return s.db.Usage(ctx, q)
}

// Limits are the budgets as configured, one entry a limit, with what is used of it.
func (s spending) Limits(ctx context.Context) ([]api.Limit, error) {
	out := []api.Limit{}
	for _, l := range s.ledger.Limits(time.Now()) {
		row := api.Limit{For: l.For, Period: l.Span, LimitUSD: usd(l.Amount)}
		if l.Account != "" {
			spent, err := s.db.Spent(ctx, l.Account, l.Period)
			if err != nil {
				return nil, err
			}
			used := usd(spent.Amount)
			row.UsedUSD = &used
		}
		out = append(out, row)
	}
	return out, nil
}

func usd(m core.MicroUSD) float64 { return float64(m) / 1e6 }

// limits are the budgets as the ledger wants them.
func limits(c *config.Config) []budget.Limit {
	out := make([]budget.Limit, 0, len(c.Budgets))
	for _, b := range c.Budgets {
		out = append(out, budget.Limit{For: b.For, Daily: core.LimitUSD(b.DailyUSD), Monthly: core.LimitUSD(b.MonthlyUSD)})
	}
	return out
}
