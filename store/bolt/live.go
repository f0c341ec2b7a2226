package bolt

import (
	"context"

	"jarvis/core"
)

// ChainsAfter gives a session's chains behind a position in their order, at most n.
func (d *DB) ChainsAfter(ctx context.Context, s core.SessionID, pos uint64, n int) ([]core.Chain, error) {
	p := core.Page{Limit: n}
	if pos > 0 {
		p.After = newCursor(key(str(s), u64(pos))[len(key(str(s))):])
	}
	cs, _, err := d.Chains(ctx, s, p)
	return cs, err
}
