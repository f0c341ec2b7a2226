package client

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"jarvis/core"
)

// Search finds messages by what a person typed.
func (c *Client) Search(ctx context.Context, text string, limit int, after core.Cursor) (core.Hits, error) {
	_, offset := time.Now().Zone()
	q := get("/api/search")
	q.query = url.Values{"q": {text}, "limit": {strconv.Itoa(limit)}, "offset": {strconv.Itoa(offset)}}
	if after != "" {
		q.query.Set("cursor", string(after))
	}
	var out core.Hits
	return out, c.json(ctx, q, nil, &out)
}
