package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
)

// A plain copy fills the disk's queue, and every acknowledged write then waits behind it: a snapshot is written in small
// steps, each synced, at a limited rate.
const (
	snapshotStep = 4 << 20  // bytes
	snapshotRate = 64 << 20 // bytes a second
)

// Snapshot copies the database as it is at one moment to path, durably, while others write. The disk must have room for it
// and a tenth more. What a failed one leaves at path is removed.
func (d *DB) Snapshot(ctx context.Context, path string) error {
	info, err := os.Stat(d.path)
	if err != nil {
		return explain("snapshot", err)
	}
	need := uint64(info.Size()) + uint64(info.Size())/10
	if free, err := room(filepath.Dir(path)); err != nil {
		return explain("snapshot", err)
	} else if free < need {
		return core.E(core.Internal, fmt.Sprintf("the backup needs %d MiB of free disk for a copy of the store", need>>20+1), "df -h", nil)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return explain("snapshot", err)
	}
	w := &paced{ctx: ctx, f: f, rate: snapshotRate}
	err = d.view(ctx, "snapshot", func(t *tx) error {
		_, err := t.b.WriteTo(w)
		return err
	})
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path)
		return explain("snapshot", err)
	}
	return nil
}

// Room is how many bytes this user may still write below dir.
func Room(dir string) (uint64, error) { return room(dir) }

// paced syncs a file after each step and then waits until the rate allows the next.
type paced struct {
	ctx  context.Context //nolint:containedctx // of the one call
	f    *os.File
	rate int64 // bytes a second
	n    int64 // bytes since the last sync
}

func (s *paced) Write(p []byte) (int, error) {
	done := 0
	for len(p) > 0 {
		if err := s.ctx.Err(); err != nil {
			return done, err
		}
		n, err := s.f.Write(p[:min(len(p), snapshotStep)])
		done, s.n, p = done+n, s.n+int64(n), p[n:]
		if err != nil {
			return done, err
		}
		if s.n < snapshotStep {
			continue
		}
		if err := s.f.Sync(); err != nil {
			return done, err
		}
		pause := time.Duration(s.n) * time.Second / time.Duration(s.rate)
		s.n = 0
		select {
		case <-s.ctx.Done():
		case <-time.After(pause):
		}
	}
	return done, nil
}

// Verify opens a closed database at path to look at it only: it checks every page and gives its schema.
// core.StoreDamaged says that it is broken, core.Unsupported that a newer jarvis wrote it.
func Verify(ctx context.Context, path string) (schema int, err error) {
	d := &DB{path: path, wait: time.Second}
	err = guard(func() error {
		o := boltOptions(d.wait, func(f *os.File) { d.file = f })
		o.ReadOnly = true
		if d.b, err = bbolt.Open(path, 0o600, o); err != nil {
			return err
		}
		return d.b.View(func(bt *bbolt.Tx) error {
			if err := d.identify(bt, &schema); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			return drain(bt.Check())
		})
	})
	if d.b != nil && !errors.As(err, new(*fault)) {
		err = errors.Join(err, d.b.Close())
	} else if d.file != nil {
		unlockFile(d.file)
		_ = d.file.Close() // its mapping goes with the process
	}
	switch {
	case isDamage(err):
		return 0, core.E(core.StoreDamaged, "the database "+path+" is damaged", "jarvis backup list", err)
	case err != nil:
		return 0, unusable(path, err)
	case schema > latest(migrations):
		return schema, core.E(core.Unsupported,
			fmt.Sprintf("the store was written by a newer jarvis (schema %d, this one knows %d)", schema, latest(migrations)), "jarvis version", nil)
	}
	return schema, nil
}

// Hold takes the lock on a home, as a daemon does, for somebody who changes its files. core.Conflict says that a daemon runs.
func Hold(ctx context.Context, o Options) (release func(), err error) {
	if o.LockTimeout == 0 {
		o.LockTimeout = time.Second
	}
	if o.LockPath == "" {
		o.LockPath = o.Path + ".lock"
	}
	lock, pid, _, err := lockHome(ctx, o)
	if err != nil {
		return nil, err
	}
	return func() {
		_ = os.Remove(pid)
		_ = lock.Unlock()
	}, nil
}
