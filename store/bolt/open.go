package bolt

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	bbolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"jarvis/core"
)

// newStore is what to type where the store is missing or was put aside: go back to a backup, or start with an empty one.
const newStore = "jarvis daemon start --new-store\njarvis backup restore FILE --replace   # one of: jarvis backup list"

var (
	keySchema = []byte("schema")
	keyHome   = []byte("home")

	errMarker    = errors.New("the file is a database, but not one of ours")
	errEmpty     = errors.New("the file is empty")
	errTruncated = errors.New("the file is shorter than its pages")
)

// Open opens the store, or makes it when the home is new. A damaged file is put aside, never replaced by an empty one
// unless o.New asks for that; core.StoreDamaged says where it lies, core.Conflict that another daemon has the home.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.HomeIDPath == "" {
		o.HomeIDPath = filepath.Join(filepath.Dir(o.Path), "home.id")
	}
	if o.LockPath == "" {
		o.LockPath = o.Path + ".lock"
	}
	if o.LockTimeout == 0 {
		o.LockTimeout = time.Second
	}
	if o.migrations == nil {
		o.migrations = migrations
	}
	if err := os.MkdirAll(filepath.Dir(o.Path), 0o700); err != nil {
		return nil, unusable(o.Path, err)
	}
	lock, pidPath, crashed, err := lockHome(ctx, o)
	if err != nil {
		return nil, err
	}
	d := &DB{fed: make(chan struct{}, 1), crashed: crashed, lock: lock, pidPath: pidPath, path: o.Path, log: o.Log, noSync: o.noSync, wait: o.LockTimeout}
	if err := d.open(ctx, o); err != nil {
		if d.file != nil {
			unlockFile(d.file)
			_ = d.file.Close() // its mapping goes with the process
		}
		if !crashed { // else the next start must still know
			_ = os.Remove(pidPath)
		}
		_ = lock.Unlock()
		return nil, err
	}
	return d, nil
}

// open finds or makes the file and brings it to the current schema. The home's lock is held.
func (d *DB) open(ctx context.Context, o Options) error {
	for _, rest := range []string{".snapshot", compactSuffix} { // of a backup or a compaction that was killed
		_ = os.Remove(o.Path + rest)
	}
	known, err := exists(o.HomeIDPath)
	if err != nil {
		return unusable(o.HomeIDPath, err)
	}
	info, err := os.Stat(o.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if known && !o.New {
			return missing(o.Path)
		}
		return d.create(ctx, o)
	case err != nil:
		return unusable(o.Path, err)
	case !info.Mode().IsRegular(): // no damage: nothing of ours was ever in it
		return irregular(o.Path, nil)
	case info.Size() == 0 && !known: // somebody touched it: nothing can have been in it
		return d.create(ctx, o)
	}
	if info.Size() == 0 {
		err = errEmpty
	} else {
		err = d.load(ctx, o)
	}
	if !isDamage(err) {
		return err
	}
	if d.file != nil {
		unlockFile(d.file)
		_ = d.file.Close()
		d.file = nil
	}
	aside, perr := putAside(o)
	if perr != nil {
		return unusable(o.Path, perr)
	}
	o.Log.Error("Damaged store was put aside", "path", aside, "cause", fullText(err))
	if o.New {
		return d.create(ctx, o)
	}
	return core.E(core.StoreDamaged, "the store was damaged and has been put aside as "+aside, newStore, err)
}

// create makes the database under another name first, so that a file with the right name is always a whole one.
func (d *DB) create(ctx context.Context, o Options) error {
	tmp := o.Path + ".new"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return unusable(tmp, err)
	}
	id, err := readHomeID(o.HomeIDPath)
	if err != nil {
		return unusable(o.HomeIDPath, err)
	}
	if id == "" {
		id = newHomeID()
	}
	b, err := bbolt.Open(tmp, 0o600, boltOptions(d.wait, nil))
	if err != nil {
		return unusable(tmp, err)
	}
	err = b.Update(func(bt *bbolt.Tx) error {
		t := &tx{b: bt}
		if err := makeBuckets(t); err != nil {
			return err
		}
		if err := t.put(bMeta, keyHome, id); err != nil {
			return err
		}
		return t.put(bMeta, keySchema, latest(o.migrations))
	})
	err = errors.Join(err, b.Close())
	if err == nil {
		err = os.Rename(tmp, o.Path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(o.Path))
	}
	if err != nil {
		return unusable(tmp, err)
	}
	_ = os.Remove(suspectPath(o.Path)) // it was about the file before; load checks once more if it stays
	return d.load(ctx, o)
}

// load opens the file, checks that it is whole and ours, and migrates it.
func (d *DB) load(ctx context.Context, o Options) error {
	if err := d.attach(o.Path); err != nil {
		return err
	}
	schema := 0
	err := guard(func() error { return d.b.View(func(bt *bbolt.Tx) error { return d.identify(bt, &schema) }) })
	if err != nil {
		return err
	}
	if err := d.recheck(ctx, o); err != nil {
		return err
	}
	if known, err := exists(o.HomeIDPath); err != nil || !known {
		if err == nil {
			err = writeHomeID(o.HomeIDPath, d.homeID)
		}
		if err != nil {
			return unusable(o.HomeIDPath, err)
		}
	}
	if err := d.migrate(ctx, o, schema); err != nil {
		return err
	}
	return d.eraseRest(ctx)
}

// attach opens the file through bbolt, keeping the descriptor for the case that bbolt panics before it returns.
func (d *DB) attach(path string) error {
	err := guard(func() (err error) {
		d.b, err = bbolt.Open(path, 0o600, boltOptions(d.wait, func(f *os.File) { d.file = f }))
		return err
	})
	switch {
	case err == nil:
		d.b.NoSync = d.noSync
		return nil
	case isDamage(err):
		return err
	case errors.Is(err, berrors.ErrTimeout):
		return core.E(core.Conflict, "another program has the store "+path+" open", "jarvis daemon status", err)
	}
	return unusable(path, err)
}

// identify reads the marker and the home's id, and holds the file's size against its pages.
func (d *DB) identify(bt *bbolt.Tx, schema *int) error {
	info, err := d.file.Stat()
	if err != nil {
		return unusable(d.path, err)
	}
	if info.Size() < bt.Size() {
		return errTruncated
	}
	if err := checkHeaders(d.file, d.b.Info().PageSize); err != nil {
		if !d.crashed {
			return err
		}
		d.log.Warn("The last write before the crash was cut off", "path", d.path, "error", err)
	}
	if bt.Bucket([]byte(bMeta)) == nil {
		return errMarker
	}
	t := &tx{b: bt}
	ok, err := t.get(bMeta, keySchema, schema)
	if err != nil {
		return err
	}
	if !ok || *schema < 1 {
		return errMarker
	}
	_, err = t.get(bMeta, keyHome, &d.homeID)
	return err
}

func makeBuckets(t *tx) error {
	for _, name := range buckets {
		if _, err := t.b.CreateBucketIfNotExists([]byte(name)); err != nil {
			return fmt.Errorf("create bucket %s: %w", name, err)
		}
	}
	return nil
}

func boltOptions(wait time.Duration, opened func(*os.File)) *bbolt.Options {
	return &bbolt.Options{
		Timeout:      wait,
		FreelistType: bbolt.FreelistMapType,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := openRegular(name, flag, mode)
			if err == nil && opened != nil {
				opened(f)
			}
			return f, err
		},
	}
}

// isDamage reports whether err says that the file's content is broken, not that it could not be read.
func isDamage(err error) bool {
	if err == nil {
		return false
	}
	if e := (*core.Error)(nil); errors.As(err, &e) { // judged already, whatever caused it
		return e.Code == core.StoreDamaged
	}
	for _, e := range []error{
		errMarker, errEmpty, errTruncated, errHeader, errRecord, berrors.ErrInvalid, berrors.ErrChecksum, berrors.ErrVersionMismatch,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	f := (*fault)(nil)
	return errors.As(err, &f) || strings.Contains(err.Error(), "file size too small")
}

// putAside renames the damaged file. The home's id is written first: without it the next start would take the home for new.
func putAside(o Options) (string, error) {
	if known, err := exists(o.HomeIDPath); err != nil {
		return "", err
	} else if !known {
		if err := writeHomeID(o.HomeIDPath, newHomeID()); err != nil {
			return "", err
		}
	}
	base := o.Path + ".damaged-" + o.Now().UTC().Format("20060102T150405Z")
	aside := base
	for i := 2; ; i++ {
		taken, err := exists(aside)
		if err != nil {
			return "", err
		}
		if !taken {
			break
		}
		aside = fmt.Sprintf("%s-%d", base, i)
	}
	if err := os.Rename(o.Path, aside); err != nil {
		return "", err
	}
	_ = os.Remove(suspectPath(o.Path)) // it spoke of the file that is gone
	return aside, syncDir(filepath.Dir(o.Path))
}

// missing is a home that had a store: starting empty must be asked for.
func missing(path string) error {
	msg := "the store " + path + " of this home is missing"
	if old, err := filepath.Glob(path + ".damaged-*"); err == nil && len(old) > 0 {
		msg = "the store of this home was damaged and lies in " + slices.Max(old)
	}
	return core.E(core.StoreDamaged, msg, newStore, nil)
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func newHomeID() string {
	raw := make([]byte, 16)
	_, _ = rand.Read(raw) // never fails
	return hex.EncodeToString(raw)
}

func readHomeID(path string) (string, error) {
	text, err := readSmall(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return text, err
}

// writeHomeID writes the id durably, so that a home with a store is never taken for a new one.
func writeHomeID(path, id string) error {
	f, err := openRegular(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(id + "\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}
