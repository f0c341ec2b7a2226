package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
	"unicode/utf8"

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

// Accept stores an intake whole: the chain as queued with its position, its message, its place in the lane, its dedupe key
// and its source's cursor. The same chain id or dedupe key by the same user gives the first chain and place 0.
func (d *DB) Accept(ctx context.Context, in core.Intake) (core.Chain, int, error) {
	if err := checkIntake(&in); err != nil {
		return core.Chain{}, 0, err
	}
	var (
		c     core.Chain
		place int
	)
	err := d.update(ctx, "accept", func(t *tx) (err error) {
		c, place, err = t.accept(in)
		return err
	})
	if err != nil {
		return core.Chain{}, 0, err
	}
	return c, place, nil
}

func checkIntake(in *core.Intake) error {
	c := &in.Chain
	if c.Lane == "" {
		c.Lane = "session:" + string(c.Session)
	}
	for _, s := range []string{
		string(c.ID), string(c.Session), c.Lane, c.Origin.Source, c.Origin.Key, c.Origin.Cursor, string(in.Message.ID),
	} {
		if len(s) > maxName {
			return core.E(core.BadRequest, "an id of the request is too long", "", nil)
		}
		if !utf8.ValidString(s) { // JSON would change it, and no row would find it again
			return core.E(core.BadRequest, "an id of the request is no text", "", nil)
		}
	}
	if c.ID == "" || c.Session == "" {
		return core.E(core.BadRequest, "a chain needs an id and a session", "", nil)
	}
	if s := in.Session; s != nil && (s.ID != c.Session || s.User != c.User || len(s.Cwd) > maxName) {
		return core.E(core.BadRequest, "the new session does not fit its chain", "", nil)
	}
	if in.Session != nil {
		fresh := *in.Session
		fresh.Cwd = folder(fresh.Cwd)
		in.Session = &fresh
	}
	return nil
}

func (t *tx) accept(in core.Intake) (core.Chain, int, error) {
	c := in.Chain
	if first, ok, err := t.known(c); err != nil || ok {
		return first, 0, err
	}
	fresh, err := t.sessionFor(in)
	if err != nil {
		return core.Chain{}, 0, err
	}
	waiting, err := t.keys(bLane, key(str(c.Lane)), maxQueued)
	if err != nil {
		return core.Chain{}, 0, err
	}
	if len(waiting) >= maxQueued {
		return core.Chain{}, 0, core.E(core.RateLimited,
			fmt.Sprintf("%d messages wait in this session already", len(waiting)), "jarvis session stop "+core.Short(string(c.Session)), nil)
	}
	if c.Pos, err = t.next(); err != nil {
		return core.Chain{}, 0, err
	}
	c.State, c.Owner = core.Queued, ""
	if fresh != nil {
		if err := t.putSession(*fresh, nil, c.Created); err != nil {
			return core.Chain{}, 0, err
		}
	} else if err := t.touch(c.Session, c.Created); err != nil {
		return core.Chain{}, 0, err
	}
	return c, len(waiting) + 1, t.insert(c, in.Message)
}

// known finds the chain that an intake repeats, by its id or its dedupe key. Another user's is not found.
func (t *tx) known(c core.Chain) (core.Chain, bool, error) {
	id := c.ID
	if c.Origin.Key != "" {
		if _, err := t.get(bSeen, seenKey(c.Origin), &id); err != nil {
			return core.Chain{}, false, err
		}
	}
	var first core.Chain
	ok, err := t.get(bChain, key(str(id)), &first)
	if err == nil && !ok && id != c.ID {
		ok, err = t.get(bChain, key(str(c.ID)), &first)
	}
	if err == nil && ok && first.User != c.User {
		err = noChain(c.ID)
	}
	if err != nil || !ok {
		return core.Chain{}, false, err
	}
	return first, true, nil
}

// sessionFor gives the session to create, nil when the chain's session exists and is the user's.
func (t *tx) sessionFor(in core.Intake) (*core.Session, error) {
	var s core.Session
	ok, err := t.get(bSession, key(str(in.Chain.Session)), &s)
	switch {
	case err != nil:
		return nil, err
	case ok && s.User != in.Chain.User, !ok && in.Session == nil:
		return nil, noSession(in.Chain.Session)
	case ok:
		return nil, nil
	}
	if gone, err := t.has(bGone, key(str(in.Chain.Session))); err != nil {
		return nil, err
	} else if gone {
		return nil, core.E(core.Conflict, "this session is just being erased", "jarvis session list", nil)
	}
	return in.Session, nil
}

// insert writes a new chain's rows.
func (t *tx) insert(c core.Chain, m core.Message) error {
	cid := key(str(c.ID))
	err := errors.Join(
		t.put(bChain, cid, c),
		t.put(bOrder, key(str(c.Session), u64(c.Pos)), c.ID),
		t.put(bLane, key(str(c.Lane), u64(c.Pos)), c.ID),
		t.put(bOpen, cid, opened{Session: c.Session}),
		t.putMessages(c, []core.Message{m}),
	)
	if c.Origin.Key != "" {
		err = errors.Join(err, t.put(bSeen, seenKey(c.Origin), c.ID))
	}
	if c.Origin.Cursor != "" {
		err = errors.Join(err, t.put(bSource, key(str(c.Origin.Source)), c.Origin.Cursor))
	}
	return err
}

// next is the store's next position. Ids and clocks order nothing: a client's clock may be wrong, and any clock may jump.
func (t *tx) next() (uint64, error) {
	b, err := t.bucket(bChain)
	if err != nil {
		return 0, err
	}
	t.dirty = true
	n, err := b.NextSequence()
	if err != nil {
		return 0, fmt.Errorf("next position: %w", err)
	}
	return n, nil
}

// Claim takes the lane's next chain for owner; false when none waits or one of the lane runs.
func (d *DB) Claim(ctx context.Context, lane string, owner core.InstanceID, at time.Time) (core.Chain, bool, error) {
	var (
		c  core.Chain
		ok bool
	)
	err := d.update(ctx, "claim", func(t *tx) (err error) {
		c, ok, err = t.claim(lane, owner, at)
		return err
	})
	if err != nil || !ok {
		return core.Chain{}, false, err
	}
	return c, true, nil
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
		again, err := t.step(&c, p.Step)
		if err != nil || again {
			return err // what came with a stored step is stored too
		}
		if err := t.putMessages(c, p.Messages); err != nil || p.Step == nil {
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
func (t *tx) step(c *core.Chain, s *core.Step) (again bool, err error) {
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
	return false, t.put(bStep, k, row)
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
	if _, err := t.step(&c, e.Step); err != nil {
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

// Unfinished yields every open chain that self does not own. It copies a page at a time: no transaction is open while the
// caller works, so chains may end or come in between.
func (d *DB) Unfinished(ctx context.Context, self core.InstanceID) iter.Seq2[core.Chain, error] {
	return func(yield func(core.Chain, error) bool) {
		var from []byte
		for {
			var page []core.Chain
			more := false
			err := d.view(ctx, "unfinished", func(t *tx) (err error) {
				page, from, more, err = t.unfinished(self, from)
				return err
			})
			if err != nil {
				yield(core.Chain{}, err)
				return
			}
			for _, c := range page {
				if !yield(c, nil) {
					return
				}
			}
			if !more {
				return
			}
		}
	}
}

func (t *tx) unfinished(self core.InstanceID, from []byte) (page []core.Chain, next []byte, more bool, err error) {
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
		var o opened
		if err := decode(bOpen, k, rec, &o); err != nil {
			return nil, nil, false, err
		}
		if o.Owner == self && self != "" {
			continue
		}
		parts, err := splitKey(k)
		if err != nil || len(parts) != 1 {
			return nil, nil, false, damaged(errKey)
		}
		c, err := t.chain(core.ChainID(parts[0]))
		if err != nil {
			return nil, nil, false, err
		}
		page = append(page, c)
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
		next, err = t.page(span{bucket: bOrder, prefix: key(str(s))}, p, func(k, rec []byte) error {
			var id core.ChainID
			if err := decode(bOrder, k, rec, &id); err != nil {
				return err
			}
			c, err := t.chain(id)
			cs = append(cs, c)
			return err
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

func seenKey(o core.Origin) []byte { return key(str(o.Source), str(o.Key)) }

func noChain(id core.ChainID) error {
	return core.E(core.NotFound, "there is no chain "+core.Short(string(id)), "jarvis session list", nil)
}

func conflict(why string) error { return core.E(core.Conflict, why, "", nil) }
