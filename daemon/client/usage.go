package client

import (
	"context"
	"net/url"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Usage tells what was used between two days, both in it; "" is open.
func (c *Client) Usage(ctx context.Context, by core.UsageBy, from, to core.Period) (api.Usage, error) {
	q := get("/api/usage")
	q.query = url.Values{"by": {string(by)}}
	for name, day := range map[string]core.Period{"from": from, "to": to} {
		if day != "" {
			q.query.Set(name, string(day))
		}
	}
	var out api.Usage
	return out, c.json(ctx, q, nil, &out)
}
