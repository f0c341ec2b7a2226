package bolt

import (
	"context"
	"slices"
	"strings"
	"time"

	"jarvis/core"
)

// The views of a user's session list.
const (
	viewAll     = "a"
	viewVisible = "v"

	byPrefix = "p"
	bySuffix = "s"

	// minPrefix is the length from which a typed id is a prefix, as core.MatchID has it.
	minPrefix = 8

	// jump is how far a clock may go back without putting a session that was just used behind older ones.
	jump = 25 * time.Hour
)

// Session reads one session; core.NotFound.
func (d *DB) Session(ctx context.Context, id core.SessionID) (core.Session, error) {
	var s core.Session
	err := d.view(ctx, "session", func(t *tx) (err error) {
		s, err = t.session(id)
		return err
	})
	return s, err
}

// Sessions pages through a user's sessions, newest first by Modified.
func (d *DB) Sessions(ctx context.Context, user core.UserID, hidden bool, p core.Page) ([]core.Session, core.Cursor, error) {
	view := viewVisible
	if hidden {
		view = viewAll
	}
	var (
		ss   []core.Session
		next core.Cursor
	)
	err := d.view(ctx, "sessions", func(t *tx) (err error) {
		ss, next, err = page(t, span{bucket: bUser, prefix: key(u64(user), str(view))}, p, func(k, rec []byte) (core.Session, int, error) {
			s, err := t.indexed(bUser, k, rec)
			return s, len(s.Context), err // the rest is small
		})
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return ss, next, nil
}

// FindSessions gives at most n ids of a user's sessions that a typed id names, by seeking: under eight digits it is the end
// of an id (of which the index has the digits reversed), otherwise the beginning.
func (d *DB) FindSessions(ctx context.Context, user core.UserID, typed string, n int) ([]core.SessionID, error) {
	if !core.HexDigits(typed) || n <= 0 {
		return nil, nil
	}
	ds := digits(typed)
	way := byPrefix
	if len(ds) < minPrefix {
		way = bySuffix
		ds = reversed(ds)
	}
	var ids []core.SessionID
	err := d.view(ctx, "find sessions", func(t *tx) error {
		prefix := appendPart(key(u64(user), str(way)), str(ds))
		return t.each(bID, prefix, func(k, rec []byte) (bool, error) {
			var id core.SessionID
			err := decode(bID, k, rec, &id)
			ids = append(ids, id)
			return len(ids) < n, err
		})
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// LastAsk gives the user's newest hidden session made in the folder cwd, "" = anywhere; core.NotFound.
func (d *DB) LastAsk(ctx context.Context, user core.UserID, cwd string) (core.Session, error) {
	if len(cwd) > maxName {
		return core.Session{}, noAsk()
	}
	var s core.Session
	err := d.view(ctx, "last ask", func(t *tx) error {
		found := false
		err := t.each(bAsk, key(u64(user), str(folder(cwd))), func(k, rec []byte) (_ bool, err error) {
			found = true
			s, err = t.indexed(bAsk, k, rec)
			return false, err
		})
		if err == nil && !found {
			err = noAsk()
		}
		return err
	})
	return s, err
}

// Expired gives at most n hidden sessions of all users not modified since before, oldest first.
func (d *DB) Expired(ctx context.Context, before time.Time, n int) ([]core.SessionID, error) {
	if n <= 0 {
		return nil, nil
	}
	end := string(key(oldest(before)))
	var ids []core.SessionID
	err := d.view(ctx, "expired", func(t *tx) error {
		return t.each(bHidden, nil, func(k, rec []byte) (bool, error) {
			if string(k) >= end {
				return false, nil
			}
			var id core.SessionID
			err := decode(bHidden, k, rec, &id)
			ids = append(ids, id)
			return len(ids) < n, err
		})
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

func (t *tx) session(id core.SessionID) (core.Session, error) {
	var s core.Session
	ok, err := t.get(bSession, key(str(id)), &s)
	if err == nil && !ok {
		err = noSession(id)
	}
	return s, err
}

// indexed reads the session that an index row names.
func (t *tx) indexed(bucket string, k, rec []byte) (core.Session, error) {
	var id core.SessionID
	if err := decode(bucket, k, rec, &id); err != nil {
		return core.Session{}, err
	}
	return t.session(id)
}

// touch moves a session to the head of its lists.
func (t *tx) touch(id core.SessionID, at time.Time) error {
	s, err := t.session(id)
	if err != nil {
		return err
	}
	return t.putSession(s, &s, at)
}

// use moves a session to the head of its lists, and names one that has no title yet.
func (t *tx) use(id core.SessionID, title string, at time.Time) error {
	s, err := t.session(id)
	if err != nil {
		return err
	}
	old := s
	if s.Title == "" {
		s.Title = title
	}
	return t.putSession(s, &old, at)
}

// putSession writes a session modified at a time, with its index rows; old is what they say now, nil for a new one.
func (t *tx) putSession(s core.Session, old *core.Session, at time.Time) error {
	modified, err := t.modified(s, at)
	if err != nil {
		return err
	}
	if old != nil {
		if old.Modified.Equal(modified) {
			if old.Title == s.Title {
				return nil
			}
			s.Modified = old.Modified
			return t.put(bSession, key(str(s.ID)), s)
		}
		if err := t.unindex(*old); err != nil {
			return err
		}
	}
	s.Modified = modified
	for _, r := range listRows(s) {
		if err := t.put(r.bucket, r.key, s.ID); err != nil {
			return err
		}
	}
	if old == nil {
		for _, k := range idRows(s) {
			if err := t.put(bID, k, s.ID); err != nil {
				return err
			}
		}
	}
	return t.put(bSession, key(str(s.ID)), s)
}

// modified keeps a user's list in the order of use also when the clock has jumped back: the session used last gets a time
// just behind the newest one's.
func (t *tx) modified(s core.Session, at time.Time) (time.Time, error) {
	var (
		newestAt time.Time
		newestID core.SessionID
	)
	err := t.each(bUser, key(u64(s.User), str(viewAll)), func(k, rec []byte) (bool, error) {
		parts, err := splitKey(k)
		if err != nil || len(parts) != 4 {
			return false, damaged(errKey)
		}
		newestAt, err = fromNewest(parts[2])
		if err != nil {
			return false, damaged(err)
		}
		newestID = core.SessionID(parts[3])
		return false, nil
	})
	switch {
	case err != nil || newestID == "" || at.After(newestAt):
		return at, err
	case at.IsZero() && !s.Modified.IsZero(): // nobody said when
		return s.Modified, nil
	case newestAt.Sub(at) > jump:
		return at, nil
	}
	if newestID == s.ID {
		return newestAt.UTC(), nil
	}
	return newestAt.Add(1).UTC(), nil
}

// unindex removes the list rows that a session has.
func (t *tx) unindex(s core.Session) error {
	for _, r := range listRows(s) {
		if err := t.del(r.bucket, r.key); err != nil {
			return err
		}
	}
	return nil
}

type indexRow struct {
	bucket string
	key    []byte
}

// listRows are the rows that place a session in lists by its modified time.
func listRows(s core.Session) []indexRow {
	user, when, id := u64(s.User), newest(s.Modified), str(s.ID)
	rows := []indexRow{{bUser, key(user, str(viewAll), when, id)}}
	if !s.Hidden {
		return append(rows, indexRow{bUser, key(user, str(viewVisible), when, id)})
	}
	rows = append(rows, indexRow{bHidden, key(oldest(s.Modified), id)}, indexRow{bAsk, key(user, nil, when, id)})
	if s.Cwd != "" {
		rows = append(rows, indexRow{bAsk, key(user, str(s.Cwd), when, id)})
	}
	return rows
}

// idRows are the rows that find a session by what people type of its id.
func idRows(s core.Session) [][]byte {
	ds := digits(string(s.ID))
	return [][]byte{
		key(u64(s.User), str(byPrefix), str(ds), str(s.ID)),
		key(u64(s.User), str(bySuffix), str(reversed(ds)), str(s.ID)),
	}
}

// folder is a path as JSON keeps it, because rows are found by it; a path may hold any bytes.
func folder(cwd string) string { return string([]rune(cwd)) }

func digits(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func noSession(id core.SessionID) error {
	return core.E(core.NotFound, "there is no session "+core.Short(string(id)), "jarvis session list", nil)
}

func noAsk() error {
	return core.E(core.NotFound, "there is no earlier ask to continue here", "jarvis session list", nil)
}
