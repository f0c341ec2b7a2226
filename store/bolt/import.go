package bolt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"jarvis/core"
)

// A session that is copied or imported is written in bounded steps. Until the last of them there is no row that leads to it,
// and the note of an erased session stands: what a crash leaves of it is erased at the next start, as of any session that was
// being erased.

// StartImport notes that a session of a new id is about to be written.
func (d *DB) StartImport(ctx context.Context, id core.SessionID) error {
	if err := errors.Join(checkID(string(id)), d.spare()); err != nil {
		return err
	}
	return d.update(ctx, "start import", func(t *tx) error {
		for _, bucket := range []string{bSession, bGone} {
			if taken, err := t.has(bucket, key(str(id))); err != nil {
				return err
			} else if taken {
				return conflict("there is a session of this id already")
			}
		}
		return t.put(bGone, key(str(id)), true)
	})
}

// ImportSome writes a part of a session that StartImport has noted: ended chains, messages and summaries, in their order. A
// chain comes before what names it, in the same call or an earlier one. Usage is not counted.
func (d *DB) ImportSome(ctx context.Context, id core.SessionID, part core.Copied) error {
	if err := d.spare(); err != nil {
		return err
	}
	return d.update(ctx, "import", func(t *tx) error {
		if err := t.importing(id); err != nil {
			return err
		}
		known := known{}
		for _, c := range part.Chains {
			c, err := t.importChain(id, c)
			if err != nil {
				return err
			}
			known[c.ID] = c
		}
		for _, m := range part.Messages {
			c, err := known.of(t, id, m.Chain)
			if err != nil {
				return err
			}
			if err := t.putMessages(c, []core.Message{m}); err != nil {
				return err
			}
		}
		for _, s := range part.Summaries {
			if err := t.importSummary(id, known, s); err != nil {
				return err
			}
		}
		for _, a := range part.Archives {
			if err := t.importArchive(id, known, a); err != nil {
				return err
			}
		}
		return nil
	})
}

// importReserve is what the disk must have free while a session is written, in bytes. The file does not shrink again when one
// is given up half way, and a daemon on a full disk can neither answer nor make room.
const importReserve = 64 << 20

// spare refuses to fill the last of the disk with a copy.
func (d *DB) spare() error {
	free, err := room(filepath.Dir(d.path))
	if err != nil {
		return explain("import", err)
	}
	if free < importReserve {
		return core.E(core.Internal, fmt.Sprintf("the disk is nearly full: a conversation is copied only while %d MiB are free", importReserve>>20), "df -h", nil)
	}
	return nil
}

// maxArchived bounds the spans of all archives of an imported session: they lie in one row.
const maxArchived = 2000

// importArchive writes an archive of chains that are there and in no other.
func (t *tx) importArchive(id core.SessionID, k known, a core.CopiedArchive) error {
	gone, err := t.archived(id)
	if err != nil {
		return err
	}
	if gone.Rev, err = t.next(); err != nil {
		return err
	}
	a.Session, a.Spans = id, nil
	for _, r := range a.Ranges {
		first, err := k.of(t, id, r.First)
		if err != nil {
			return err
		}
		last, err := k.of(t, id, r.Last)
		if err != nil {
			return err
		}
		s := core.Span{From: first.Pos, To: last.Pos}
		i := gone.behind(s.To) // the last one that begins in it or before it
		if s.From > s.To || i >= 0 && gone.Spans[i].To >= s.From || len(gone.Spans) >= maxArchived {
			return conflict("an archive has chains that it cannot have")
		}
		gone.Spans = slices.Insert(gone.Spans, i+1, s)
		a.Spans = append(a.Spans, s)
	}
	return errors.Join(
		t.put(bArchive, key(str(a.ID)), archiveRow{Archive: a.Archive, Pos: gone.Rev}),
		t.put(bArchives, key(str(id), u64(gone.Rev)), a.ID),
		t.put(bArchived, key(str(id)), gone),
	)
}

// known are chains of the session that is written.
type known map[core.ChainID]core.Chain

func (k known) of(t *tx, id core.SessionID, chain core.ChainID) (core.Chain, error) {
	c, ok := k[chain]
	if ok {
		return c, nil
	}
	c, err := t.chain(chain)
	if err != nil {
		return c, err
	}
	if c.Session != id {
		return c, noChain(chain)
	}
	k[chain] = c
	return c, nil
}

// importSummary writes a summary of chains that are there; it takes in the one before it.
func (t *tx) importSummary(id core.SessionID, k known, s core.Summary) error {
	first, err := k.of(t, id, s.First)
	if err != nil {
		return err
	}
	last, err := k.of(t, id, s.Last)
	if err != nil {
		return err
	}
	_, newest, _, err := t.summary(id)
	if err != nil {
		return err
	}
	if s.From, s.To, s.Prev = first.Pos, last.Pos, newest.To; s.From > s.To || s.To <= s.Prev {
		return conflict("a summary stands for chains that are not behind those of the one before")
	}
	s.Session = id
	return t.put(bSummary, key(str(id), u64(s.To)), s)
}

func (t *tx) importChain(id core.SessionID, c core.Chain) (core.Chain, error) {
	if err := checkID(string(c.ID)); err != nil {
		return c, err
	}
	if taken, err := t.has(bChain, key(str(c.ID))); err != nil {
		return c, err
	} else if taken {
		return c, conflict("there is a chain of this id already")
	}
	var err error
	if c.Pos, err = t.next(); err != nil {
		return c, err
	}
	c.Session, c.Lane, c.State, c.Owner = id, "session:"+string(id), core.Ended, ""
	c.Origin.Key, c.Origin.Cursor = "", ""
	return c, errors.Join(
		t.put(bChain, key(str(c.ID)), c),
		t.put(bOrder, key(str(id), u64(c.Pos)), c.ID),
	)
}

// FinishImport makes a session that StartImport has noted visible, at the head of its user's list.
func (d *DB) FinishImport(ctx context.Context, s core.Session) (core.Session, error) {
	s.Cwd = folder(s.Cwd)
	if len(s.Cwd) > maxName {
		return core.Session{}, core.E(core.BadRequest, "the folder of the session is too long", "", nil)
	}
	var done core.Session
	err := d.update(ctx, "finish import", func(t *tx) error {
		if err := t.importing(s.ID); err != nil {
			return err
		}
		if err := t.putSession(s, nil, s.Modified); err != nil {
			return err
		}
		if err := errors.Join(t.del(bGone, key(str(s.ID))), t.feed(core.Change{Session: s.ID, Whole: true})); err != nil {
			return err
		}
		var err error
		done, err = t.session(s.ID)
		return err
	})
	if err != nil {
		return core.Session{}, err
	}
	return done, nil
}

// DropImport erases what was written of a session that will not be finished.
func (d *DB) DropImport(ctx context.Context, id core.SessionID) error {
	err := d.view(ctx, "drop import", func(t *tx) error { return t.importing(id) })
	if err != nil {
		return err
	}
	return d.erase(ctx, id)
}

// importing refuses a session that is not being written.
func (t *tx) importing(id core.SessionID) error {
	noted, err := t.has(bGone, key(str(id)))
	if err != nil {
		return err
	}
	visible, err := t.has(bSession, key(str(id)))
	if err != nil {
		return err
	}
	if !noted || visible {
		return conflict("this session is not being written")
	}
	return nil
}

func checkID(id string) error {
	if !core.ValidUUID(id) {
		return core.E(core.BadRequest, "an id is not a UUID", "", nil)
	}
	return nil
}
