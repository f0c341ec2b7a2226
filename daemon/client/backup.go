package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Backup asks for a backup and gives its bytes once the daemon has begun to send them. Reading ends with io.EOF only when the
// archive is whole.
func (c *Client) Backup(ctx context.Context, b api.BackupCreate) (io.ReadCloser, error) {
	body, err := json.Marshal(b)
	if err != nil {
		return nil, core.E(core.BadRequest, "the request cannot be sent", "", err)
	}
	resp, err := c.do(ctx, call{method: http.MethodPost, path: "/api/backup", body: body, start: true}) //nolint:bodyclose // whoever reads it closes it
	if err != nil {
		return nil, err
	}
	return backupBody{resp.Body, ctx}, nil
}

// Compact has the store written anew without its free pages.
func (c *Client) Compact(ctx context.Context) (api.Compacted, error) {
	var out api.Compacted
	return out, c.json(ctx, call{method: http.MethodPost, path: "/api/backup/compact", start: true}, nil, &out)
}

type backupBody struct {
	io.ReadCloser
	ctx context.Context //nolint:containedctx // of the one call
}

func (b backupBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return n, err
	}
	if b.ctx.Err() != nil {
		return n, b.ctx.Err()
	}
	return n, core.E(core.Internal, "the backup was cut off", "jarvis daemon logs", err)
}
