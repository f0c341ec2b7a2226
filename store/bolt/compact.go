package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
)

const (
	compactSuffix = ".compact"

	compactStep  = 4 << 20 // bytes copied in one transaction
	compactRows  = 5000    // records in one
	compactRate  = 64 << 20
	compactLast  = 500     // records that may wait for the last step, while nobody writes
	compactMost  = 2000000 // records written meanwhile that are remembered
	compactTurns = 50      // tries to catch up
	compactFill  = 0.9     // of a page: the keys come in order
)

// Compacted says what a compaction did.
type Compacted struct {
	Before int64         // bytes of the file
	After  int64         // bytes
	Pause  time.Duration // how long writes waited at the end
}

// spot is one record of one bucket.
type spot struct{ bucket, key string }

// watch remembers which records are written while the database is copied.
type watch struct {
	spots map[spot]bool
	lost  bool // there were too many
}

func (w *watch) add(spots []spot) {
	for _, s := range spots {
		if len(w.spots) >= compactMost {
			w.lost = true
			return
		}
		w.spots[s] = true
	}
}

// Compact copies the database into a new file without its free pages, while others read and write, and puts that in the place
// of the old one. Records that are written meanwhile are copied again; writes wait only for the last few. Before the new file
// is whole and durable, the old one is what a crash leaves; nothing else may copy the file at the same time.
func (d *DB) Compact(ctx context.Context) (Compacted, error) {
	if runtime.GOOS == "windows" { // an open file cannot be replaced there
		return Compacted{}, core.E(core.Unsupported, "the store cannot be compacted on this system", "jarvis version", nil)
	}
	if !d.compacting.TryLock() {
		return Compacted{}, core.E(core.Conflict, "the store is being compacted already", "jarvis daemon status", nil)
	}
	defer d.compacting.Unlock()
	if err := d.writable(); err != nil {
		return Compacted{}, err
	}
	info, err := os.Stat(d.path)
	if err != nil {
		return Compacted{}, explain("compact", err)
	}
	if err := d.roomFor(info.Size()); err != nil {
		return Compacted{}, err
	}
	c := &compaction{d: d, path: d.path + compactSuffix}
	err = os.Remove(c.path) // of one that was killed
	if err == nil || errors.Is(err, os.ErrNotExist) {
		err = c.run(ctx, c.swap)
	}
	if err != nil {
		c.drop(err)
		return Compacted{}, explain("compact", err)
	}
	after, err := os.Stat(d.path)
	if err != nil {
		return Compacted{}, explain("compact", err)
	}
	return Compacted{Before: info.Size(), After: after.Size(), Pause: c.pause}, nil
}

func (d *DB) roomFor(size int64) error {
	need := uint64(size) + uint64(size)/10
	free, err := room(filepath.Dir(d.path))
	if err != nil {
		return explain("compact", err)
	}
	if free < need {
		return core.E(core.Internal, fmt.Sprintf("compacting needs %d MiB of free disk for a copy of the store", need>>20+1), "df -h", nil)
	}
	return nil
}

type compaction struct {
	d     *DB
	path  string
	to    *bbolt.DB // the copy; nil = not open, or in its place
	file  *os.File  // of the copy
	w     *watch
	pause time.Duration
}

// run copies everything while others write. last is called when only a few records are missing.
func (c *compaction) run(ctx context.Context, last func(ctx context.Context, names []string) error) error {
	err := guard(func() (err error) {
		c.to, err = bbolt.Open(c.path, 0o600, boltOptions(c.d.wait, func(f *os.File) { c.file = f }))
		return err
	})
	if err != nil {
		return err
	}
	c.w = &watch{spots: map[spot]bool{}}
	c.d.alone(func() { c.d.watch = c.w })
	defer c.d.alone(func() { c.d.watch = nil })
	names, err := c.buckets(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := c.bucket(ctx, name); err != nil {
			return err
		}
	}
	for range compactTurns {
		spots, err := c.written()
		if err != nil {
			return err
		}
		if err := c.again(ctx, spots); err != nil {
			return err
		}
		if len(spots) < compactLast {
			break
		}
	}
	if err := guard(func() error { return c.to.View(func(t *bbolt.Tx) error { return drain(t.Check()) }) }); err != nil {
		return err
	}
	return last(ctx, names)
}

// buckets makes those of the original in the copy.
func (c *compaction) buckets(ctx context.Context) (names []string, err error) {
	err = c.d.view(ctx, "compact", func(t *tx) error {
		names = nil
		return t.b.ForEach(func(name []byte, _ *bbolt.Bucket) error {
			names = append(names, string(name))
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return names, c.write(func(t *bbolt.Tx) error {
		for _, name := range names {
			if _, err := t.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *compaction) write(fn func(*bbolt.Tx) error) error {
	return guard(func() error { return c.to.Update(fn) })
}

// pair is a record as it lies in the file; a nil value means that there is none.
type pair struct{ k, v []byte }

// bucket copies a bucket in small steps, each in a short transaction, so that no old pages are kept for it.
func (c *compaction) bucket(ctx context.Context, name string) error {
	for next := []byte{}; next != nil; {
		var rows []pair
		var size int64
		from := next
		err := c.d.view(ctx, "compact", func(t *tx) error {
			rows, size, next = nil, 0, nil
			b, err := t.bucket(name)
			if err != nil {
				return err
			}
			cur := b.Cursor()
			for k, v := cur.Seek(from); k != nil; k, v = cur.Next() {
				if v == nil {
					return fmt.Errorf("bucket %s holds another", name)
				}
				if size >= compactStep || len(rows) >= compactRows {
					next = bytes.Clone(k)
					return nil
				}
				rows = append(rows, pair{bytes.Clone(k), append([]byte{}, v...)})
				size += int64(len(k) + len(v))
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := c.put(name, rows); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(size) * time.Second / compactRate):
		}
	}
	return nil
}

func (c *compaction) put(name string, rows []pair) error {
	return c.write(func(t *bbolt.Tx) error {
		b := t.Bucket([]byte(name))
		if b == nil {
			return fmt.Errorf("bucket %s is new", name)
		}
		b.FillPercent = compactFill
		for _, r := range rows {
			var err error
			if r.v == nil {
				err = b.Delete(r.k)
			} else {
				err = b.Put(r.k, r.v)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// written takes what was written since the last time. All of it is committed: nobody is in the middle of a write.
func (c *compaction) written() (spots map[spot]bool, err error) {
	c.d.alone(func() { spots, err = c.take() })
	return spots, err
}

func (c *compaction) take() (map[spot]bool, error) {
	if c.w.lost {
		return nil, core.E(core.Conflict, "too much is written now for compacting the store", "jarvis backup compact   # a little later", nil)
	}
	spots := c.w.spots
	c.w.spots = map[spot]bool{}
	return spots, nil
}

// again copies records as they are now.
func (c *compaction) again(ctx context.Context, spots map[spot]bool) error {
	byBucket := map[string][]pair{}
	flush := func(name string) error {
		rows := byBucket[name]
		byBucket[name] = nil
		if len(rows) == 0 {
			return nil
		}
		err := c.d.view(ctx, "compact", func(t *tx) error {
			b, err := t.bucket(name)
			if err != nil {
				return err
			}
			for i := range rows {
				if rows[i].v = nil; b.Get(rows[i].k) != nil {
					rows[i].v = append([]byte{}, b.Get(rows[i].k)...)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return c.put(name, rows)
	}
	for s := range spots {
		byBucket[s.bucket] = append(byBucket[s.bucket], pair{k: []byte(s.key)})
		if len(byBucket[s.bucket]) >= compactLast {
			if err := flush(s.bucket); err != nil {
				return err
			}
		}
	}
	for name := range byBucket {
		if err := flush(name); err != nil {
			return err
		}
	}
	return nil
}

// swap copies the rest while nobody writes, and puts the copy in the place of the original. Readers go on: those that have
// begun end on the original.
func (c *compaction) swap(ctx context.Context, names []string) (err error) {
	var old *bbolt.DB
	c.d.alone(func() {
		begin := time.Now()
		defer func() { c.pause = time.Since(begin) }()
		if err = c.rest(ctx, names); err != nil {
			return
		}
		if err = c.d.writable(); err != nil {
			return
		}
		if err = c.to.Sync(); err != nil { // before it is whole it takes no place
			return
		}
		if err = os.Rename(c.path, c.d.path); err != nil {
			return
		}
		old = c.d.replace(c.to, c.file)
		c.to, c.file = nil, nil
		err = syncDir(filepath.Dir(c.d.path))
	})
	if old != nil {
		err = errors.Join(err, guard(old.Close)) // waits for those who still read it
	}
	return err
}

// rest copies what is missing, while nobody writes. The caller syncs the copy: once, instead of after each step.
func (c *compaction) rest(ctx context.Context, names []string) error {
	c.to.NoSync = true
	spots, err := c.take()
	if err != nil {
		return err
	}
	if err := c.again(ctx, spots); err != nil {
		return err
	}
	return c.sequences(ctx, names)
}

// sequences copies the buckets' counters, of which the store's clock is one.
func (c *compaction) sequences(ctx context.Context, names []string) error {
	all := map[string]uint64{}
	err := c.d.view(ctx, "compact", func(t *tx) error {
		for _, name := range names {
			b, err := t.bucket(name)
			if err != nil {
				return err
			}
			all[name] = b.Sequence()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.write(func(t *bbolt.Tx) error {
		for name, n := range all {
			if err := t.Bucket([]byte(name)).SetSequence(n); err != nil {
				return err
			}
		}
		return nil
	})
}

// drop removes a copy that did not come to anything.
func (c *compaction) drop(cause error) {
	if f := (*fault)(nil); c.to != nil && !errors.As(cause, &f) { // after a fault bbolt's Close would wait for ever
		_ = guard(c.to.Close)
		c.to = nil
		_ = os.Remove(c.path)
	} else if c.file != nil {
		unlockFile(c.file)
		_ = c.file.Close()
		_ = os.Remove(c.path)
	}
}

// alone runs fn while no write transaction is open.
func (d *DB) alone(fn func()) {
	d.writing.Lock()
	defer d.writing.Unlock()
	fn()
}

// begin begins a transaction on the file that is in place now.
func (d *DB) begin(write bool) (*bbolt.Tx, error) {
	d.place.RLock()
	defer d.place.RUnlock()
	return d.b.Begin(write)
}

// replace puts another file in place and gives the one that was there.
func (d *DB) replace(b *bbolt.DB, file *os.File) *bbolt.DB {
	d.place.Lock()
	defer d.place.Unlock()
	old := d.b
	b.NoSync = d.noSync
	d.b, d.file = b, file
	return old
}
