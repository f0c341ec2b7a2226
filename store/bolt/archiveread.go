package bolt

import (
	"context"
	"errors"
	"math"

	"jarvis/core"
)

// ArchiveByID reads one archive of a user; core.NotFound.
func (d *DB) ArchiveByID(ctx context.Context, user core.UserID, id core.ArchiveID) (core.Archive, error) {
	var a archiveRow
	err := d.view(ctx, "archive", func(t *tx) (err error) {
		a, err = t.archiveOf(user, id)
		return err
	})
	if err != nil {
		return core.Archive{}, err
	}
	return a.Archive, nil
}

// Archives pages through a session's archives, oldest first.
func (d *DB) Archives(ctx context.Context, s core.SessionID, p core.Page) ([]core.Archive, core.Cursor, error) {
	var (
		as   []core.Archive
		next core.Cursor
	)
	err := d.view(ctx, "archives", func(t *tx) (err error) {
		as, next, err = page(t, span{bucket: bArchives, prefix: key(str(s))}, p, func(k, rec []byte) (core.Archive, int, error) {
			var id core.ArchiveID
			if err := decode(bArchives, k, rec, &id); err != nil {
				return core.Archive{}, 0, err
			}
			var a archiveRow
			ok, err := t.get(bArchive, key(str(id)), &a)
			if err == nil && !ok {
				err = damaged(errors.New("an archive's record is missing"))
			}
			return a.Archive, 16 * len(a.Spans), err
		})
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return as, next, nil
}

// ArchiveMessages pages through an archive's messages in order.
func (d *DB) ArchiveMessages(ctx context.Context, a core.Archive, p core.Page) ([]core.Message, core.Cursor, error) {
	at := func(pos uint64) []byte { return append(key(str(a.Session)), key(u64(pos))...) }
	sp := span{bucket: bMessage, prefix: key(str(a.Session))}
	from := uint64(0)
	for _, s := range a.Spans {
		if s.From > from {
			sp.gaps = append(sp.gaps, gap{lo: at(from), hi: at(s.From)})
		}
		if s.To == math.MaxUint64 {
			break
		}
		from = s.To + 1
	}
	sp.gaps = append(sp.gaps, gap{lo: at(from)})
	var (
		ms   []core.Message
		next core.Cursor
	)
	err := d.view(ctx, "archive messages", func(t *tx) (err error) {
		ms, next, err = page(t, sp, p, readMessage)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return ms, next, nil
}

func (t *tx) archiveOf(user core.UserID, id core.ArchiveID) (archiveRow, error) {
	if len(id) > maxName {
		return archiveRow{}, noArchive(id[:maxName])
	}
	var a archiveRow
	ok, err := t.get(bArchive, key(str(id)), &a)
	if err != nil {
		return archiveRow{}, err
	}
	if !ok {
		return archiveRow{}, noArchive(id)
	}
	s, err := t.session(a.Session)
	if core.CodeOf(err) == core.NotFound || err == nil && s.User != user {
		return archiveRow{}, noArchive(id)
	}
	return a, err
}

func noArchive(id core.ArchiveID) error {
	return core.E(core.NotFound, "there is no archive "+core.Short(string(id)), "jarvis session archives", nil)
}
