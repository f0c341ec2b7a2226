package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
	bbolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"jarvis/core"
)

// Look is what Inspect saw of a store.
type Look struct {
	Held    bool      // a daemon has the home: nothing else was looked at
	PID     int       // of that daemon; 0 = not known
	Missing bool      // there is no database
	Used    bool      // the home has had one
	Crashed bool      // the last daemon did not close it
	Suspect bool      // the last daemon met damage: its next start checks every record
	Size    int64     // bytes
	Free    int64     // bytes of it that hold nothing
	Schema  int       // of the file
	Latest  int       // the schema of this build
	Bad     int       // records whose checksum does not match
	Newest  time.Time // when the newest session was last changed; zero = there is none
}

// inspectWait is how long another program may keep the file.
const inspectWait = time.Second

// Inspect checks a store without a daemon and changes nothing: it makes no file, migrates nothing and puts nothing aside.
// core.StoreDamaged says that the file as a whole is broken; single broken records are counted. A daemon that starts
// meanwhile waits for the end.
func Inspect(ctx context.Context, o Options) (Look, error) {
	if o.HomeIDPath == "" {
		o.HomeIDPath = filepath.Join(filepath.Dir(o.Path), "home.id")
	}
	if o.LockPath == "" {
		o.LockPath = o.Path + ".lock"
	}
	l := Look{Latest: latest(migrations)}
	var err error
	if l.Held, err = held(o.LockPath); err != nil {
		return l, err
	}
	pidPath := o.Path + ".pid"
	if l.Held {
		if text, err := readSmall(pidPath); err == nil {
			l.PID, _ = strconv.Atoi(text) // not known otherwise
		}
		return l, nil
	}
	for path, there := range map[string]*bool{o.HomeIDPath: &l.Used, pidPath: &l.Crashed, suspectPath(o.Path): &l.Suspect} {
		if *there, err = exists(path); err != nil {
			return l, unusable(path, err)
		}
	}
	info, err := os.Stat(o.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.Missing = true
		if l.Used {
			return l, missing(o.Path)
		}
		return l, nil
	case err != nil:
		return l, unusable(o.Path, err)
	case !info.Mode().IsRegular():
		return l, irregular(o.Path, nil)
	case info.Size() == 0 && !l.Used:
		l.Missing = true
		return l, nil
	case info.Size() == 0:
		return l, wholeDamage(errEmpty)
	}
	l.Size = info.Size()
	return l, l.read(ctx, o.Path)
}

// held reports whether a daemon has the lock on the home. It makes no lock file.
func held(path string) (bool, error) {
	f, err := openRegular(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, unusable(path, err)
	}
	_ = f.Close() // only looked at
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	ok, err := l.TryRLock()
	if err != nil {
		return false, unusable(path, fmt.Errorf("look at lock: %w", err))
	}
	_ = l.Close()
	return !ok, nil
}

func (l *Look) read(ctx context.Context, path string) (err error) {
	d := &DB{path: path, log: slog.New(slog.DiscardHandler), crashed: l.Crashed}
	opts := boltOptions(inspectWait, func(f *os.File) { d.file = f })
	opts.ReadOnly = true
	opts.PreLoadFreelist = true // here, where a fault is caught, and not in the goroutine of bbolt's check
	err = guard(func() (err error) {
		d.b, err = bbolt.Open(path, 0, opts)
		return err
	})
	if err != nil {
		if d.file != nil {
			unlockFile(d.file)
			_ = d.file.Close()
		}
		if errors.Is(err, berrors.ErrTimeout) {
			return core.E(core.Conflict, "another program has the store "+path+" open", "jarvis daemon status", err)
		}
		return judge(path, err)
	}
	err = guard(func() error { return d.b.View(func(bt *bbolt.Tx) error { return l.facts(d, bt) }) })
	if err == nil {
		l.Bad, _, err = d.check(ctx)
	}
	if f := (*fault)(nil); errors.As(err, &f) { // bbolt's Close would wait for locks that the fault left behind
		unlockFile(d.file)
		_ = d.file.Close()
	} else if cerr := d.b.Close(); err == nil && cerr != nil {
		err = cerr
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return judge(path, err)
}

func (l *Look) facts(d *DB, bt *bbolt.Tx) error {
	if err := d.identify(bt, &l.Schema); err != nil {
		return err
	}
	if l.Schema > l.Latest {
		return core.E(core.Unsupported,
			fmt.Sprintf("the store was written by a newer jarvis (schema %d, this one knows %d)", l.Schema, l.Latest), "jarvis version", nil)
	}
	l.Newest = newestChange(bt)
	l.Free = int64(d.b.Stats().FreePageN) * int64(d.b.Info().PageSize)
	return nil
}

// newestChange is when a session was last changed: a user's list of all, hidden ones too, has the newest first.
func newestChange(bt *bbolt.Tx) time.Time {
	var newest time.Time
	note := func(part []byte) {
		if t, err := fromNewest(part); err == nil && t.After(newest) {
			newest = t
		}
	}
	if b := bt.Bucket([]byte(bUser)); b != nil {
		c := b.Cursor()
		for k, _ := c.First(); k != nil; {
			parts, err := splitKey(k)
			if err != nil || len(parts) != 4 {
				break // the check of the records is what says so
			}
			note(parts[2])
			next := after(key(parts[0], parts[1]))
			if next == nil {
				break
			}
			k, _ = c.Seek(next)
		}
	}
	return newest
}

// judge makes what people read of what reading a database said.
func judge(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case isDamage(err):
		return wholeDamage(err)
	}
	return unusable(path, err)
}

func wholeDamage(cause error) error {
	if e := (*core.Error)(nil); errors.As(cause, &e) {
		return cause
	}
	return core.E(core.StoreDamaged, "the store is damaged", newStore, cause)
}
