package bolt

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"jarvis/core"
)

// The bounds of an archive.
const (
	maxSpans     = 1000 // of one archive
	archiveTitle = 60   // characters
	archiveTries = 20
)

// archivedRow says which positions of a session are in any archive, so that listings jump over them with one read. Rev changes
// with every change.
type archivedRow struct {
	Rev   uint64      `json:"rev"`
	Spans []core.Span `json:"spans"`
}

// archiveRow is an archive with its place in its session's list.
type archiveRow struct {
	core.Archive
	Pos uint64 `json:"pos"`
}

var errStale = errors.New("the session's archives have changed")

// Archive takes chains of a user's session out of its view and prompt. What is to be archived is looked for while others write,
// and noted in a short transaction of its own, in which nothing of it may have changed.
func (d *DB) Archive(
	ctx context.Context, user core.UserID, s core.SessionID, pick core.ArchivePick, id core.ArchiveID, at time.Time,
) (core.Archive, error) {
	for range archiveTries {
		var plan archivePlan
		err := d.view(ctx, "plan archive", func(t *tx) (err error) {
			plan, err = t.planArchive(user, s, pick)
			return err
		})
		if err != nil {
			return core.Archive{}, err
		}
		plan.ID, plan.Created = id, at
		err = d.update(ctx, "archive", func(t *tx) error { return t.archive(user, plan) })
		if !errors.Is(err, errStale) {
			return plan.Archive, err
		}
	}
	return core.Archive{}, conflict("the session is just being archived by others")
}

// archivePlan is an archive that is not noted yet.
type archivePlan struct {
	core.Archive
	rev  uint64 // of what was archived when it was made
	last uint64 // the last position in it
}

// placed is a chain with its position.
type placed struct {
	id  core.ChainID
	pos uint64
}

func (t *tx) planArchive(user core.UserID, s core.SessionID, pick core.ArchivePick) (archivePlan, error) {
	sess, err := t.session(s)
	if err == nil && sess.User != user {
		err = noSession(s)
	}
	if err != nil {
		return archivePlan{}, err
	}
	if err := t.quiet(s); err != nil {
		return archivePlan{}, err
	}
	gone, err := t.archived(s)
	if err != nil {
		return archivePlan{}, err
	}
	chains, err := t.liveChains(s, pick.Before)
	if err != nil {
		return archivePlan{}, err
	}
	chains = chains[:max(0, len(chains)-max(0, pick.Keep))]
	if len(chains) == 0 {
		return archivePlan{}, core.E(core.Conflict, "there is nothing to archive", "jarvis session archives "+core.Short(string(s)), nil)
	}
	p := archivePlan{rev: gone.Rev, last: chains[len(chains)-1].pos}
	p.Session, p.Chains = s, len(chains)
	before := -2
	for _, c := range chains {
		if i := gone.behind(c.pos); i != before {
			before = i
			p.Spans = append(p.Spans, core.Span{From: c.pos})
		}
		p.Spans[len(p.Spans)-1].To = c.pos
	}
	if len(p.Spans) > maxSpans {
		return archivePlan{}, core.E(core.Conflict, "the session has too many archives", "jarvis session archives "+core.Short(string(s)), nil)
	}
	p.Title, err = t.archiveTitle(sess, chains[0])
	return p, err
}

// liveChains are a session's chains that are not archived, in order; with before set only those in front of the first one that
// is not older.
func (t *tx) liveChains(s core.SessionID, before time.Time) ([]placed, error) {
	sp, err := t.positions(bOrder, s, core.Page{})
	if err != nil {
		return nil, err
	}
	var all []placed
	for p := (core.Page{Limit: maxPage}); ; {
		some, next, err := page(t, sp, p, func(k, rec []byte) (placed, int, error) {
			c, err := readPlaced(k, rec)
			return c, 0, err
		})
		if err != nil {
			return nil, err
		}
		for _, c := range some {
			if !before.IsZero() {
				row, err := t.chain(c.id)
				if err != nil {
					return nil, err
				}
				if !row.Created.Before(before) {
					return all, nil
				}
			}
			all = append(all, c)
		}
		if p.After = next; next == "" {
			return all, nil
		}
	}
}

// readPlaced reads a row of bOrder.
func readPlaced(k, rec []byte) (placed, error) {
	var c placed
	if err := decode(bOrder, k, rec, &c.id); err != nil {
		return c, err
	}
	parts, err := splitKey(k)
	if err != nil || len(parts) != 2 || len(parts[1]) != 8 {
		return c, damaged(errKey)
	}
	c.pos = fromU64(parts[1])
	return c, nil
}

// archiveTitle is the first line of what the chain was asked, else the session's title.
func (t *tx) archiveTitle(s core.Session, c placed) (string, error) {
	var m core.Message
	ok, err := t.get(bMessage, key(str(s.ID), u64(c.pos), u32(0)), &m)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(strings.TrimSpace(m.Text), "\n")
	if !ok || m.Deleted || strings.TrimSpace(line) == "" {
		line = s.Title
	}
	line = strings.TrimSpace(core.Printable(line))
	if utf8.RuneCountInString(line) > archiveTitle {
		line = string([]rune(line)[:archiveTitle-1]) + "…"
	}
	return line, nil
}

// quiet refuses a session of which a chain is open: what that one goes on sending to its model was read before.
func (t *tx) quiet(s core.SessionID) error {
	open, err := t.firstOpen(s)
	if err == nil && open > 0 {
		err = core.E(core.Conflict, "the session is still being answered", "jarvis session stop "+core.Short(string(s)), nil)
	}
	return err
}

// archive notes a plan. Chains that were ended stay so and new ones come behind all others, so that only other archives, and
// the session's end, can have made it stale.
func (t *tx) archive(user core.UserID, p archivePlan) error {
	s, err := t.session(p.Session)
	if err == nil && s.User != user {
		err = noSession(p.Session)
	}
	if err != nil {
		return err
	}
	gone, err := t.archived(p.Session)
	if err != nil {
		return err
	}
	if gone.Rev != p.rev {
		return errStale
	}
	if err := t.quiet(p.Session); err != nil {
		return err
	}
	sums, err := t.summariesFrom(p.Session, p.Spans[0].From)
	if err != nil {
		return err
	}
	pos, err := t.next()
	if err != nil {
		return err
	}
	// Everything up to the last position is archived now, by this archive or an earlier one.
	first := p.Spans[0].From
	rest := slices.IndexFunc(gone.Spans, func(s core.Span) bool { return s.From > p.last })
	if rest < 0 {
		rest = len(gone.Spans)
	}
	if rest > 0 {
		first = min(first, gone.Spans[0].From)
	}
	gone.Spans = slices.Concat([]core.Span{{From: first, To: p.last}}, gone.Spans[rest:])
	gone.Rev = pos
	return errors.Join(
		t.put(bArchive, key(str(p.ID)), archiveRow{Archive: p.Archive, Pos: pos}),
		t.put(bArchives, key(str(p.Session), u64(pos)), p.ID),
		t.put(bArchived, key(str(p.Session)), gone),
		t.delAll(bSummary, sums),
	)
}

// summariesFrom are the keys of the summaries that tell of chains from pos on: what is archived must not be told, and what is
// restored in front of one that does not know of it would be missing.
func (t *tx) summariesFrom(s core.SessionID, pos uint64) ([][]byte, error) {
	sp, err := t.positions(bSummary, s, core.Page{From: pos, View: core.ViewAll})
	if err != nil {
		return nil, err
	}
	var ks [][]byte
	for p := (core.Page{Limit: maxPage}); ; {
		some, next, err := page(t, sp, p, func(k, _ []byte) ([]byte, int, error) { return bytes.Clone(k), 0, nil })
		ks = append(ks, some...)
		if p.After = next; err != nil || next == "" {
			return ks, err
		}
	}
}

func (t *tx) delAll(bucket string, ks [][]byte) error {
	for _, k := range ks {
		if err := t.del(bucket, k); err != nil {
			return err
		}
	}
	return nil
}

// archived is what is archived of a session.
func (t *tx) archived(s core.SessionID) (archivedRow, error) {
	var a archivedRow
	_, err := t.get(bArchived, key(str(s)), &a)
	return a, err
}

// behind is the last span that begins at or before pos, -1 when there is none.
func (a archivedRow) behind(pos uint64) int {
	return sort.Search(len(a.Spans), func(i int) bool { return a.Spans[i].From > pos }) - 1
}

// RestoreArchive brings an archive's chains back into view and prompt, and forgets the archive; core.NotFound.
func (d *DB) RestoreArchive(ctx context.Context, user core.UserID, id core.ArchiveID) (core.Archive, error) {
	var a archiveRow
	err := d.update(ctx, "restore archive", func(t *tx) (err error) {
		if a, err = t.archiveOf(user, id); err != nil {
			return err
		}
		if err := t.quiet(a.Session); err != nil {
			return err
		}
		sums, err := t.summariesFrom(a.Session, a.Spans[0].From)
		if err != nil {
			return err
		}
		gone, err := t.archived(a.Session)
		if err != nil {
			return err
		}
		if gone.Spans, err = t.without(a.Session, gone.Spans, a.Spans); err != nil {
			return err
		}
		if gone.Rev, err = t.next(); err != nil {
			return err
		}
		write := t.put
		if len(gone.Spans) == 0 {
			write = func(bucket string, k []byte, _ any) error { return t.del(bucket, k) }
		}
		return errors.Join(
			write(bArchived, key(str(a.Session)), gone),
			t.del(bArchives, key(str(a.Session), u64(a.Pos))),
			t.del(bArchive, key(str(id))),
			t.delAll(bSummary, sums),
		)
	})
	if err != nil {
		return core.Archive{}, err
	}
	return a.Archive, nil
}

// without takes spans out of others. What is left of one that holds no chain goes too.
func (t *tx) without(s core.SessionID, all, out []core.Span) ([]core.Span, error) {
	for _, o := range out {
		var left []core.Span
		for _, a := range all {
			if o.To < a.From || o.From > a.To {
				left = append(left, a)
				continue
			}
			for _, rest := range []core.Span{{From: a.From, To: o.From - 1}, {From: o.To + 1, To: a.To}} {
				if rest.From > rest.To {
					continue
				}
				holds, err := t.holdsChain(s, rest)
				if err != nil {
					return nil, err
				}
				if holds {
					left = append(left, rest)
				}
			}
		}
		all = left
	}
	return all, nil
}

func (t *tx) holdsChain(s core.SessionID, sp core.Span) (bool, error) {
	of, err := t.positions(bOrder, s, core.Page{From: sp.From, Through: sp.To, View: core.ViewAll})
	if err != nil {
		return false, err
	}
	some, _, err := page(t, of, core.Page{Limit: 1}, func([]byte, []byte) (bool, int, error) { return true, 0, nil })
	return len(some) > 0, err
}

// eraseNotes deletes up to limit archives and marks of an erased session.
func (t *tx) eraseNotes(id core.SessionID, limit int) (int, error) {
	marks, err := t.keys(bMark, key(str(id)), limit)
	if err != nil {
		return 0, err
	}
	for _, k := range marks {
		if err := t.del(bMark, k); err != nil {
			return 0, err
		}
	}
	if len(marks) >= limit {
		return len(marks), nil
	}
	rows, err := t.keys(bArchives, key(str(id)), limit-len(marks))
	if err != nil {
		return 0, err
	}
	for _, k := range rows {
		var a core.ArchiveID
		if _, err := t.get(bArchives, k, &a); err != nil {
			return 0, err
		}
		if err := errors.Join(t.del(bArchive, key(str(a))), t.del(bArchives, k)); err != nil {
			return 0, err
		}
	}
	return len(marks) + len(rows), t.del(bArchived, key(str(id)))
}
