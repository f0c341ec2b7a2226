package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"jarvis/daemon/home"
	"jarvis/daemon/offline"
	"jarvis/store/bolt"
	"jarvis/store/index"
)

// lookAtStore is the doctor's look.
func lookAtStore(ctx context.Context, h home.Home) (offline.StoreLook, error) {
	l, err := bolt.Inspect(ctx, bolt.Options{Path: h.DB, HomeIDPath: h.ID, LockPath: h.Lock})
	return offline.StoreLook{
		Held: l.Held, PID: l.PID, Missing: l.Missing, Crashed: l.Crashed, Suspect: l.Suspect, Size: l.Size, Free: l.Free,
		Schema: l.Schema, Latest: l.Latest, Bad: l.Bad, Newest: l.Newest,
	}, err
}

// lookAtIndex reads whose the index is. The engine itself is linked by jarvis-index only.
func lookAtIndex(_ context.Context, h home.Home) (offline.IndexLook, error) {
	text, err := home.ReadRegular(filepath.Join(h.Index, index.ManifestName), 64<<10)
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(h.Index)
		if err == nil && len(entries) > 0 {
			return offline.IndexLook{Foreign: true}, nil // its manifest is written last
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return offline.IndexLook{Missing: true}, err
	}
	if err != nil {
		return offline.IndexLook{}, err
	}
	id, err := home.ReadRegular(h.ID, 1<<10)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return offline.IndexLook{}, err
	}
	var m struct {
		Home  string `json:"home"`
		Epoch string `json:"epoch"`
	}
	bad := json.Unmarshal(text, &m) != nil || m.Epoch == "" || m.Home != strings.TrimSpace(string(id))
	return offline.IndexLook{Foreign: bad}, nil
}
