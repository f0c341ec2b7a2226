package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"

	"jarvis/core"
	"jarvis/daemon/api"
)

// ForkSession makes a new session of a session, up to a point; id is whole or what a person types of it.
func (c *Client) ForkSession(ctx context.Context, id string, f api.SessionFork) (core.Session, error) {
	var out core.Session
	return out, c.json(ctx, call{method: http.MethodPost, path: sessionPath(id, "/fork"), start: true}, f, &out)
}

// Export is how a session is written to a file.
type Export struct {
	Format        string // md, json or html
	NoAttachments bool
	Lang          string // of what stands around the messages
}

// ExportSession asks for a session as a file and gives its bytes once the daemon has begun to send them. Reading ends with
// io.EOF only when the file is whole.
func (c *Client) ExportSession(ctx context.Context, id string, e Export) (io.ReadCloser, error) {
	q := get(sessionPath(id, "/export"))
	q.query = url.Values{"format": {e.Format}}
	if e.NoAttachments {
		q.query.Set("attachments", "0")
	}
	if e.Lang != "" {
		q.query.Set("lang", e.Lang)
	}
	resp, err := c.do(ctx, q) //nolint:bodyclose // whoever reads it closes it
	if err != nil {
		return nil, err
	}
	return exportBody{resp.Body, ctx}, nil
}

type exportBody struct {
	io.ReadCloser
	ctx context.Context //nolint:containedctx // of the one call
}

func (b exportBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return n, err
	}
	if b.ctx.Err() != nil {
		return n, b.ctx.Err()
	}
	return n, core.E(core.Internal, "the export was cut off", "jarvis daemon logs", err)
}

// ImportSession sends a file that ExportSession gave as JSON. size is its bytes, -1 when nobody knows.
func (c *Client) ImportSession(ctx context.Context, r io.Reader, size int64) (api.SessionImported, error) {
	var out api.SessionImported
	resp, err := c.do(ctx, call{
		method: http.MethodPost, path: "/api/sessions/import", upload: &upload{r: r, size: size}, start: true,
	})
	if err != nil {
		return out, err
	}
	defer func() { _ = resp.Body.Close() }() // only read
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&out); err != nil {
		return out, core.E(core.Internal, "the daemon's answer cannot be read", "jarvis daemon logs", err)
	}
	return out, nil
}

// upload is a body that is sent as it is read, once.
type upload struct {
	r    io.Reader
	size int64 // -1 = unknown

	mu   sync.Mutex // guards the rest: net/http reads in a goroutine of its own
	some bool
	err  error
}

func (u *upload) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.some = true
	if err != nil && !errors.Is(err, io.EOF) {
		u.err = err
	}
	return n, err
}

// Close leaves the file open: the request may be sent again when nothing of it was read.
func (u *upload) Close() error { return nil }

func (u *upload) begun() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.some
}

// failed tells the reader's own error from the connection's.
func (u *upload) failed(otherwise error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err != nil {
		return core.E(core.BadRequest, "the file cannot be read: "+u.err.Error(), "", u.err)
	}
	return otherwise
}
