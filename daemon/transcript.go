package daemon

import (
	"context"
	"io"

	"jarvis/core"
	"jarvis/core/session"
	"jarvis/core/transcript"
	"jarvis/core/transcript/tex"
	"jarvis/daemon/api"
	"jarvis/daemon/server"
)

// transcripts gives the server copies and files of sessions as it wants them.
type transcripts struct {
	s      *session.Service
	limits func() transcript.Limits
}

// Fork copies a session.
func (t transcripts) Fork(ctx context.Context, user core.UserID, id core.SessionID, f api.SessionFork) (core.Session, error) {
	return t.s.Fork(ctx, user, id, session.Forking{At: f.At, Title: f.Title})
}

// Export writes a session as a file.
func (t transcripts) Export(ctx context.Context, user core.UserID, id core.SessionID, e server.Exporting, w io.Writer) error {
	return t.s.Export(ctx, user, id, session.Exporting{Format: e.Format, NoAttachments: e.NoAttachments, Lang: e.Lang}, w)
}

// Import makes a session of a file.
func (t transcripts) Import(ctx context.Context, user core.UserID, r io.Reader) (api.SessionImported, error) {
	made, err := t.s.Import(ctx, user, r, t.limits())
	if err != nil {
		return api.SessionImported{}, err
	}
	return api.SessionImported{
		Session: made.Session, Chains: made.Chains, Messages: made.Messages, Attachments: made.Attachments, Missing: made.Missing,
	}, nil
}

// newMath makes the renderer of one page's formulas.
func newMath() transcript.Math { return tex.New().MathML }
