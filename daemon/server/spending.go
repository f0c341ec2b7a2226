package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Spending tells what was used and what limits there are.
type Spending interface {
	Usage(ctx context.Context, q core.UsageQuery) ([]core.UsageRow, error)
	Limits(ctx context.Context) ([]api.Limit, error)
}

// usageRoutes tell what was used.
func (s *Server) usageRoutes() map[string]handler {
	return map[string]handler{api.RouteUsage: s.used}
}

func (s *Server) used(w http.ResponseWriter, r *http.Request) error {
	q, err := usageQuery(r)
	if err != nil {
		return err
	}
	rows, err := s.c.Spending.Usage(r.Context(), q)
	if err != nil {
		return err
	}
	total := rows
	if q.By != core.ByDay { // its rows are never cut short, so they are the whole
		q := q
		q.By = core.ByDay
		if total, err = s.c.Spending.Usage(r.Context(), q); err != nil {
			return err
		}
	}
	var sum core.Usage
	for _, row := range total {
		sum = sum.Add(row.Usage)
	}
	out := api.Usage{Total: usageSum(sum), By: []api.UsageRow{}}
	if out.Limits, err = s.c.Spending.Limits(r.Context()); err != nil {
		return err
	}
	for _, row := range rows {
		out.By = append(out.By, usageRow(q.By, row))
	}
	if out.Limits == nil {
		out.Limits = []api.Limit{}
	}
	return writeJSON(w, http.StatusOK, out)
}

func usageSum(u core.Usage) api.UsageSum {
	return api.UsageSum{Tokens: u.Tokens(), CostUSD: u.CostUSD()}
}

func usageRow(by core.UsageBy, row core.UsageRow) api.UsageRow {
	out := api.UsageRow{Requests: row.Requests, Chains: row.Chains, UsageSum: usageSum(row.Usage)}
	switch by {
	case core.ByDay:
		out.Day = row.Name
	case core.ByModel:
		out.Model = row.Name
	case core.ByAgent:
		out.Agent = core.AgentID(row.Name)
	case core.BySession:
		out.Session = row.Name
	}
	return out
}

func usageQuery(r *http.Request) (core.UsageQuery, error) {
	v := r.URL.Query()
	q := core.UsageQuery{User: user(r), By: core.UsageBy(v.Get("by")), From: core.Period(v.Get("from")), To: core.Period(v.Get("to"))}
	if q.By == "" {
		q.By = core.ByDay
	}
	if !slices.Contains([]core.UsageBy{core.ByDay, core.ByModel, core.ByAgent, core.BySession}, q.By) {
		return q, core.E(core.BadRequest, "by must be day, model, agent or session", "jarvis usage --help", nil)
	}
	for name, day := range map[string]core.Period{"from": q.From, "to": q.To} {
		if day == "" {
			continue
		}
		if _, err := time.Parse(time.DateOnly, string(day)); err != nil {
			return q, core.E(core.BadRequest, name+" must be a day such as 2026-11-30", "jarvis usage --help", err)
		}
	}
	return q, nil
}
