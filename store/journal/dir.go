// Package journal keeps every event of a chain in an append-only file before anyone sees it: runs/<yyyy-mm>/<chain>.jsonl,
// one event a line; packed (.jsonl.gz) once it is sealed and nobody reads it. The file is at once the resume buffer, the crash record and the recorder: readers have a position in it,
// not a queue, so a slow one delays nobody. It may import nothing of ours but core, and it never judges what an event means
// beyond its number and whether it ends the chain.
//
// A damaged line (not the half one at the end that a crash leaves) is core.StoreDamaged to readers, after everything that
// precedes it. Opening for writing keeps what precedes and moves the rest into <chain>.jsonl.damaged, so that recovery can
// always close a chain.
package journal

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"jarvis/core"
)

// Options of a Dir. The zero value is for use, tests set the clock.
type Options struct {
	Now       func() time.Time                                   // names the month of a new journal; nil = time.Now
	After     func(d time.Duration, f func()) (stop func() bool) // paces syncing; nil = time.AfterFunc
	SyncEvery time.Duration                                      // at most this long until an event is on the disk itself; 0 = one second
	MaxLine   int                                                // bytes of one line; 0 = 64 MiB
	Log       *slog.Logger                                       // nil = discard
}

const (
	month       = "2006-01"
	suffix      = ".jsonl"
	defaultLine = 64 << 20
)

// Dir is the folder of all journals. It is safe for concurrent use; one process owns the folder.
type Dir struct {
	root string
	o    Options
	log  *slog.Logger

	mu      sync.Mutex // guards the fields below; taken before a stream's
	streams map[core.ChainID]*stream
	months  []string // newest first
	ledger  *ledger

	pace sync.Mutex // guards the fields below; taken after a stream's
	due  []*stream  // written to since their last sync
	stop func() bool
}

// Open opens the folder, making it when it is missing.
func Open(root string, o Options) (*Dir, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	if o.SyncEvery == 0 {
		o.SyncEvery = time.Second
	}
	if o.MaxLine == 0 {
		o.MaxLine = defaultLine
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("open journals: %w", err)
	}
	d := &Dir{root: root, o: o, log: o.Log, streams: map[core.ChainID]*stream{}}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("open journals: %w", err)
	}
	for _, e := range entries {
		if _, err := time.Parse(month, e.Name()); err == nil && e.IsDir() {
			d.months = append(d.months, e.Name())
		}
	}
	slices.Sort(d.months)
	slices.Reverse(d.months)
	if d.ledger, err = openLedger(filepath.Join(root, "open.log")); err != nil {
		return nil, fmt.Errorf("open journals: %w", err)
	}
	return d, nil
}

// Close syncs what was written. Open logs should be closed before.
func (d *Dir) Close() error {
	d.pace.Lock()
	if d.stop != nil {
		d.stop()
	}
	d.pace.Unlock()
	d.sync()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ledger.close()
}

// acquire gives the chain's stream, which all its readers and its writer share. The caller releases it.
func (d *Dir) acquire(id core.ChainID, create bool) (*stream, error) {
	if !core.ValidUUID(string(id)) {
		return nil, notFound(id) // an id is a file name here: nothing else may become one
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.streams[id]
	if s == nil {
		path, err := d.find(id)
		if err != nil {
			return nil, err
		}
		if path == "" && !create {
			return nil, notFound(id)
		}
		if path == "" {
			if path, err = d.place(id); err != nil {
				return nil, err
			}
		}
		s = &stream{id: id, path: path}
		d.streams[id] = s
	}
	s.refs++
	return s, nil
}

func (d *Dir) release(s *stream) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.refs--; s.refs == 0 && d.streams[s.id] == s {
		delete(d.streams, s.id)
	}
}

// find gives the path of a chain's journal, "" when there is none: the month that its id speaks of comes first, but a
// client's clock may have been wrong, so every month is tried. d.mu is held.
func (d *Dir) find(id core.ChainID) (string, error) {
	tries := d.months
	if m := monthOf(id); slices.Contains(d.months, m) {
		tries = append([]string{m}, d.months...)
	}
	for _, m := range tries {
		for _, end := range []string{suffix, packedSuffix} { // both after a crash while it was packed: the first is whole
			path := filepath.Join(d.root, m, string(id)+end)
			_, err := os.Lstat(path)
			if err == nil {
				return path, nil
			}
			if !errors.Is(err, os.ErrNotExist) {
				return "", fmt.Errorf("find journal: %w", err)
			}
		}
	}
	return "", nil
}

// place makes room for a new journal in the month that is now. d.mu is held.
func (d *Dir) place(id core.ChainID) (string, error) {
	m := d.o.Now().UTC().Format(month)
	dir := filepath.Join(d.root, m)
	if !slices.Contains(d.months, m) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", explain("make journal", err)
		}
		d.months = append(d.months, m)
		slices.Sort(d.months)
		slices.Reverse(d.months)
	}
	return filepath.Join(dir, string(id)+suffix), nil
}

// monthOf is the month of a UUIDv7's clock, "" for other UUIDs.
func monthOf(id core.ChainID) string {
	if id[14] != '7' {
		return ""
	}
	b, err := hex.DecodeString(strings.ReplaceAll(string(id[:13]), "-", ""))
	if err != nil {
		return ""
	}
	var ms int64
	for _, c := range b {
		ms = ms<<8 | int64(c)
	}
	return time.UnixMilli(ms).UTC().Format(month)
}

// Remove deletes the journals of chains; those that are not there are no error. Who reads one just now reads it to its end.
func (d *Dir) Remove(ctx context.Context, ids ...core.ChainID) error {
	changed := map[string]bool{} // the folders
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("remove journals: %w", err)
		}
		dir, err := d.remove(id)
		if err != nil {
			return fmt.Errorf("remove journals: %w", err)
		}
		changed[dir] = dir != ""
	}
	// Whoever asked forgets them now: they must be gone also after a power cut. Years of other months cost nothing.
	for dir, yes := range changed {
		if yes {
			syncDir(dir)
		}
	}
	return nil
}

// remove deletes a chain's journal and gives the folder that it lay in, "" when there was none.
func (d *Dir) remove(id core.ChainID) (dir string, err error) {
	if !core.ValidUUID(string(id)) {
		return "", nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.streams[id]; s != nil {
		delete(d.streams, id) // new readers do not find it; a writer goes on into the file that has no name
	}
	path, err := d.find(id)
	if err != nil || path == "" {
		return "", err
	}
	for _, p := range filesOf(path) {
		if err := os.Remove(p); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return filepath.Dir(path), d.ledger.sealed(id)
}

// later syncs a stream within SyncEvery.
func (d *Dir) later(s *stream) {
	d.pace.Lock()
	defer d.pace.Unlock()
	d.due = append(d.due, s)
	if len(d.due) == 1 {
		d.stop = d.o.After(d.o.SyncEvery, d.sync)
	}
}

// sync brings everything that was written to the disk itself.
func (d *Dir) sync() {
	d.pace.Lock()
	due := d.due
	d.due = nil
	d.pace.Unlock()
	for _, s := range due {
		if err := s.sync(); err != nil {
			d.log.Error("Journal cannot be synced", "chain", s.id, "error", err)
		}
	}
	if len(due) > 0 {
		if err := d.ledger.sync(); err != nil {
			d.log.Error("List of open journals cannot be synced", "error", err)
		}
	}
}

func notFound(id core.ChainID) error {
	return core.E(core.NotFound, "there is no journal of chain "+core.Short(string(id)), "jarvis session list", nil)
}
