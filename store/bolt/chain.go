package bolt

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"time"

	"jarvis/core"
)

const (
	maxQueued = 100     // chains that wait in one lane
	maxName   = 4 << 10 // bytes of an id, a lane, a source or a dedupe key
	openPage  = 200     // rows that an iteration copies at a time
)

// opened is the row of an open chain: who runs it, and for which session.
type opened struct {
	Owner   core.InstanceID `json:"owner,omitempty"`
	Session core.SessionID  `json:"session"`
}

// Claim takes the lane's next chain for owner; false when none waits or one of the lane runs.
func (d *DB) Claim(ctx context.Context, lane string, owner core.InstanceID, at time.Time) (core.Chain, bool, error) {
	var (
		c  core.Chain
		ok bool
	)
	// Most often there is nothing, at the end of a lane's last chain; that must not cost a commit.
	var free bool
	err := d.view(ctx, "claim", func(t *tx) (err error) {
		free, err = t.claimable(lane)
		return err
	})
	if err != nil || !free {
		return core.Chain{}, false, err
	}
	err = d.update(ctx, "claim", func(t *tx) (err error) {
		c, ok, err = t.claim(lane, owner, at)
		return err
	})
	if err != nil || !ok {
		return core.Chain{}, false, err
	}
	return c, true, nil
}

// claimable reports whether something waits in a lane that nothing runs in.
func (t *tx) claimable(lane string) (bool, error) {
	if busy, err := t.has(bRunning, key(str(lane))); err != nil || busy {
		return false, err
	}
	waiting, err := t.keys(bLane, key(str(lane)), 1)
	return len(waiting) > 0, err
}

func (t *tx) claim(lane string, owner core.InstanceID, at time.Time) (core.Chain, bool, error) {
	if busy, err := t.has(bRunning, key(str(lane))); err != nil || busy {
		return core.Chain{}, false, err
	}
	var (
		row []byte
		id  core.ChainID
	)
	err := t.each(bLane, key(str(lane)), func(k, rec []byte) (bool, error) {
		row = bytes.Clone(k)
		return false, decode(bLane, k, rec, &id)
	})
	if err != nil || row == nil {
		return core.Chain{}, false, err
	}
	c, err := t.chain(id)
	if err != nil {
		return core.Chain{}, false, err
	}
	c.State, c.Owner, c.Started = core.Running, owner, at
	err = errors.Join(
		t.del(bLane, row),
		t.put(bRunning, key(str(lane)), c.ID),
		t.put(bOpen, key(str(c.ID)), opened{Owner: owner, Session: c.Session}),
		t.put(bChain, key(str(c.ID)), c),
	)
	return c, err == nil, err
}

// Append stores one iteration of a running chain, once per (chain, step), and adds the step's usage to the chain's.
func (d *DB) Append(ctx context.Context, p core.Progress) error {
	return d.update(ctx, "append", func(t *tx) error {
		c, err := t.held(p)
		if err != nil {
			return err
		}
		again, err := t.step(&c, p)
		if err != nil || again {
			return err // what came with a stored step is stored too
		}
		if err := errors.Join(t.putSummary(c, p.Summary), t.putMessages(c, p.Messages)); err != nil || p.Step == nil {
			return err
		}
		return t.put(bChain, key(str(c.ID)), c)
	})
}

// held gives a running chain that p's owner holds.
func (t *tx) held(p core.Progress) (core.Chain, error) {
	c, err := t.chain(p.Chain)
	if err != nil {
		return core.Chain{}, err
	}
	if c.State != core.Running && c.State != core.Waiting {
		return core.Chain{}, conflict("the chain is " + string(c.State))
	}
	if c.Owner != p.Owner {
		return core.Chain{}, conflict("another daemon runs the chain")
	}
	return c, nil
}

// step writes a step and adds it to the chain's sums; again when it is stored already.
func (t *tx) step(c *core.Chain, p core.Progress) (again bool, err error) {
	s := p.Step
	if s == nil {
		return false, nil
	}
	k := key(str(c.ID), u64(s.N))
	if again, err = t.has(bStep, k); err != nil || again {
		return again, err
	}
	row := *s
	row.Chain = c.ID
	c.Usage = c.Usage.Add(row.Usage)
	c.Iterations = max(c.Iterations, row.N)
	return false, errors.Join(t.put(bStep, k, row), t.countStep(*c, row), t.settle(p.Owner, c.ID, row.N, p.Debits))
}

// Finish ends a running chain exactly once and updates its session's modified time.
func (d *DB) Finish(ctx context.Context, e core.Ending) error {
	return d.update(ctx, "finish", func(t *tx) error {
		c, err := t.held(e.Progress)
		if err != nil {
			return err
		}
		if err := t.end(c, e); err != nil {
			return err
		}
		return t.del(bRunning, key(str(c.Lane)))
	})
}

// Drop ends a queued chain that will not run; its message stays.
func (d *DB) Drop(ctx context.Context, e core.Ending) error {
	return d.update(ctx, "drop", func(t *tx) error {
		c, err := t.chain(e.Chain)
		if err != nil {
			return err
		}
		if c.State != core.Queued {
			return conflict("the chain is " + string(c.State))
		}
		if err := t.end(c, e); err != nil {
			return err
		}
		return t.del(bLane, key(str(c.Lane), u64(c.Pos)))
	})
}

// end writes what Finish and Drop have in common. Zero usage, iterations, model and system keep what the steps gave.
func (t *tx) end(c core.Chain, e core.Ending) error {
	if _, err := t.step(&c, e.Progress); err != nil {
		return err
	}
	if err := t.putMessages(c, e.Messages); err != nil {
		return err
	}
	c.State, c.Stop, c.Done, c.Last = core.Ended, e.Stop, e.Done, e.Last
	if e.Usage != (core.Usage{}) {
		c.Usage = e.Usage
	}
	if e.Iters != 0 {
		c.Iterations = e.Iters
	}
	if e.Model != "" {
		c.Model = e.Model
	}
	if e.System != "" {
		c.System = e.System
	}
	return errors.Join(
		t.put(bChain, key(str(c.ID)), c),
		t.del(bOpen, key(str(c.ID))),
		t.touch(c.Session, e.Done),
		t.countEnd(c, e.Step),
		t.closeSpending(c),
		t.changed(c.Session, c.ID),
	)
}

// Adopt makes self the owner of a running chain of a dead instance. A queued chain has no owner and stays as it is.
func (d *DB) Adopt(ctx context.Context, id core.ChainID, self core.InstanceID) (core.Chain, error) {
	var c core.Chain
	err := d.update(ctx, "adopt", func(t *tx) (err error) {
		if c, err = t.chain(id); err != nil {
			return err
		}
		switch {
		case c.State == core.Ended:
			return conflict("the chain is ended")
		case c.State == core.Queued || c.Owner == self:
			return nil
		}
		c.Owner = self
		return errors.Join(
			t.put(bOpen, key(str(id)), opened{Owner: self, Session: c.Session}),
			t.put(bChain, key(str(id)), c),
		)
	})
	if err != nil {
		return core.Chain{}, err
	}
	return c, nil
}

// Unfinished yields every open chain that self does not own; one whose records are damaged with its id alone and the error, and
// it goes on behind it. It copies a page at a time: no transaction is open while the caller works, so chains may end or come in
// between.
func (d *DB) Unfinished(ctx context.Context, self core.InstanceID) iter.Seq2[core.Chain, error] {
	return func(yield func(core.Chain, error) bool) {
		var from []byte
		for {
			var page []found
			more := false
			err := d.view(ctx, "unfinished", func(t *tx) (err error) {
				page, from, more, err = t.unfinished(self, from)
				return err
			})
			if err != nil {
				yield(core.Chain{}, err)
				return
			}
			for _, f := range page {
				if core.CodeOf(f.err) == core.StoreDamaged {
					d.suspect(f.err)
				}
				if !yield(f.chain, f.err) {
					return
				}
			}
			if !more {
				return
			}
		}
	}
}

// found is an open chain, or its id and why it cannot be read.
type found struct {
	chain core.Chain
	err   error
}

func (t *tx) unfinished(self core.InstanceID, from []byte) (page []found, next []byte, more bool, err error) {
	b, err := t.bucket(bOpen)
	if err != nil {
		return nil, nil, false, err
	}
	cur := b.Cursor()
	seen := 0
	for k, rec := cur.Seek(from); k != nil; k, rec = cur.Next() {
		if seen++; seen > openPage {
			return page, bytes.Clone(k), true, nil
		}
		parts, err := splitKey(k)
		if err != nil || len(parts) != 1 {
			return nil, nil, false, damaged(errKey)
		}
		f := found{chain: core.Chain{ID: core.ChainID(parts[0])}}
		var o opened
		if f.err = decode(bOpen, k, rec, &o); f.err == nil {
			if o.Owner == self && self != "" {
				continue
			}
			var c core.Chain
			if c, f.err = t.chain(f.chain.ID); f.err == nil {
				f.chain = c
			}
		}
		page = append(page, f)
	}
	return page, nil, false, nil
}

// Chain reads one chain; core.NotFound.
func (d *DB) Chain(ctx context.Context, id core.ChainID) (core.Chain, error) {
	var c core.Chain
	err := d.view(ctx, "chain", func(t *tx) (err error) {
		c, err = t.chain(id)
		return err
	})
	return c, err
}

// Chains pages through a session's chains in the order of their acceptance.
func (d *DB) Chains(ctx context.Context, s core.SessionID, p core.Page) ([]core.Chain, core.Cursor, error) {
	var (
		cs   []core.Chain
		next core.Cursor
	)
	err := d.view(ctx, "chains", func(t *tx) (err error) {
		sp, err := t.positions(bOrder, s, p)
		if err != nil {
			return err
		}
		cs, next, err = page(t, sp, p, func(k, rec []byte) (core.Chain, int, error) {
			var id core.ChainID
			if err := decode(bOrder, k, rec, &id); err != nil {
				return core.Chain{}, 0, err
			}
			c, err := t.chain(id)
			return c, len(c.Params.System) + len(c.Params.Schema), err // the rest is small
		})
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return cs, next, nil
}

func (t *tx) chain(id core.ChainID) (core.Chain, error) {
	var c core.Chain
	ok, err := t.get(bChain, key(str(id)), &c)
	if err == nil && !ok {
		err = noChain(id)
	}
	return c, err
}

func noChain(id core.ChainID) error {
	return core.E(core.NotFound, "there is no chain "+core.Short(string(id)), "jarvis session list", nil)
}

func conflict(why string) error { return core.E(core.Conflict, why, "", nil) }
