package daemon

import (
	"context"
	"os"

	"jarvis/core"
)

// compactMost is the size of a store, in bytes, up to which it is written anew by itself after an erasure; beyond it,
// `jarvis backup compact` does that.
const compactMost = 256 << 20

// forgotten is told of each session that is erased.
func (s *services) forgotten(id core.SessionID) {
	s.live.Changed(id)
	s.erased.Store(true)
}

// overwriteErased writes the store anew when sessions were erased since the last time: a deleted record's bytes stay in the
// file's free pages until something else is written there. backups.mu is held.
func (d *daemon) overwriteErased(ctx context.Context) {
	info, err := os.Stat(d.o.Home.DB)
	if err != nil || info.Size() > compactMost || !d.erased.Swap(false) {
		return
	}
	c, err := d.db.Compact(ctx)
	switch {
	case err == nil:
		d.log.Info("Store written anew without what was erased", "before", c.Before, "after", c.After, "pause", c.Pause)
	case core.CodeOf(err) == core.Unsupported || ctx.Err() != nil:
	default:
		d.erased.Store(true) // there is a next time
		d.log.Warn("Store cannot be written anew", "error", err)
	}
}
