package daemon

import (
	"context"

	"jarvis/daemon/home"
	"jarvis/daemon/offline"
	"jarvis/store/bolt"
)

// lookAtStore is the doctor's look.
func lookAtStore(ctx context.Context, h home.Home) (offline.StoreLook, error) {
	l, err := bolt.Inspect(ctx, bolt.Options{Path: h.DB, HomeIDPath: h.ID, LockPath: h.Lock})
	return offline.StoreLook{
		Held: l.Held, PID: l.PID, Missing: l.Missing, Crashed: l.Crashed, Suspect: l.Suspect, Size: l.Size, Free: l.Free,
		Schema: l.Schema, Latest: l.Latest, Bad: l.Bad, Newest: l.Newest,
	}, err
}
