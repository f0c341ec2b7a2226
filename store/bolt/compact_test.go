package bolt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"jarvis/core"
)

// bulky fills a store and erases most of it again.
func bulky(t *testing.T, d *DB) {
	t.Helper()
	text := strings.Repeat("x", 4000)
	for round := range 10 {
		err := d.update(t.Context(), "fill", func(t *tx) error {
			for i := range 500 {
				if err := t.put(bSource, key(u64(1_000_000+round*500+i)), text); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := d.update(t.Context(), "erase", func(t *tx) error {
		for i := range 4900 {
			if err := t.del(bSource, key(u64(1_000_000+i))); err != nil {
				return err
			}
		}
		_, err := next(t)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// next moves the store's clock.
func next(t *tx) (uint64, error) {
	b, err := t.bucket(bChain)
	if err != nil {
		return 0, err
	}
	t.dirty = true
	return b.NextSequence()
}

// TestCompactUnderWritersAndReaders loses nothing that was acknowledged, brings nothing back that was erased, and ends with a
// smaller file that opens.
func TestCompactUnderWritersAndReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jarvis.db")
	d, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	bulky(t, d)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var begun sync.WaitGroup
	const writers = 4
	counts := make([]int, writers)
	var clock uint64
	begun.Add(writers)
	for w := range writers {
		wg.Go(func() {
			for i := 0; ; i++ {
				if i == 10 {
					begun.Done()
				}
				select {
				case <-stop:
					return
				default:
				}
				// Each writer puts its next number and erases its second last, wherever the copy is now.
				n := w*100_000 + i
				err := d.update(context.Background(), "write", func(t *tx) error {
					if i > 1 {
						if err := t.del(bSource, key(u64(n-2))); err != nil {
							return err
						}
					}
					if w == 0 {
						c, err := next(t)
						if clock = c; err != nil {
							return err
						}
					}
					return t.put(bSource, key(u64(n)), n)
				})
				if err != nil {
					t.Error(err)
					return
				}
				counts[w] = i + 1
				if !hasN(t, d, n) {
					t.Errorf("%d is not there after it was acknowledged", n)
					return
				}
			}
		})
	}
	begun.Wait()
	var got Compacted
	for range 3 { // the second and third from a compact one
		c, err := d.Compact(t.Context())
		if err != nil {
			t.Error(err)
		}
		if got.Before == 0 {
			got = c
		}
	}
	close(stop)
	wg.Wait()
	if got.After >= got.Before/2 {
		t.Errorf("%+v", got)
	}
	look := func(when string) {
		t.Helper()
		for w, n := range counts {
			for i := range n {
				if want := i >= n-2; hasN(t, d, w*100_000+i) != want {
					t.Fatalf("%s: writer %d's %d of %d: there %v", when, w, i, n, !want)
				}
			}
		}
		for i := range 5000 {
			if hasN(t, d, 1_000_000+i) != (i >= 4900) {
				t.Fatalf("%s: %d", when, i)
			}
		}
	}
	look("after")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if d, err = Open(t.Context(), Options{Path: path}); err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	look("after opening")
	err = d.update(t.Context(), "clock", func(t *tx) error {
		n, err := next(t)
		if err == nil && n != clock+1 {
			err = errors.New("the clock went back")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + compactSuffix); err == nil {
		t.Error("the copy was left")
	}
}

// TestCompactThatFailsChangesNothing stops one, lets two run at once, and finds one that was killed.
func TestCompactThatFailsChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jarvis.db")
	d, err := Open(t.Context(), Options{Path: path, noSync: true})
	if err != nil {
		t.Fatal(err)
	}
	bulky(t, d)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Compact(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	d.compacting.Lock()
	if _, err := d.Compact(t.Context()); core.CodeOf(err) != core.Conflict {
		t.Error(err)
	}
	d.compacting.Unlock()
	if err := os.WriteFile(path+compactSuffix, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.alone(func() { d.watch = nil })
	c := &compaction{d: d, path: path + compactSuffix}
	c.w = &watch{lost: true}
	if _, err := c.written(); core.CodeOf(err) != core.Conflict {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if d, err = Open(t.Context(), Options{Path: path, noSync: true}); err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := os.Stat(path + compactSuffix); err == nil {
		t.Error("the copy of a killed one was left")
	}
	if !hasN(t, d, 1_004_999) || hasN(t, d, 1_000_000) {
		t.Error("records changed")
	}
}
