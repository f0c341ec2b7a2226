package bolt

import (
	"bytes"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	bbolt "go.etcd.io/bbolt"
)

const (
	benchRounds = 8
	benchFor    = 150 * time.Millisecond
)

// rate runs writers for a while and adds the writes acknowledged and the time it took.
type rate struct {
	n    atomic.Uint64
	done float64
	took time.Duration
}

func (r *rate) run(b *testing.B, writers int, long time.Duration, write func(n uint64) error) {
	b.Helper()
	var (
		done atomic.Uint64
		wg   sync.WaitGroup
	)
	start := time.Now()
	for range writers {
		wg.Go(func() {
			for time.Since(start) < long {
				if err := write(r.n.Add(1)); err != nil {
					b.Error(err)
					return
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	r.done += float64(done.Load())
	r.took += time.Since(start)
}

func (r *rate) perSecond() float64 { return r.done / r.took.Seconds() }

var payload = bytes.Repeat([]byte("x"), 600)

func rawDB(b *testing.B) *bbolt.DB {
	b.Helper()
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "raw.db"), 0o600, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	if err := db.Update(func(t *bbolt.Tx) error { _, err := t.CreateBucket([]byte("b")); return err }); err != nil {
		b.Fatal(err)
	}
	return db
}

// compare takes turns between bbolt as it comes (its Update, and with more than one writer its Batch) and our way (JSON,
// checksum, group commit), so that whatever else the machine does falls on both.
func compare(b *testing.B, writers int) (own, raw float64) {
	b.Helper()
	d, updated, batched := openT(b, Options{}), rawDB(b), rawDB(b)
	put := func(n uint64) func(*bbolt.Tx) error {
		return func(t *bbolt.Tx) error { return t.Bucket([]byte("b")).Put(key(u64(n)), payload) }
	}
	value := string(payload)
	var ours, update, batch rate
	rounds, long := benchRounds, benchFor
	if writers == 1 { // here the two are close: shorter turns, so that the disk is the same for both
		rounds, long = rounds*10, long/10
	}
	for range rounds {
		update.run(b, writers, long, func(n uint64) error { return updated.Update(put(n)) })
		ours.run(b, writers, long, func(n uint64) error {
			return d.update(b.Context(), "bench", func(t *tx) error { return t.put(bSource, key(u64(n)), value) })
		})
		if writers > 1 {
			batch.run(b, writers, long, func(n uint64) error { return batched.Batch(put(n)) })
		}
	}
	raw = update.perSecond()
	if writers > 1 {
		raw = max(raw, batch.perSecond())
	}
	return ours.perSecond(), raw
}
