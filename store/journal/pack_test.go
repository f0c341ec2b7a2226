package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"jarvis/core"
)

// sealedT writes a whole journal and gives its path.
func sealedT(t *testing.T, d *Dir, root string, n, events int) string {
	t.Helper()
	l := logT(t, d, id(n))
	for i := range events {
		appendT(t, l, text(fmt.Sprintf("word%d %s ", i, strings.Repeat("ä", i%50))))
		if i%7 == 0 {
			if err := l.Record("clock", map[string]int{"n": i}); err != nil {
				t.Fatal(err)
			}
			appendT(t, l, core.Event{Type: core.EventReasoning, Session: "s", Time: march, Text: "hm"})
		}
	}
	appendT(t, l, done())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "2026-03", string(id(n))+suffix)
}

func later(d time.Duration) Options {
	return Options{Now: func() time.Time { return time.Now().Add(d) }}
}

// A packed journal reads like the one that was written, from any event on.
func TestPackedReadsTheSame(t *testing.T) {
	root := t.TempDir()
	d := openT(t, root, Options{})
	path := sealedT(t, d, root, 1, 4000)
	open := logT(t, d, id(2))
	appendT(t, open, text("not ended"))
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := map[uint64][]core.Event{}
	for _, after := range []uint64{0, 1, 2, 17, 1999, 4000, 4571, 4572, 4573, 9999} {
		if whole[after], err = read(t.Context(), d, id(1), after); err != nil {
			t.Fatal(err)
		}
	}
	d.o.Now = later(0).Now
	if n, _, err := d.Pack(t.Context(), time.Hour); err != nil || n != 0 {
		t.Fatalf("%d were packed too early: %v", n, err)
	}
	d.o.Now = later(2 * time.Hour).Now
	n, saved, err := d.Pack(t.Context(), time.Hour)
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if _, err := os.Stat(path); err == nil || saved < int64(len(was))/2 {
		t.Fatalf("%v, %d bytes saved of %d", err, saved, len(was))
	}
	for after, want := range whole {
		got, err := read(t.Context(), d, id(1), after)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("after %d: %d events, %d wanted, %v", after, len(got), len(want), err)
		}
	}
	l := logT(t, d, id(1))
	if _, err := l.Append(text("more")); core.CodeOf(err) != core.Conflict || !l.Sealed() || l.Last() != whole[0][len(whole[0])-1].Seq {
		t.Errorf("%v, %d", err, l.Last())
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if evs, err := read(t.Context(), d, id(1), 0); err != nil || !reflect.DeepEqual(evs, whole[0]) {
		t.Error("after it was opened for writing it reads differently", err)
	}
	if n, _, err := d.Pack(t.Context(), 0); err != nil || n != 0 {
		t.Errorf("packed again: %d %v", n, err)
	}
	if err := d.Remove(t.Context(), id(1)); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
		t.Error(left)
	}
}

// Whatever a crash leaves while a journal is packed, it reads the same, the next time mends it, and removing takes all of it.
func TestPackCrash(t *testing.T) {
	for name, c := range map[string]func(t *testing.T, path string, plain, gz []byte){
		"half packed": func(t *testing.T, path string, _, gz []byte) { writeT(t, path+packingSuffix, gz[:len(gz)/2]) },
		"packed":      func(t *testing.T, path string, _, gz []byte) { writeT(t, path+packingSuffix, gz) },
		"both":        func(t *testing.T, path string, _, gz []byte) { writeT(t, path+".gz", gz) },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			d := openT(t, root, later(2*time.Hour))
			d.o.Now = func() time.Time { return march }
			path := sealedT(t, d, root, 1, 100)
			plain, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := compress(path, path+".tmp"); err != nil {
				t.Fatal(err)
			}
			gz, err := os.ReadFile(path + ".tmp")
			if err != nil || os.Remove(path+".tmp") != nil {
				t.Fatal(err)
			}
			want, err := read(t.Context(), d, id(1), 0)
			if err != nil {
				t.Fatal(err)
			}
			c(t, path, plain, gz)
			same := func() {
				t.Helper()
				if got, err := read(t.Context(), d, id(1), 0); err != nil || !reflect.DeepEqual(got, want) {
					t.Fatal(len(got), err)
				}
			}
			same()
			d.o.Now = later(2 * time.Hour).Now
			if _, _, err := d.Pack(t.Context(), time.Hour); err != nil {
				t.Fatal(err)
			}
			same()
			if left, _ := filepath.Glob(path + "*"); len(left) != 1 || left[0] != path+".gz" {
				t.Fatal(left)
			}
			c(t, path, plain, gz)
			writeT(t, path, plain)
			if err := d.Remove(t.Context(), id(1)); err != nil {
				t.Fatal(err)
			}
			if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
				t.Fatal(left)
			}
		})
	}
}

func writeT(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A damaged packed journal is said to be so, and never looks like a shorter one.
func TestPackedDamage(t *testing.T) {
	root := t.TempDir()
	d := openT(t, root, Options{})
	path := sealedT(t, d, root, 1, 300)
	d.o.Now = later(2 * time.Hour).Now
	if n, _, err := d.Pack(t.Context(), time.Hour); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	gz, err := os.ReadFile(path + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	flip := func(at int) []byte {
		b := bytes.Clone(gz)
		b[at] ^= 0x10
		return b
	}
	for name, b := range map[string][]byte{
		"cut": gz[:len(gz)/2], "without its end": gz[:len(gz)-4], "empty": {}, "flipped": flip(len(gz) / 2), "checksum": flip(len(gz) - 6), "header": flip(0),
	} {
		writeT(t, path+".gz", b)
		if evs, err := read(t.Context(), d, id(1), 0); core.CodeOf(err) != core.StoreDamaged {
			t.Errorf("%s: %d events, %v", name, len(evs), err)
		}
		if _, err := d.Log(id(1)); core.CodeOf(err) != core.StoreDamaged {
			t.Errorf("%s: opened for writing, %v", name, err)
		}
	}
	if len(d.streams) != 0 {
		t.Errorf("%d streams are held", len(d.streams))
	}
}

// The oldest go first, packed or not; pinned ones stay.
func TestSweepPacked(t *testing.T) {
	root := t.TempDir()
	d := openT(t, root, Options{})
	var size int64
	for n := 1; n <= 4; n++ {
		path := sealedT(t, d, root, n, 200)
		at := march.Add(time.Duration(n) * time.Minute)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	d.o.Now = func() time.Time { return march.Add(time.Hour) }
	if n, _, err := d.Pack(t.Context(), 58*time.Minute+30*time.Second); err != nil || n != 1 { // only the first
		t.Fatal(n, err)
	}
	infos, err := os.ReadDir(filepath.Join(root, "2026-03"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range infos {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	pinned := func(c core.ChainID) bool { return c == id(2) }
	if n, _, err := d.Sweep(t.Context(), size-1, pinned); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if _, err := read(t.Context(), d, id(1), 0); core.CodeOf(err) != core.NotFound {
		t.Fatal("the oldest is there", err)
	}
	if n, _, err := d.Sweep(t.Context(), 1, pinned); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	if _, err := read(t.Context(), d, id(2), 0); err != nil {
		t.Fatal("the pinned one is gone", err)
	}
}

// Reading, packing and removing at once: a reader sees everything or that there is nothing.
func TestPackWhileRead(t *testing.T) {
	root := t.TempDir()
	d := openT(t, root, Options{})
	for n := 1; n <= 20; n++ {
		sealedT(t, d, root, n, 200)
	}
	want, err := read(t.Context(), d, id(1), 0)
	if err != nil {
		t.Fatal(err)
	}
	d.o.Now = later(2 * time.Hour).Now
	done := make(chan error)
	go func() {
		_, _, err := d.Pack(t.Context(), time.Hour)
		done <- err
	}()
	for packing := true; packing; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			packing = false
		default:
		}
		for n := 1; n <= 19; n++ {
			if got, err := read(t.Context(), d, id(n), 0); err != nil || len(got) != len(want) {
				t.Fatal(n, len(got), err)
			}
		}
		if err := d.Remove(t.Context(), id(20)); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(root, "2026-03", string(id(20))+"*")); len(left) > 0 {
		t.Error(left)
	}
}
