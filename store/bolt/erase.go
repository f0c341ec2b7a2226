package bolt

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"jarvis/core"
)

// eraseStep is how many rows one transaction of an erasure deletes, so that it does not hold up others' writes.
const eraseStep = 2000

// DeleteSession erases a session and everything in it, and returns its chains. The first transaction makes it disappear;
// what is left of its rows goes in bounded steps, which a restart takes up again.
func (d *DB) DeleteSession(ctx context.Context, id core.SessionID) ([]core.ChainID, error) {
	var chains []core.ChainID
	err := d.update(ctx, "delete session", func(t *tx) (err error) {
		chains, err = t.hide(id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := d.erase(context.WithoutCancel(ctx), id); err != nil {
		return nil, err
	}
	return chains, nil
}

// hide removes a session from sight and notes that its rows are to go.
func (t *tx) hide(id core.SessionID) ([]core.ChainID, error) {
	s, err := t.session(id)
	if err != nil {
		return nil, err
	}
	chains := []core.ChainID{}
	err = t.each(bOrder, key(str(id)), func(k, rec []byte) (bool, error) {
		var c core.ChainID
		if err := decode(bOrder, k, rec, &c); err != nil {
			return false, err
		}
		open, err := t.has(bOpen, key(str(c)))
		if open {
			err = core.E(core.Conflict, "the session is still being answered", "jarvis session stop "+core.Short(string(id)), nil)
		}
		chains = append(chains, c)
		return true, err
	})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(t.put(bGone, key(str(id)), true), t.feed(core.Change{Session: id})); err != nil {
		return nil, err
	}
	if err := t.unindex(s); err != nil {
		return nil, err
	}
	for _, k := range idRows(s) {
		if err := t.del(bID, k); err != nil {
			return nil, err
		}
	}
	return chains, t.del(bSession, key(str(id)))
}

// erase deletes the rows of a hidden session, step by step, and its note with the last of them.
func (d *DB) erase(ctx context.Context, id core.SessionID) error {
	for done := false; !done; {
		err := d.update(ctx, "erase session", func(t *tx) (err error) {
			done, err = t.eraseSome(id)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) eraseSome(id core.SessionID) (done bool, err error) {
	left := eraseStep
	n, err := t.eraseMessages(id, left)
	if left -= n; err != nil || left <= 0 {
		return false, err
	}
	n, err = t.eraseSummaries(id, left)
	if left -= n; err != nil || left <= 0 {
		return false, err
	}
	n, err = t.eraseNotes(id, left)
	if left -= n; err != nil || left <= 0 {
		return false, err
	}
	n, err = t.eraseChains(id, left)
	if left -= n; err != nil || left <= 0 {
		return false, err
	}
	return true, errors.Join(t.closeSession(id), t.del(bGone, key(str(id))))
}

// eraseMessages deletes up to limit messages and the blob references they hold.
func (t *tx) eraseMessages(id core.SessionID, limit int) (int, error) {
	type row struct {
		k []byte
		m core.Message
	}
	var rows []row
	err := t.each(bMessage, key(str(id)), func(k, rec []byte) (bool, error) {
		r := row{k: bytes.Clone(k)}
		err := decode(bMessage, k, rec, &r.m)
		rows = append(rows, r)
		return len(rows) < limit, err
	})
	if err != nil {
		return 0, err
	}
	for _, r := range rows {
		for _, a := range r.m.Attachments {
			if err := t.del(bBlobRef, refKey(a.Digest, r.m.ID)); err != nil {
				return 0, err
			}
		}
		if err := t.del(bMessage, r.k); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// eraseChains deletes up to about limit rows of chains, their steps and their dedupe keys.
func (t *tx) eraseChains(id core.SessionID, limit int) (int, error) {
	orders, err := t.keys(bOrder, key(str(id)), limit)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, k := range orders {
		if n >= limit {
			break
		}
		var cid core.ChainID
		if _, err := t.get(bOrder, k, &cid); err != nil {
			return n, err
		}
		steps, err := t.eraseChain(cid)
		if err != nil {
			return n, err
		}
		if err := t.del(bOrder, k); err != nil {
			return n, err
		}
		n += steps + 3
	}
	return n, nil
}

// eraseChain deletes a chain's rows. Its journal has its text too: a note stays until somebody has removed that.
func (t *tx) eraseChain(id core.ChainID) (steps int, err error) {
	if err := t.put(bGone, orphanKey(id), true); err != nil {
		return 0, err
	}
	c, err := t.chain(id)
	if core.CodeOf(err) == core.NotFound {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var rows [][]byte
	days := map[core.Period]bool{endDay(c): true}
	err = t.each(bStep, key(str(id)), func(k, rec []byte) (bool, error) {
		var s core.Step
		err := decode(bStep, k, rec, &s)
		rows, days[dayOf(s)] = append(rows, bytes.Clone(k)), true
		return true, err
	})
	if err != nil {
		return 0, err
	}
	for _, k := range rows {
		if err := t.del(bStep, k); err != nil {
			return 0, err
		}
	}
	for day := range days {
		if err := t.forgetSession(c, day); err != nil {
			return 0, err
		}
	}
	if c.Origin.Key != "" {
		if err := t.del(bSeen, seenKey(c.Origin)); err != nil {
			return 0, err
		}
	}
	return len(rows), t.del(bChain, key(str(id)))
}

// orphanKey is the note that a chain's journal is to be removed. No session has an empty id.
func orphanKey(id core.ChainID) []byte { return key(nil, str(id)) }

// Orphans gives at most n erased chains whose journals nobody has said to be removed: a crash came between.
func (d *DB) Orphans(ctx context.Context, n int) ([]core.ChainID, error) {
	if n <= 0 {
		return nil, nil
	}
	var ids []core.ChainID
	err := d.view(ctx, "orphans", func(t *tx) error {
		return t.each(bGone, key(nil), func(k, _ []byte) (bool, error) {
			parts, err := splitKey(k)
			if err != nil || len(parts) != 2 {
				return false, damaged(errKey)
			}
			ids = append(ids, core.ChainID(parts[1]))
			return len(ids) < n, nil
		})
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// Forget says that the journals of erased chains are gone, in bounded steps.
func (d *DB) Forget(ctx context.Context, ids ...core.ChainID) error {
	for some := range slices.Chunk(ids, eraseStep) {
		err := d.update(ctx, "forget", func(t *tx) error {
			for _, id := range some {
				if err := t.del(bGone, orphanKey(id)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eraseRest takes up the erasures that a crash cut off.
func (d *DB) eraseRest(ctx context.Context) error {
	for {
		var ids []core.SessionID
		err := d.view(ctx, "erase rest", func(t *tx) error {
			b, err := t.bucket(bGone)
			if err != nil {
				return err
			}
			c := b.Cursor()
			for k, _ := c.Seek(after(key(nil))); k != nil && len(ids) < openPage; k, _ = c.Next() {
				parts, err := splitKey(k)
				if err != nil || len(parts) != 1 {
					return damaged(errKey)
				}
				ids = append(ids, core.SessionID(parts[0]))
			}
			return nil
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := d.erase(ctx, id); err != nil {
				return err
			}
		}
	}
}
