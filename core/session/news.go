package session

import (
	"context"
	"strconv"
	"strings"
	"time"

	"jarvis/core"
)

// Reader finds what is new in a session and what hangs on its messages.
type Reader interface {
	// News gives a session's messages after a position, up to the first open chain's, with the position behind them; ""
	// gives the present position alone. open says whether a chain of the session is.
	News(ctx context.Context, s core.SessionID, after core.Cursor) (ms []core.Message, at core.Cursor, open bool, err error)
	// FindAttachment finds a file by its digest among a user's messages; core.NotFound.
	FindAttachment(ctx context.Context, user core.UserID, d core.Digest) (core.Attachment, error)
}

// News gives what a session has after a position. When there is nothing it waits for it at most that long. The caller has found
// the session for its user.
func (s *Service) News(
	ctx context.Context, id core.SessionID, after core.Cursor, wait time.Duration,
) ([]core.Message, core.Cursor, bool, error) {
	over := make(chan struct{})
	if wait > 0 {
		defer s.d.After(wait, func() { close(over) })()
	} else {
		close(over)
	}
	for {
		changed := s.d.Changed() // before reading: what comes in between is not missed
		ms, at, open, err := s.d.Reader.News(ctx, id, after)
		if err != nil || len(ms) > 0 || after == "" {
			return ms, at, open, err
		}
		select {
		case <-changed:
			after = at
		case <-over:
			return nil, at, open, nil
		case <-ctx.Done():
			return nil, "", false, ctx.Err()
		}
	}
}

// Attachment finds a user's file: by its digest, or by the message it came with ("<chain>.<n>" for the first one, and
// "<chain>.<n>.<k>" for number k, from 0).
func (s *Service) Attachment(ctx context.Context, user core.UserID, id string) (core.Attachment, error) {
	unknown := core.E(core.NotFound, "there is no such attachment", "jarvis session show SESSION -o json", nil)
	if len(id) == 64 && strings.Trim(id, "0123456789abcdef") == "" {
		return s.d.Reader.FindAttachment(ctx, user, core.Digest(id))
	}
	k := 0
	if strings.Count(id, ".") == 2 {
		dot := strings.LastIndexByte(id, '.')
		n, err := strconv.Atoi(id[dot+1:])
		if err != nil || n < 0 {
			return core.Attachment{}, unknown
		}
		id, k = id[:dot], n
	}
	m, err := s.Message(ctx, user, core.MessageID(id))
	if err != nil {
		return core.Attachment{}, err
	}
	if k >= len(m.Attachments) {
		return core.Attachment{}, unknown
	}
	return m.Attachments[k], nil
}
