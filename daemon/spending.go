package daemon

import (
	"context"

	"jarvis/core"
	"jarvis/core/budget"
	"jarvis/daemon/api"
	"jarvis/daemon/config"
	"jarvis/store/bolt"
)

// spending gives the server what was used, and the limits that the configuration sets.
type spending struct {
	db   *bolt.DB
	conf func() *config.Config
}

// Usage lists what a user used.
func (s spending) Usage(ctx context.Context, q core.UsageQuery) ([]core.UsageRow, error) {
	return s.db.Usage(ctx, q)
}

// Limits are the budgets as configured, one entry a limit.
func (s spending) Limits() []api.Limit {
	out := []api.Limit{}
	for _, b := range s.conf().Budgets {
		day, month := "day", "month"
		if b.For == "chain" {
			day, month = "chain", "chain"
		}
		if b.DailyUSD > 0 {
			out = append(out, api.Limit{For: b.For, Period: day, LimitUSD: b.DailyUSD})
		}
		if b.MonthlyUSD > 0 {
			out = append(out, api.Limit{For: b.For, Period: month, LimitUSD: b.MonthlyUSD})
		}
	}
	return out
}

// limits are the budgets as the ledger wants them.
func limits(c *config.Config) []budget.Limit {
	out := make([]budget.Limit, 0, len(c.Budgets))
	for _, b := range c.Budgets {
		out = append(out, budget.Limit{For: b.For, Daily: core.LimitUSD(b.DailyUSD), Monthly: core.LimitUSD(b.MonthlyUSD)})
	}
	return out
}
