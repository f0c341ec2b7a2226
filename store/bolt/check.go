package bolt

import (
	"context"
	"errors"
	"fmt"

	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
)

// Check reads every record and every page; core.StoreDamaged names the first that is wrong. It holds one read transaction,
// so the file grows while others write: it is for `doctor` and for a start after damage.
func (d *DB) Check(ctx context.Context) error {
	if err := d.readable(); err != nil {
		return err
	}
	err := guard(func() error {
		return d.b.View(func(bt *bbolt.Tx) error {
			// Our own walk goes first: it runs in this goroutine, where a fault is caught. bbolt's check has a goroutine
			// of its own, in which a page that is not there would end the process.
			if err := checkRecords(ctx, bt); err != nil {
				return err
			}
			return drain(bt.Check())
		})
	})
	if f := (*fault)(nil); errors.As(err, &f) {
		return core.E(core.StoreDamaged, "the store is damaged", newStore, f)
	}
	return explain("check", err)
}

func checkRecords(ctx context.Context, bt *bbolt.Tx) error {
	n := 0
	for _, name := range buckets {
		b := bt.Bucket([]byte(name))
		if b == nil {
			continue // of a schema before or after: makeBuckets adds it
		}
		err := b.ForEach(func(k, rec []byte) error {
			if n++; n%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if _, err := unseal(k, rec); err != nil {
				return damaged(fmt.Errorf("record %s/%x: %w", name, k, err))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// drain reads bbolt's check to its end, because its goroutine waits for that, and gives the first error.
func drain(ch <-chan error) error {
	var first error
	for err := range ch {
		if first == nil {
			first = core.E(core.StoreDamaged, "the store is damaged", newStore, err)
		}
	}
	return first
}
