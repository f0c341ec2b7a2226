package client

import (
	"context"
	"net/http"
	"net/url"

	"jarvis/core"
	"jarvis/daemon/api"
)

// NewSession makes a session.
func (c *Client) NewSession(ctx context.Context, n api.SessionNew) (core.Session, error) {
	var out core.Session
	return out, c.json(ctx, call{method: http.MethodPost, path: "/api/sessions", start: true}, n, &out)
}

// Marked pages through a session's marked messages.
func (c *Client) Marked(ctx context.Context, id string, p core.Page) (api.List[core.Message], error) {
	q := get("/api/history")
	q.query = pageQuery(p)
	q.query.Set("session_id", id)
	q.query.Set("marked", "1")
	var out api.List[core.Message]
	return out, c.json(ctx, q, nil, &out)
}

// MarkMessage marks a message as important, or takes the mark away.
func (c *Client) MarkMessage(ctx context.Context, id core.MessageID, marked bool) (core.Message, error) {
	var out core.Message
	q := call{method: http.MethodPut, path: "/api/history/messages/" + url.PathEscape(string(id)) + "/mark", start: true}
	return out, c.json(ctx, q, api.MessageMark{Marked: &marked}, &out)
}

// Archive takes chains out of a session's view and prompt.
func (c *Client) Archive(ctx context.Context, a api.Archive) (core.Archive, error) {
	var out core.Archive
	return out, c.json(ctx, call{method: http.MethodPost, path: "/api/history/archive", start: true}, a, &out)
}

// Archives pages through a session's archives, oldest first.
func (c *Client) Archives(ctx context.Context, id string, p core.Page) (api.List[core.Archive], error) {
	q := get("/api/history/archives")
	q.query = pageQuery(p)
	q.query.Set("session_id", id)
	var out api.List[core.Archive]
	return out, c.json(ctx, q, nil, &out)
}

// ReadArchive gives an archive with a page of its messages.
func (c *Client) ReadArchive(ctx context.Context, id core.ArchiveID, p core.Page) (api.ArchiveRead, error) {
	q := get(archivePath(id))
	q.query = pageQuery(p)
	var out api.ArchiveRead
	return out, c.json(ctx, q, nil, &out)
}

// RestoreArchive brings an archive's chains back into view and prompt.
func (c *Client) RestoreArchive(ctx context.Context, id core.ArchiveID) (core.Archive, error) {
	var out core.Archive
	return out, c.json(ctx, call{method: http.MethodPost, path: archivePath(id) + "/restore", start: true}, nil, &out)
}

func archivePath(id core.ArchiveID) string {
	return "/api/history/archive/" + url.PathEscape(string(id))
}
