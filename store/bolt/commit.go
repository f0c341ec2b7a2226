package bolt

import (
	"context"
	"errors"
	"runtime"
	"sync"

	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
)

// maxBatch bounds how many write functions share one commit, so that none waits for an endless transaction.
const maxBatch = 1000

// call is one write waiting for its commit. turn gets true when its goroutine has to do the committing, false when done.
type call struct {
	fn   func(*tx) error
	err  error
	turn chan bool
}

// line is where writes wait. There is one writer at any time: the goroutine at the head commits whatever is waiting when it
// starts, without delay, then hands the role to the next one waiting. So a lone writer costs no hand-over, and many share
// one sync of the disk.
type line struct {
	mu      sync.Mutex // guards the fields below
	waiting []*call
	busy    bool
}

// enter queues c and reports whether its goroutine must commit.
func (l *line) enter(c *call) bool {
	l.mu.Lock()
	l.waiting = append(l.waiting, c)
	if l.busy {
		l.mu.Unlock()
		return <-c.turn
	}
	l.busy = true
	l.mu.Unlock()
	return true
}

// take gives what waits now, the caller's own write first or among it.
func (l *line) take() []*call {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.waiting), maxBatch)
	batch := l.waiting[:n:n]
	l.waiting = l.waiting[n:]
	return batch
}

// settle lets those who were just answered come back with their next write, as long as they do. It waits for no clock:
// without it busy writers fall into two groups, each of which waits for the other's sync.
func (l *line) settle() {
	for before := -1; ; runtime.Gosched() {
		l.mu.Lock()
		n := len(l.waiting)
		l.mu.Unlock()
		if n <= before || n >= maxBatch {
			return
		}
		before = n
	}
}

// leave hands the role on.
func (l *line) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.waiting = nil
		l.busy = false
		return
	}
	l.waiting[0].turn <- true
}

// update runs fn in a write transaction that it may share with others, and returns when it is durable. fn may run twice and
// touches only its tx; what it returns through variables it must set anew each time.
func (d *DB) update(ctx context.Context, op string, fn func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return explain(op, err)
	}
	c := &call{fn: fn, turn: make(chan bool, 1)}
	if d.line.enter(c) {
		batch := d.line.take()
		d.alone(func() { d.commit(batch) })
		for _, o := range batch {
			if o != c {
				o.turn <- false
			}
		}
		if len(batch) > 1 {
			d.line.settle()
		}
		d.line.leave()
	}
	if core.CodeOf(c.err) == core.StoreDamaged {
		d.suspect(c.err)
	}
	return explain(op, c.err)
}

// commit runs a batch in one transaction. A write that fails before it wrote anything just gets its error; one that fails
// half way is taken out, the others run again without it, and then it runs alone.
func (d *DB) commit(batch []*call) {
	var alone []*call
	for len(batch) > 0 {
		bad, err := d.try(batch)
		if bad < 0 {
			if err != nil {
				for _, c := range batch {
					c.err = err
				}
			}
			break
		}
		if len(batch) == 1 {
			return // it ran alone: its error is its own
		}
		alone = append(alone, batch[bad])
		rest := make([]*call, 0, len(batch)-1)
		batch = append(append(rest, batch[:bad]...), batch[bad+1:]...)
	}
	for _, c := range alone {
		d.commit([]*call{c})
	}
}

// try runs a batch once. bad is the index of a write that failed half way (the transaction is rolled back), -1 otherwise;
// err is then the fate of the whole transaction.
func (d *DB) try(batch []*call) (bad int, err error) {
	if err := d.writable(); err != nil {
		return -1, err
	}
	bad = -1
	began := false
	err = guard(func() error {
		b, err := d.begin(true)
		if err != nil {
			return err
		}
		began = true
		defer release(b)
		t := &tx{b: b, watched: d.watch != nil}
		defer func() {
			d.touched.Add(int64(t.reads))
			if d.watch != nil {
				d.watch.add(t.spots)
			}
		}()
		wrote := false
		for i, c := range batch {
			t.dirty = false
			c.err = c.fn(t)
			if c.err != nil && t.dirty {
				bad = i
				return b.Rollback()
			}
			wrote = wrote || t.dirty
		}
		if !wrote {
			return b.Rollback()
		}
		if err := b.Commit(); err != nil {
			return err
		}
		if t.fed {
			d.tellFed()
		}
		return nil
	})
	if f := (*fault)(nil); errors.As(err, &f) {
		return -1, d.broke(f, began, true)
	}
	return bad, err
}

// view runs fn in a read transaction. fn copies what it returns and does nothing slow.
func (d *DB) view(ctx context.Context, op string, fn func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return explain(op, err)
	}
	if err := d.readable(); err != nil {
		return err
	}
	began := false
	err := guard(func() error {
		b, err := d.begin(false)
		if err != nil {
			return err
		}
		began = true
		defer release(b)
		t := &tx{b: b}
		defer func() { d.touched.Add(int64(t.reads)) }()
		return fn(t)
	})
	if f := (*fault)(nil); errors.As(err, &f) {
		return d.broke(f, began, false)
	}
	if core.CodeOf(err) == core.StoreDamaged {
		d.suspect(err)
	}
	return explain(op, err)
}

// release ends a transaction that is still open, also after a fault, so that its locks do not outlive it.
func release(b *bbolt.Tx) {
	_ = guard(func() error { return b.Rollback() }) // what is committed or rolled back already says so: no error of ours
}
