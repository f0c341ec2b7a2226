package bolt

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSnapshotHoldsNothingErased erases records before a snapshot and while it is made: no byte of them is in it, and the clock
// of the store goes on where it was.
func TestSnapshotHoldsNothingErased(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(t.Context(), Options{Path: filepath.Join(dir, "jarvis.db"), noSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	bulky(t, d) // erases values of nothing but x
	text := func(i int) string {
		return fmt.Sprintf("%05d the sentence nobody may read %s", i, strings.Repeat("y", 3000))
	}
	change := func(what string, n int, fn func(tx *tx, i int) error) {
		err := d.update(context.Background(), what, func(tx *tx) error {
			for i := range n {
				if err := fn(tx, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	const n = 2000
	change("fill", n, func(tx *tx, i int) error { return tx.put(bSource, key(u64(i)), text(i)) })
	change("erase", n/2, func(tx *tx, i int) error { return tx.del(bSource, key(u64(i))) })
	change("clock", 7, func(tx *tx, _ int) error { _, err := next(tx); return err })
	raw, err := os.ReadFile(filepath.Join(dir, "jarvis.db"))
	if err != nil || !bytes.Contains(raw, []byte(strings.Repeat("x", 3000))) {
		t.Fatalf("the database itself does not hold what was erased: the test shows nothing (%v)", err)
	}
	path := filepath.Join(dir, "copy.db")
	c0 := &compaction{d: d, path: path} // as Snapshot, with a part erased that is copied already
	err = c0.run(t.Context(), func(ctx context.Context, names []string) error {
		change("erase more", n/4, func(tx *tx, i int) error { return tx.del(bSource, key(u64(n/2+i))) })
		return c0.keep(ctx, names)
	})
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	left := 0
	for i := n / 2; i < n*3/4; i++ {
		if bytes.Contains(raw, fmt.Appendf(nil, "%05d the sentence", i)) {
			left++
		}
	}
	if left == 0 {
		t.Fatal("there is nothing to wipe: the test shows nothing")
	}
	if err := wipe(t.Context(), path, d.wait); err != nil {
		t.Fatal(err)
	}
	if raw, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	c, err := Open(t.Context(), Options{Path: path, noSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range n {
		there, kept := bytes.Contains(raw, fmt.Appendf(nil, "%05d the sentence", i)), false
		err := c.view(t.Context(), "look", func(tx *tx) error {
			b, err := tx.bucket(bSource)
			kept = err == nil && b.Get(key(u64(i))) != nil
			return err
		})
		if err != nil || there != kept || kept != (i >= n*3/4) {
			t.Fatalf("%d: its bytes are there %v, the record %v, %v", i, there, kept, err)
		}
	}
	for _, of := range []*DB{d, c} {
		err := of.update(t.Context(), "clock", func(tx *tx) error {
			if got, err := next(tx); err != nil || got != 9 {
				return fmt.Errorf("the clock says %d, %w", got, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
