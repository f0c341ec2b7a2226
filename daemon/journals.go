package daemon

import (
	"context"
	"time"

	"jarvis/core"
)

// packAfter is how long a journal lies before it is packed: an answer that has just ended is read again.
const packAfter = 10 * time.Minute

// sweepJournals packs journals that are at rest and removes the oldest ones beyond the limit.
func (d *daemon) sweepJournals(ctx context.Context) error {
	if n, size, err := d.journal.Pack(ctx, packAfter); err != nil {
		if ctx.Err() != nil {
			return err
		}
		d.log.Warn("Journals cannot be packed", "error", err) // a full disk: removing helps
	} else if n > 0 {
		d.log.Info("Journals packed", "count", n, "saved", size)
	}
	n, size, err := d.journal.Sweep(ctx, int64(d.conf.Current().Limits.Journals), func(id core.ChainID) bool { return d.pinned(ctx, id) })
	if n > 0 {
		d.log.Info("Old journals removed", "count", n, "bytes", size)
	}
	return err
}

// pinned reports whether a chain's session is to keep its journals. What cannot be read is kept.
func (d *daemon) pinned(ctx context.Context, id core.ChainID) bool {
	c, err := d.db.Chain(ctx, id)
	if err == nil {
		var s core.Session
		if s, err = d.db.Session(ctx, c.Session); err == nil {
			return s.Pinned
		}
	}
	return core.CodeOf(err) != core.NotFound
}
