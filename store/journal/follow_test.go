package journal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"jarvis/core"
)

// TestFollow has eight readers, early, late and resuming, of a chain that is being written: each has every word, in order.
func TestFollow(t *testing.T) {
	d := openT(t, t.TempDir(), Options{})
	l := logT(t, d, id(1))
	const n = 3000
	var want strings.Builder
	for i := range n {
		fmt.Fprintf(&want, "%d ", i)
	}
	var wg sync.WaitGroup
	for r := range 8 {
		wg.Go(func() {
			var got strings.Builder
			last := uint64(0)
			for ended := false; !ended; {
				stop := 200 * (r + 1)
				for e, err := range d.Read(t.Context(), id(1), last) {
					if err != nil {
						t.Errorf("reader %d: %v", r, err)
						return
					}
					if e.Seq <= last {
						t.Errorf("reader %d: %d follows %d", r, e.Seq, last)
					}
					last = e.Seq
					got.WriteString(e.Text)
					ended = e.Type.Terminal()
					if stop--; stop == 0 && r%2 == 0 {
						break // a lost connection: it resumes behind what it has
					}
				}
			}
			if got.String() != want.String() {
				t.Errorf("reader %d has %d bytes of %d", r, got.Len(), want.Len())
			}
		})
	}
	for i := range n {
		appendT(t, l, text(fmt.Sprintf("%d ", i)))
		if i%100 == 0 {
			if err := l.Record("clock", i); err != nil {
				t.Error(err)
			}
		}
	}
	appendT(t, l, done())
	wg.Wait()
}

// TestSlowReader: a reader that does not come back for more holds up neither the writer nor another reader.
func TestSlowReader(t *testing.T) {
	d := openT(t, t.TempDir(), Options{})
	l := logT(t, d, id(1))
	appendT(t, l, text("a"))
	stuck, release := make(chan struct{}), make(chan struct{})
	var slow strings.Builder
	var wg sync.WaitGroup
	wg.Go(func() {
		for e, err := range d.Read(t.Context(), id(1), 0) {
			if err != nil {
				t.Error(err)
			}
			if slow.Len() == 0 {
				close(stuck)
				<-release
			}
			slow.WriteString(e.Text)
		}
	})
	<-stuck
	for range 2000 {
		appendT(t, l, text(strings.Repeat("x", 100)))
	}
	appendT(t, l, done())
	evs, err := read(t.Context(), d, id(1), 0)
	if err != nil || len(textOf(evs)) != 200_001 {
		t.Errorf("the other reader has %d bytes, %v", len(textOf(evs)), err)
	}
	close(release)
	wg.Wait()
	if slow.Len() != 200_001 {
		t.Errorf("the slow reader has %d bytes", slow.Len())
	}
}

func TestReadEndsWithContext(t *testing.T) {
	d := openT(t, t.TempDir(), Options{})
	l := logT(t, d, id(1))
	appendT(t, l, text("a"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []core.Event
	var last error
	for e, err := range d.Read(ctx, id(1), 0) {
		if last = err; err == nil {
			got = append(got, e)
			cancel()
		}
	}
	if len(got) != 1 || !errors.Is(last, context.Canceled) {
		t.Errorf("read %v, %v", got, last)
	}
	if len(d.streams) != 1 || d.streams[id(1)].readers != 0 || len(d.streams[id(1)].tail) != 0 {
		t.Errorf("the reader left something behind: %+v", d.streams[id(1)])
	}
}

// TestReadBeforeOpen: after a restart a client may come back before recovery has opened the journal.
func TestReadBeforeOpen(t *testing.T) {
	root := t.TempDir()
	d := openT(t, root, Options{})
	l := logT(t, d, id(1))
	appendT(t, l, text("a"))
	if err := errors.Join(l.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	half(t, path(d, id(1)), `{"type":"text","seq":2,"te`)

	d = openT(t, root, Options{})
	first := make(chan struct{})
	var got []core.Event
	var wg sync.WaitGroup
	wg.Go(func() {
		for e, err := range d.Read(t.Context(), id(1), 0) {
			if err != nil {
				t.Error(err)
				return
			}
			if got = append(got, e); len(got) == 1 {
				close(first)
			}
		}
	})
	<-first
	l = logT(t, d, id(1))
	if l.Last() != 1 {
		t.Errorf("last is %d", l.Last())
	}
	appendT(t, l, text("bb"), done())
	wg.Wait()
	if textOf(got) != "abb" || got[len(got)-1].Seq != 3 {
		t.Errorf("read %+v", got)
	}
}
