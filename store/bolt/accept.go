package bolt

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"jarvis/core"
)

// Accept stores an intake whole: the chain as queued (or claimed, when the intake has an owner and the lane is free) with its
// position, its message, its place in the lane, its dedupe key and its source's cursor. The same chain id or dedupe key by the same user gives the first chain and place 0.
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
	} else if err := t.use(c.Session, in.Title, c.Created); err != nil {
		return core.Chain{}, 0, err
	}
	if err := t.insert(c, in.Message); err != nil || in.Owner == "" || len(waiting) > 0 {
		return c, len(waiting) + 1, err
	}
	claimed, ok, err := t.claim(c.Lane, in.Owner, c.Created)
	if ok {
		c = claimed
	}
	return c, 1, err
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

func seenKey(o core.Origin) []byte { return key(str(o.Source), str(o.Key)) }
