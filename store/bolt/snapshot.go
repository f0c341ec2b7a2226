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

// Snapshot copies the records of the database as they are at one moment to path, durably, while others write. It copies no
// page: those that are free may still hold what was erased. It does so in short transactions, as a compaction does, because a
// long one would hold up whoever makes the file grow. The disk must have room for it and a tenth more. What a failed one
// leaves at path is removed. core.Conflict says that the store is being compacted.
func (d *DB) Snapshot(ctx context.Context, path string) error {
	if !d.compacting.TryLock() {
		return core.E(core.Conflict, "the store is being compacted", "jarvis backup create   # a little later", nil)
	}
	defer d.compacting.Unlock()
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
	c := &compaction{d: d, path: path}
	if err = f.Close(); err == nil {
		err = c.run(ctx, c.keep)
	}
	if err == nil {
		err = wipe(ctx, path, d.wait)
	}
	if err != nil {
		c.drop(err)
		_ = os.Remove(path)
		return explain("snapshot", err)
	}
	return nil
}

// keep copies the rest while nobody writes, and closes the copy.
func (c *compaction) keep(ctx context.Context, names []string) (err error) {
	c.d.alone(func() { err = c.rest(ctx, names) })
	if err != nil {
		return err
	}
	if err := c.to.Sync(); err != nil {
		return err
	}
	err = guard(c.to.Close)
	c.to, c.file = nil, nil
	return err
}

// wipe writes zeros over the free pages of a closed database that nobody else opens: a record that was changed or erased
// while it was copied has left its bytes there.
func wipe(ctx context.Context, path string, wait time.Duration) error {
	var free []int64 // offsets
	var size int
	err := guard(func() error {
		o := boltOptions(wait, nil)
		o.ReadOnly, o.PreLoadFreelist = true, true
		b, err := bbolt.Open(path, 0o600, o)
		if err != nil {
			return err
		}
		size = b.Info().PageSize
		err = b.View(func(t *bbolt.Tx) error {
			for id := 0; ; id++ {
				p, err := t.Page(id)
				if err != nil || p == nil {
					return err
				}
				if p.Type != "free" {
					id += p.OverflowCount // what follows is of the same page; a free one says nothing any more
					continue
				}
				free = append(free, int64(id)*int64(size))
			}
		})
		return errors.Join(err, b.Close())
	})
	if err != nil {
		return err
	}
	f, err := openRegular(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	zero := make([]byte, size)
	for _, at := range free {
		if err = ctx.Err(); err == nil {
			_, err = f.WriteAt(zero, at)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// Room is how many bytes this user may still write below dir.
func Room(dir string) (uint64, error) { return room(dir) }

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
