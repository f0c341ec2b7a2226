package bolt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
)

func openT(t testing.TB, o Options) *DB {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "jarvis.db")
	}
	d, err := Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open: %v (%s)", err, fullText(err))
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func putN(n int) func(*tx) error {
	return func(t *tx) error { return t.put(bSource, key(u64(n)), n) }
}

func hasN(t testing.TB, d *DB, n int) bool {
	t.Helper()
	var ok bool
	err := d.view(t.Context(), "has", func(t *tx) (err error) {
		ok, err = t.has(bSource, key(u64(n)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// lastTx is the number of the last commit.
func lastTx(d *DB) (id int) {
	_ = d.b.View(func(b *bbolt.Tx) error { id = b.ID(); return nil })
	return id
}

// TestBatch has writes of all kinds share commits: those that fail, before or after they wrote, fail alone.
func TestBatch(t *testing.T) {
	d := openT(t, Options{})
	errBad := errors.New("bad")
	var wg sync.WaitGroup
	errs := make([]error, 300)
	for n := range errs {
		wg.Go(func() {
			errs[n] = d.update(t.Context(), "test", func(t *tx) error {
				switch n % 3 {
				case 1:
					return errBad
				case 2:
					if err := putN(n)(t); err != nil {
						return err
					}
					return errBad
				}
				return putN(n)(t)
			})
		})
	}
	wg.Wait()
	for n, err := range errs {
		if good := n%3 == 0; good != (err == nil) || (!good && !errors.Is(err, errBad)) {
			t.Errorf("write %d gave %v", n, err)
		}
		if hasN(t, d, n) != (n%3 == 0) {
			t.Errorf("write %d: stored is %v", n, hasN(t, d, n))
		}
	}
}

// TestBatchIsShared builds one batch by hand: its good writes are one commit.
func TestBatchIsShared(t *testing.T) {
	d := openT(t, Options{})
	before := lastTx(d)
	errBad := errors.New("bad")
	batch := []*call{
		{fn: putN(1)},
		{fn: func(t *tx) error { return errors.Join(putN(2)(t), errBad) }},
		{fn: putN(3)},
		{fn: func(*tx) error { return errBad }},
	}
	d.commit(batch)
	for i, want := range []bool{true, false, true, false} {
		if (batch[i].err == nil) != want {
			t.Errorf("write %d gave %v", i, batch[i].err)
		}
	}
	if !hasN(t, d, 1) || hasN(t, d, 2) || !hasN(t, d, 3) {
		t.Error("the wrong writes are stored")
	}
	if got := lastTx(d) - before; got != 1 {
		t.Errorf("the batch took %d commits", got)
	}
}

func TestUnchangedIsNotCommitted(t *testing.T) {
	d := openT(t, Options{})
	before := lastTx(d)
	if err := d.update(t.Context(), "nothing", func(*tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if lastTx(d) != before {
		t.Error("a write that changed nothing was committed")
	}
}

func TestClosed(t *testing.T) {
	d := openT(t, Options{})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.update(t.Context(), "late", putN(1)); core.CodeOf(err) != core.Internal {
		t.Errorf("write after Close: %v", err)
	}
	if _, err := d.Session(t.Context(), "x"); core.CodeOf(err) != core.Internal {
		t.Errorf("read after Close: %v", err)
	}
}

func TestPanicInWrite(t *testing.T) {
	d := openT(t, Options{})
	err := d.update(t.Context(), "panic", func(*tx) error { panic("boom") })
	if core.CodeOf(err) != core.StoreDamaged {
		t.Errorf("panic gave %v", err)
	}
	if err := d.update(t.Context(), "next", putN(1)); core.CodeOf(err) != core.StoreDamaged {
		t.Errorf("the store goes on writing: %v", err)
	}
	if hasN(t, d, 1) {
		t.Error("written after damage")
	}
	if _, err := os.Stat(suspectPath(d.path)); err != nil {
		t.Errorf("no mark for the next start: %v", err)
	}
}

// BenchmarkAckWrites compares acknowledged writes of 600 bytes with raw bbolt in the same run: Update for one writer, the
// better of Update and Batch for more. `ratio` has to be 0.9 at least.
func BenchmarkAckWrites(b *testing.B) {
	for _, writers := range []int{1, 8, 64, 200} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			for b.Loop() {
				own, raw := compare(b, writers)
				b.ReportMetric(own, "ours/s")
				b.ReportMetric(raw, "bare/s")
				b.ReportMetric(own/raw, "ratio")
			}
		})
	}
}
