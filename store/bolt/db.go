// Package bolt keeps jarvis' nouns in one bbolt file and owns the lock on the home. It satisfies the store interfaces that
// services declare and may import nothing of ours but core: it judges no one's rights and runs no chain.
package bolt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
)

// Options say which database to open and how. Only Path must be given.
type Options struct {
	Path        string                  // of jarvis.db; its folder is made when it is missing
	HomeIDPath  string                  // "" = home.id beside Path
	LockPath    string                  // of the lock on the home; "" = Path and .lock
	New         bool                    // start with an empty store where one is missing or damaged; a good one is kept
	LockTimeout time.Duration           // how long to wait for another daemon to let go; 0 = one second
	PID         int                     // shown to a second daemon; 0 = this process
	Migrating   func(from, to int)      // called before a migration, which may take minutes; nil = nobody cares
	Now         func() time.Time        // nil = time.Now
	Log         *slog.Logger            // nil = discard
	migrations  map[int]func(*tx) error // tests give their own; nil = the real ones
	noSync      bool                    // tests that are not about durability go without
}

// DB is an open store. It is safe for concurrent use.
type DB struct {
	b       *bbolt.DB
	file    *os.File // bbolt's own, to close it when bbolt no longer can
	lock    *flock.Flock
	pidPath string
	path    string
	homeID  string // random, since the store was first made
	log     *slog.Logger
	line    line
	wait    time.Duration // for locks
	noSync  bool
	crashed bool          // the last daemon did not close the store
	touched atomic.Int64  // records that transactions have looked at
	fed     chan struct{} // see Changed

	compacting sync.Mutex   // held while the store is compacted
	writing    sync.Mutex   // held while a batch is committed; guards watch
	watch      *watch       // nil = nobody wants to know what is written
	place      sync.RWMutex // guards b and file, which a compaction replaces

	mu    sync.Mutex // guards what follows
	state health
	why   error
}

// health says what a damaged database may still do.
type health int

const (
	sound    health = iota
	readOnly        // a page was bad: nothing is written any more
	dead            // bbolt's locks may be held for ever: nothing is tried any more
)

// Close waits for transactions and gives the home free.
func (d *DB) Close() error {
	d.mu.Lock()
	state := d.state
	d.state, d.why = dead, core.E(core.Internal, "the store is closed", "jarvis daemon start", nil)
	d.mu.Unlock()
	var err error
	if state == sound {
		d.writing.Lock() // a compaction that is at its last step ends first
		defer d.writing.Unlock()
		d.place.Lock()
		defer d.place.Unlock()
		err = d.b.Close()
	} else { // bbolt's Close would wait for locks that a fault left behind
		unlockFile(d.file)
		err = d.file.Close()
	}
	if rerr := os.Remove(d.pidPath); rerr != nil && !errors.Is(rerr, os.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	if uerr := d.lock.Unlock(); uerr != nil {
		err = errors.Join(err, uerr)
	}
	if err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

func (d *DB) writable() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state != sound {
		return d.why
	}
	return nil
}

func (d *DB) readable() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state == dead {
		return d.why
	}
	return nil
}

// broke stops all writing after a fault, and everything when the fault came while bbolt held its own locks.
func (d *DB) broke(f *fault, began, writing bool) error {
	err := core.E(core.StoreDamaged, "the store is damaged: nothing more is written to it", "jarvis daemon restart", f)
	d.mu.Lock()
	if !began {
		d.state = dead
	} else if d.state == sound {
		d.state = readOnly
	}
	if d.why == nil {
		d.why = err
	}
	d.mu.Unlock()
	d.log.Error("Store is damaged", "path", d.path, "writing", writing, "fault", f.Error(), "stack", string(f.stack))
	d.suspect(err)
	return err
}

// suspect leaves a mark beside the database, so that the next Open checks every record before it trusts the file again.
func (d *DB) suspect(cause error) {
	if err := os.WriteFile(suspectPath(d.path), []byte(fullText(cause)+"\n"), 0o600); err != nil {
		d.log.Error("Mark for the next check cannot be written", "path", d.path, "error", err)
	}
}

func suspectPath(db string) string { return db + ".suspect" }

// fullText is an error with its causes, which core.Error keeps from people.
func fullText(err error) string {
	s := err.Error()
	for e := errors.Unwrap(err); e != nil; e = errors.Unwrap(e) {
		s += ": " + e.Error()
	}
	return s
}

// Stats are figures of the file.
type Stats struct {
	Size      int64 // bytes of the file
	PageSize  int   // bytes
	FreePages int   // pages that are unused or become so with the last reader; each commit writes their list
	Commits   int   // write transactions since the store was made
}

// Stats reads the figures; `status` shows them, and `doctor` says by them when compacting is worth it.
func (d *DB) Stats(ctx context.Context) (Stats, error) {
	var s Stats
	err := d.view(ctx, "stats", func(t *tx) error {
		st := t.b.DB().Stats()
		s = Stats{
			PageSize:  t.b.DB().Info().PageSize,
			FreePages: st.FreePageN + st.PendingPageN,
			Commits:   t.b.ID(),
		}
		return nil
	})
	if err != nil {
		return Stats{}, err
	}
	info, err := os.Stat(d.path)
	if err != nil {
		return Stats{}, explain("stats", err)
	}
	s.Size = info.Size()
	return s, nil
}

// HomeID is random and the home's own since its store was first made.
func (d *DB) HomeID() string { return d.homeID }
