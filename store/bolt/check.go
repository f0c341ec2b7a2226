package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"

	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
)

// quickCheck is the size in bytes up to which every start looks at the whole file: it takes less than ten milliseconds.
const quickCheck = 32 << 20

// Check reads every record and every page; core.StoreDamaged names the first that is wrong. It holds one read transaction,
// so the file grows while others write: it is for `doctor` and for a start after damage.
func (d *DB) Check(ctx context.Context) error {
	if err := d.readable(); err != nil {
		return err
	}
	_, record, err := d.check(ctx)
	if err != nil {
		return err
	}
	return record
}

// check tells damaged records, which spoil only what they hold, from a damaged file, of which nothing can be trusted.
func (d *DB) check(ctx context.Context) (bad int, record, err error) {
	err = guard(func() error {
		return d.b.View(func(bt *bbolt.Tx) (err error) {
			// Our own walk goes first: it runs in this goroutine, where a fault is caught. bbolt's check has a goroutine
			// of its own, in which a page that is not there would end the process.
			if bad, record, err = checkRecords(ctx, bt); err != nil {
				return err
			}
			return drain(bt.Check())
		})
	})
	if f := (*fault)(nil); errors.As(err, &f) {
		return 0, nil, core.E(core.StoreDamaged, "the store is damaged", newStore, f)
	}
	return bad, record, explain("check", err)
}

func checkRecords(ctx context.Context, bt *bbolt.Tx) (bad int, first, err error) {
	n := 0
	for _, name := range buckets {
		b := bt.Bucket([]byte(name))
		if b == nil {
			continue // of an older schema
		}
		err := b.ForEach(func(k, rec []byte) error {
			if n++; n%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if _, err := unseal(k, rec); err != nil {
				if bad++; first == nil {
					first = damaged(fmt.Errorf("record %s/%x: %w", name, k, err))
				}
			}
			return nil
		})
		if err != nil {
			return 0, nil, err
		}
	}
	return bad, first, nil
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

// recheck looks at the whole file when it is small or when the last daemon met damage. Damaged records alone are no reason
// to put everything else aside, unless the user asks for a new store.
func (d *DB) recheck(ctx context.Context, o Options) error {
	marked, err := exists(suspectPath(d.path))
	if err != nil {
		return unusable(d.path, err)
	}
	info, err := d.file.Stat()
	if err != nil {
		return unusable(d.path, err)
	}
	if !marked && info.Size() > quickCheck {
		return nil
	}
	bad, record, err := d.check(ctx)
	switch {
	case err != nil:
		return err
	case bad > 0 && o.New:
		return record
	case bad > 0:
		d.log.Error("Records of the store are damaged", "path", d.path, "records", bad, "first", fullText(record), "hint", newStore)
		d.suspect(record)
		return nil
	case marked:
		if err := os.Remove(suspectPath(d.path)); err != nil {
			return unusable(d.path, err)
		}
	}
	return nil
}
