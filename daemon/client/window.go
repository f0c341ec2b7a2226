package client

import (
	"context"
	"net/http"

	"jarvis/core"
)

// Window tells what would fill the model's window with a session's next message; id is whole or what a person types of it.
func (c *Client) Window(ctx context.Context, id string) (core.Window, error) {
	var out core.Window
	return out, c.json(ctx, get(sessionPath(id, "/context")), nil, &out)
}

// UndoSummary takes a session's newest summary away and returns it.
func (c *Client) UndoSummary(ctx context.Context, id string) (core.Summary, error) {
	var out core.Summary
	return out, c.json(ctx, call{method: http.MethodDelete, path: sessionPath(id, "/summary"), start: true}, nil, &out)
}
