package journal

import (
	"bufio"
	"context"
	"errors"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"jarvis/core"
)

// compactAt is how many lines the ledger may have beyond those of open journals before it is written anew.
const compactAt = 20_000

// ledger is runs/open.log: "+<chain>" before a journal is made, "-<chain>" when it is sealed. So a start finds the journals
// without a terminal event, also those of chains that the store has as ended, without looking at a million files.
type ledger struct {
	path string

	mu    sync.Mutex // guards the fields below
	f     *os.File
	open  map[core.ChainID]bool
	lines int
}

func openLedger(path string) (*ledger, error) {
	l := &ledger{path: path, open: map[core.ChainID]bool{}}
	if err := l.load(); err != nil {
		return nil, err
	}
	return l, l.compact()
}

func (l *ledger) load() error {
	f, err := openRegular(l.path, os.O_RDONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		// What is no such line is the half one of a crash, and then there is no journal yet either.
		if id, ok := strings.CutPrefix(sc.Text(), "+"); ok && core.ValidUUID(id) {
			l.open[core.ChainID(id)] = true
		} else if id, ok := strings.CutPrefix(sc.Text(), "-"); ok {
			delete(l.open, core.ChainID(id))
		}
	}
	if errors.Is(sc.Err(), bufio.ErrTooLong) { // damage: what was read is kept, the rest is unreadable
		return nil
	}
	return sc.Err()
}

// compact writes the ledger anew with the open journals only. l.mu is held, or nobody else has l yet.
func (l *ledger) compact() error {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(l.open)) {
		b.WriteString("+" + string(id) + "\n")
	}
	tmp := l.path + ".new"
	f, err := openRegular(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(b.String())
	err = errors.Join(err, f.Sync())
	if err == nil {
		err = os.Rename(tmp, l.path)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if l.f != nil {
		_ = l.f.Close() // it has no name any more
	}
	l.f, l.lines = f, len(l.open)
	return nil
}

func (l *ledger) opened(id core.ChainID) error { return l.note(id, true) }
func (l *ledger) sealed(id core.ChainID) error { return l.note(id, false) }

func (l *ledger) note(id core.ChainID, open bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[id] == open {
		return nil
	}
	line := "-" + string(id) + "\n"
	if open {
		line = "+" + string(id) + "\n"
	}
	if _, err := l.f.WriteString(line); err != nil {
		return err
	}
	if open {
		l.open[id] = true
	} else {
		delete(l.open, id)
	}
	if l.lines++; l.lines > len(l.open)+compactAt {
		return l.compact()
	}
	return nil
}

func (l *ledger) ids() []core.ChainID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.open))
}

func (l *ledger) sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.Sync()
}

func (l *ledger) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.f.Sync(), l.f.Close())
}

// Unsealed yields the chains whose journals have no terminal event and are not being written by this process. After a start
// these are what the last daemon left: chains that the store has as open, and those that ended in the store an instant
// before their terminal event was written. It costs as much as there are such journals, not as there are journals.
func (d *Dir) Unsealed(ctx context.Context) iter.Seq2[core.ChainID, error] {
	return func(yield func(core.ChainID, error) bool) {
		for _, id := range d.ledger.ids() {
			if err := ctx.Err(); err != nil {
				yield("", err)
				return
			}
			d.mu.Lock()
			s := d.streams[id]
			path, err := d.find(id)
			d.mu.Unlock()
			if err != nil {
				yield("", err)
				return
			}
			if s != nil && s.writing() {
				continue
			}
			if path == "" { // a crash before the file was made
				if err := d.ledger.sealed(id); err != nil {
					yield("", err)
					return
				}
				continue
			}
			if !yield(id, nil) {
				return
			}
		}
	}
}

func (s *stream) writing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.f != nil
}
