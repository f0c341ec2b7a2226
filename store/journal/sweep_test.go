package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jarvis/core"
)

func TestRemove(t *testing.T) {
	d := openT(t, t.TempDir(), Options{})
	for n := 1; n <= 3; n++ {
		l := logT(t, d, id(n))
		appendT(t, l, text("a"), done())
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Remove(t.Context(), id(1), id(3), id(9)); err != nil {
		t.Fatal(err)
	}
	for n, gone := range map[int]bool{1: true, 2: false, 3: true} {
		if _, err := read(t.Context(), d, id(n), 0); (core.CodeOf(err) == core.NotFound) != gone {
			t.Errorf("journal %d: %v", n, err)
		}
	}
}

// TestRemoveWhileWritten: a session may be erased between a chain's end in the store and its terminal event.
func TestRemoveWhileWritten(t *testing.T) {
	d := openT(t, t.TempDir(), Options{})
	l := logT(t, d, id(1))
	appendT(t, l, text("a"))
	if err := d.Remove(t.Context(), id(1)); err != nil {
		t.Fatal(err)
	}
	appendT(t, l, done())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t.Context(), d, id(1), 0); core.CodeOf(err) != core.NotFound {
		t.Errorf("read a removed journal: %v", err)
	}
	if len(d.streams) != 0 {
		t.Errorf("%d streams are held", len(d.streams))
	}
}

func TestUnsealed(t *testing.T) {
	root := t.TempDir()
	d := openT(t, root, Options{})
	for n := 1; n <= 4; n++ {
		appendT(t, logT(t, d, id(n)), text("a"))
	}
	appendT(t, logT(t, d, id(5)), done())
	unsealed := func(d *Dir) (ids []core.ChainID) {
		for id, err := range d.Unsealed(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		return ids
	}
	if got := unsealed(d); len(got) != 0 {
		t.Errorf("journals being written are %v", got)
	}
	// The process dies: nothing is closed. The last line of the list is half, as a crash may leave it.
	half(t, filepath.Join(root, "open.log"), "+"+string(id(6))[:20])
	d = openT(t, root, Options{})
	if got := unsealed(d); !slices.Equal(got, []core.ChainID{id(1), id(2), id(3), id(4)}) {
		t.Errorf("unsealed are %v", got)
	}
	appendT(t, logT(t, d, id(1)), done())
	if err := os.Remove(path(d, id(2))); err != nil {
		t.Fatal(err)
	}
	if err := d.Remove(t.Context(), id(3)); err != nil {
		t.Fatal(err)
	}
	if got := unsealed(d); !slices.Equal(got, []core.ChainID{id(4)}) {
		t.Errorf("unsealed are %v", got)
	}
	if got := unsealed(openT(t, root, Options{})); !slices.Equal(got, []core.ChainID{id(4)}) {
		t.Errorf("after another start: %v", got)
	}
}

func TestLedgerCompacts(t *testing.T) {
	l, err := openLedger(filepath.Join(t.TempDir(), "open.log"))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.opened(id(0)); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < compactAt; n++ {
		if err := errors.Join(l.opened(id(n)), l.sealed(id(n))); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(l.path)
	if err != nil || info.Size() > int64(compactAt+2)*38 {
		t.Errorf("the list has %d bytes, %v", info.Size(), err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if l, err = openLedger(l.path); err != nil || !slices.Equal(l.ids(), []core.ChainID{id(0)}) {
		t.Errorf("open are %v, %v", l.ids(), err)
	}
}

func TestSweep(t *testing.T) {
	root := t.TempDir()
	old := openT(t, root, Options{Now: func() time.Time { return march.AddDate(0, -1, 0) }})
	write := func(d *Dir, n int, seal bool, age time.Duration) {
		l := logT(t, d, id(n))
		appendT(t, l, text(strings.Repeat("x", 10_000)))
		if seal {
			appendT(t, l, done())
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		p, err := d.find(id(n))
		if err == nil {
			err = os.Chtimes(p, march.Add(-age), march.Add(-age))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(old, 1, true, 20*time.Hour)
	write(old, 2, true, 21*time.Hour) // the oldest, but kept
	write(old, 3, false, 22*time.Hour)
	write(old, 4, false, 40*24*time.Hour) // of nobody
	d := openT(t, root, Options{})
	for n := 5; n <= 8; n++ {
		write(d, n, true, time.Duration(10-n)*time.Hour)
	}
	if n, freed, err := d.Sweep(t.Context(), 0, nil); n != 0 || freed != 0 || err != nil {
		t.Errorf("below the limit: %d, %d, %v", n, freed, err)
	}
	n, freed, err := d.Sweep(t.Context(), 45_000, func(c core.ChainID) bool { return c == id(2) })
	if err != nil || n != 4 || freed < 40_000 {
		t.Errorf("swept %d, %d bytes, %v", n, freed, err)
	}
	for n, want := range map[int]bool{1: false, 2: true, 3: true, 4: false, 5: false, 6: false, 7: true, 8: true} {
		if p, err := d.find(id(n)); err != nil || (p != "") != want {
			t.Errorf("journal %d: %q, %v", n, p, err)
		}
	}
}
