package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
)

// firstSchema is what the first release wrote.
const firstSchema = 1

// migrations has, for each schema, the step to it from the one before: idempotent, one transaction, on a copy. A step that
// was released is never changed. Schema 1 is what create makes.
var migrations = map[int]func(*tx) error{
	2: toSchema2,
	3: toSchema3,
}

// toSchema2 brings usage and spending; the new buckets are made before it runs.
func toSchema2(t *tx) error { return fillUsage(t) }

// toSchema3 brings what a long life of sessions needs; the new buckets are made before it runs.
func toSchema3(*tx) error { return nil }

func latest(steps map[int]func(*tx) error) int { return firstSchema + len(steps) }

// migrate brings the open database from schema to the latest: a copy is migrated, checked and renamed over the original, so
// that a crash or a full disk at any moment leaves the old one as it was.
func (d *DB) migrate(ctx context.Context, o Options, schema int) error {
	to := latest(o.migrations)
	if schema == to {
		return nil
	}
	if schema > to {
		return core.E(core.Unsupported,
			fmt.Sprintf("the store was written by a newer jarvis (schema %d, this one knows %d)", schema, to), "jarvis version", nil)
	}
	if o.Migrating != nil {
		o.Migrating(schema, to)
	}
	d.log.Info("Migrating the store", "from", schema, "to", to)
	if err := d.b.Close(); err != nil { // nothing may change the original now; the home's lock is still ours
		return unusable(o.Path, err)
	}
	d.b, d.file = nil, nil
	tmp := o.Path + ".migrating"
	defer func() { _ = os.Remove(tmp) }() // gone already when all went well
	if err := copyFile(ctx, tmp, o.Path); err != nil {
		return err
	}
	if err := steps(ctx, tmp, o.migrations, schema, to); err != nil {
		return err
	}
	if err := os.Rename(tmp, o.Path); err != nil {
		return unusable(o.Path, err)
	}
	if err := syncDir(filepath.Dir(o.Path)); err != nil {
		return unusable(o.Path, err)
	}
	return d.attach(o.Path)
}

// steps runs the migrations on the copy; each sets the schema in its own transaction, so a second run continues.
func steps(ctx context.Context, path string, all map[int]func(*tx) error, from, to int) error {
	c := &DB{path: path, wait: time.Second}
	if err := c.attach(path); err != nil {
		return core.E(core.Internal, "the copy of the store cannot be opened", "jarvis daemon logs", err)
	}
	err := guard(func() error {
		for n := from + 1; n <= to; n++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := c.b.Update(func(bt *bbolt.Tx) error {
				t := &tx{b: bt}
				if err := makeBuckets(t); err != nil {
					return err
				}
				if err := all[n](t); err != nil {
					return err
				}
				return t.put(bMeta, keySchema, n)
			})
			if err != nil {
				return fmt.Errorf("migrate to schema %d: %w", n, err)
			}
		}
		return c.b.View(func(bt *bbolt.Tx) error { return drain(bt.Check()) })
	})
	if cerr := c.b.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		// Whatever went wrong, a fault too, went wrong on the copy: the original is not damaged by it and stays in use.
		return core.E(core.Internal, "the store cannot be brought up to date", "jarvis daemon logs", err)
	}
	return nil
}

// copyFile copies the database durably, when the disk has room for it and a tenth more.
func copyFile(ctx context.Context, to, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return unusable(from, err)
	}
	defer func() { _ = src.Close() }() // only read
	info, err := src.Stat()
	if err != nil {
		return unusable(from, err)
	}
	need := uint64(info.Size()) + uint64(info.Size())/10
	if free, err := room(filepath.Dir(to)); err != nil {
		return unusable(to, err)
	} else if free < need {
		return core.E(core.Internal, fmt.Sprintf("the store needs %d MiB of free disk to be brought up to date", need>>20+1), "df -h", nil)
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return unusable(to, err)
	}
	_, err = io.Copy(dst, readerOf(ctx, src))
	if err = errors.Join(err, dst.Sync(), dst.Close()); err != nil {
		return unusable(to, err)
	}
	return nil
}

// ctxReader stops a copy when its context ends.
type ctxReader struct {
	err func() error
	r   io.Reader
}

func readerOf(ctx context.Context, r io.Reader) io.Reader { return ctxReader{err: ctx.Err, r: r} }

func (c ctxReader) Read(p []byte) (int, error) {
	if err := c.err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
