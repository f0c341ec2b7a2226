package client

import (
	"context"
	"net/http"
	"net/url"

	"jarvis/core"
	"jarvis/daemon/api"
)

// EditSession changes a session; id is whole or what a person types of it.
func (c *Client) EditSession(ctx context.Context, id string, e core.SessionEdit) (core.Session, error) {
	var out core.Session
	return out, c.json(ctx, call{method: http.MethodPut, path: sessionPath(id, ""), start: true}, e, &out)
}

// DeleteMessage takes a message out of sight and out of the prompt, or back.
func (c *Client) DeleteMessage(ctx context.Context, id core.MessageID, deleted bool) (core.Message, error) {
	var out core.Message
	q := call{method: http.MethodPut, path: "/api/history/messages/" + url.PathEscape(string(id)) + "/delete", start: true}
	return out, c.json(ctx, q, api.MessageDelete{Deleted: &deleted}, &out)
}
