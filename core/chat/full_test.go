package chat

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"jarvis/core"
)

// fullJournal takes n events and then is full.
type fullJournal struct {
	*MemoryJournal
	mu   sync.Mutex
	left int
}

func (j *fullJournal) take() error {
	if j.left--; j.left < 0 {
		return fmt.Errorf("append: %w", syscall.ENOSPC)
	}
	return nil
}

func (j *fullJournal) Open(id core.ChainID) (Log, error) {
	j.mu.Lock()
	full := j.left <= 0
	j.mu.Unlock()
	if full {
		return nil, fmt.Errorf("open: %w", syscall.ENOSPC)
	}
	l, err := j.MemoryJournal.Open(id)
	return fullLog{l, j}, err
}

type fullLog struct {
	Log
	j *fullJournal
}

func (l fullLog) Append(e core.Event) (uint64, error) {
	l.j.mu.Lock() // room is taken and filled at once, as a disk does it
	defer l.j.mu.Unlock()
	if err := l.j.take(); err != nil {
		return 0, err
	}
	return l.Log.Append(e)
}

func TestAFullDiskEndsTheChainWithOneError(t *testing.T) {
	for left := range 18 {
		synctest.Test(t, func(t *testing.T) {
			st := NewMemory()
			m := &model{ref: "fake/one", play: crashScript()}
			d := deps(m, st, echo("echo"))
			j := &fullJournal{MemoryJournal: st.Journal(), left: left}
			d.Journal = j
			w := newWorld(t, d).serve()
			id := core.ChainID(newID())
			c := w.ask(core.Ask{Chain: id, Text: "go"})
			var es []core.Event
			for e, err := range w.s.Events(t.Context(), core.Owner, id, 0) {
				if err != nil {
					t.Fatalf("%d events: %v", left, err)
				}
				es = append(es, e)
			}
			ends := 0
			for i, e := range es {
				if i > 0 && e.Seq <= es[i-1].Seq {
					t.Errorf("%d events: numbers %d, %d", left, es[i-1].Seq, e.Seq)
				}
				if e.Type.Terminal() {
					ends++
				}
			}
			last := es[len(es)-1]
			if ends != 1 {
				t.Fatalf("%d events: %d terminal events in %s", left, ends, kinds(es))
			}
			// The last event of all may be the one that does not fit: then the chain itself is whole.
			if last.Type == core.EventError {
				if e := errorOf(t, es); !strings.Contains(e.Message, "disk is full") || last.Text != join(es, core.EventText) {
					t.Errorf("%d events: %+v %q", left, e, last.Text)
				}
			}
			// A second reader sees the same end, and so does one after a restart, when there is room again.
			for e, err := range w.s.Events(t.Context(), core.Owner, id, last.Seq-1) {
				if err != nil || !e.Type.Terminal() {
					t.Errorf("%d events: the second reader gets %s %v", left, e.Type, err)
				}
			}
			w.close()
			j.mu.Lock()
			j.left = 1000
			j.mu.Unlock()
			w2 := newWorld(t, deps(&model{ref: "fake/one"}, st)).serve()
			defer w2.close()
			again := w2.events(id, 0)
			if end := again[len(again)-1]; end.Type != last.Type || end.Text != last.Text {
				t.Errorf("%d events: after the restart %s %q, before %s %q", left, end.Type, end.Text, last.Type, last.Text)
			}
			if kept, err := st.Chain(t.Context(), id); err != nil || kept.State != core.Ended {
				t.Errorf("%d events: %+v %v", left, kept, err)
			}
			_ = c
		})
	}
}

// TestAJournalThatOpensNoMore: who reads a chain whose journal could not be opened again gets what lies in it before the last word.
func TestAJournalThatOpensNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := NewMemory()
		d := deps(&model{ref: "fake/one", play: crashScript()}, st)
		d.Journal = lateJournal{&fullJournal{MemoryJournal: st.Journal(), left: 1}}
		w := newWorld(t, d).serve()
		defer w.close()
		c := w.ask(core.Ask{Text: "go"})
		synctest.Wait()
		for range 2 {
			if es := w.events(c.ID, 0); kinds(es) != "message error" || es[0].Seq != 1 || es[1].Seq != 2 {
				t.Fatalf("read %s: %+v", kinds(es), es)
			}
		}
	})
}

// lateJournal begins to read only after whoever wants to cut the reading off has done so.
type lateJournal struct{ *fullJournal }

func (j lateJournal) Read(ctx context.Context, id core.ChainID, after uint64) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		time.Sleep(time.Nanosecond)
		for e, err := range j.fullJournal.Read(ctx, id, after) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// brokenStore refuses to finish for a while.
type brokenStore struct {
	*Memory
	mu    sync.Mutex
	until time.Time
}

func (b *brokenStore) Finish(ctx context.Context, e core.Ending) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Now().Before(b.until) {
		return fmt.Errorf("finish: %w", syscall.ENOSPC)
	}
	return b.Memory.Finish(ctx, e)
}

func TestAStoreThatCannotFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := NewMemory()
		m := &model{ref: "fake/one", play: []script{answers("one"), answers("two")}}
		d := deps(m, st)
		d.Store = &brokenStore{Memory: st, until: time.Now().Add(time.Minute)}
		w := newWorld(t, d).serve()
		defer w.close()
		c := w.ask(core.Ask{Text: "go"})
		start := time.Now()
		es := w.events(c.ID, 0)
		if e := errorOf(t, es); !strings.Contains(e.Message, "disk is full") || time.Since(start) != 0 {
			t.Errorf("%+v after %v", e, time.Since(start))
		}
		next := w.ask(core.Ask{Text: "more", Session: c.Session})
		if es := w.events(next.ID, 0); es[len(es)-1].Text != "two" {
			t.Errorf("the lane stays blocked: %s", kinds(es))
		}
		synctest.Wait()
		if again := w.events(c.ID, 0); kinds(again) != kinds(es) {
			t.Errorf("later it is told as %s", kinds(again))
		}
	})
}
