package api

import "jarvis/core"

// RouteUsage tells what was used; query: by (day, model, agent, session), from and to (days, both in it).
const RouteUsage = "GET /api/usage"

// Usage is what was used in a span of days. A cost is null when a part of it has no known price.
type Usage struct {
	Total  UsageSum   `json:"total"`
	By     []UsageRow `json:"by"`
	Limits []Limit    `json:"limits"`
}

// UsageSum is tokens and what they cost.
type UsageSum struct {
	Tokens  core.Tokens `json:"tokens"`
	CostUSD *float64    `json:"cost_usd"`
}

// UsageRow is the sum of one name. At most one of the names is set: what the listing is by.
type UsageRow struct {
	Day      string       `json:"day,omitempty"`
	Model    string       `json:"model,omitempty"`
	Agent    core.AgentID `json:"agent,omitempty"`   // "" is the one that answers when none is named
	Session  string       `json:"session,omitempty"` // "" is of those that were erased
	Requests int64        `json:"requests"`
	Chains   int64        `json:"chains"`
	UsageSum
}

// Name is what the row is of.
func (r UsageRow) Name() string {
	for _, n := range []string{r.Day, r.Model, string(r.Agent), r.Session} {
		if n != "" {
			return n
		}
	}
	return ""
}

// Limit is one configured budget.
type Limit struct {
	For      string   `json:"for"`
	Period   string   `json:"period"` // day, month or chain
	LimitUSD float64  `json:"limit_usd"`
	UsedUSD  *float64 `json:"used_usd,omitempty"` // in this day or month; of a chain nothing is told
}
