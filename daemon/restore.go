package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"jarvis/core"
	"jarvis/daemon/home"
	"jarvis/daemon/offline"
	"jarvis/store"
	"jarvis/store/bolt"
)

// verifyBackup is `jarvis backup verify`.
func verifyBackup(ctx context.Context, file string) (offline.Backup, error) {
	f, err := openBackup(file)
	if err != nil {
		return offline.Backup{}, err
	}
	defer func() { _ = f.Close() }() // only read
	m, err := store.Verify(ctx, f)
	if err != nil {
		return offline.Backup{}, err
	}
	return about(file, m), nil
}

func about(file string, m *store.Manifest) offline.Backup {
	b := offline.Backup{File: file, Made: m.Made, Jarvis: m.Jarvis, Secrets: m.Secrets, Files: len(m.Entries)}
	for _, e := range m.Entries {
		b.Bytes += e.Size
	}
	return b
}

func openBackup(file string) (*os.File, error) {
	f, err := home.OpenRegular(file, os.O_RDONLY, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, core.E(core.NotFound, "there is no file "+file, "jarvis backup list", err)
	case err != nil:
		return nil, core.E(core.BadRequest, file+" cannot be read as a backup", "ls -l "+file, err)
	}
	return f, nil
}

// restoreBackup is `jarvis backup restore`. Nothing of the home is touched before the backup is whole, written out, and known
// to be one that this program can open. The database comes last: a home that was cut off in the middle has an id and no
// store, which a daemon refuses, instead of looking like a new one.
func restoreBackup(ctx context.Context, o offline.RestoreOptions) (offline.Restored, error) {
	f, err := openBackup(o.File)
	if err != nil {
		return offline.Restored{}, err
	}
	defer func() { _ = f.Close() }() // only read
	if err := o.Home.Ensure(); err != nil {
		return offline.Restored{}, err
	}
	release, err := bolt.Hold(ctx, bolt.Options{Path: o.Home.DB, LockPath: o.Home.Lock})
	if err != nil {
		if core.CodeOf(err) == core.Conflict {
			return offline.Restored{}, core.E(core.Conflict, "a daemon has this home open", "jarvis daemon stop", err)
		}
		return offline.Restored{}, err
	}
	defer release()
	r := &restorer{h: o.Home, stamp: time.Now().UTC().Format("20060102T150405Z")}
	if err := r.room(o.Replace, o.File); err != nil {
		return offline.Restored{}, err
	}
	r.staging = filepath.Join(o.Home.Data, "restoring")
	if old, err := filepath.Glob(filepath.Join(o.Home.Data, ".restoring.restoring-*")); err == nil { // of one that was killed
		for _, dir := range append(old, r.staging) {
			_ = os.RemoveAll(dir)
		}
	}
	defer func() { _ = os.RemoveAll(r.staging) }() // empty when all went well
	m, err := store.Restore(ctx, f, r.staging)
	if err != nil {
		return offline.Restored{}, full(err)
	}
	if err := r.check(ctx, m); err != nil {
		return offline.Restored{}, err
	}
	if err := r.swap(m); err != nil {
		return offline.Restored{}, full(err)
	}
	line := core.Audit{Action: "backup.restore", Target: filepath.Base(o.File), OK: true, Details: map[string]any{"made": m.Made, "replaced": len(r.aside) > 0}}
	done := offline.Restored{Backup: about(o.File, m), Home: o.Home.Data, Aside: r.aside}
	if err := recordOffline(ctx, o.Home, line); err != nil { // it is done all the same
		done.Warning = "It could not be written into the audit file: " + err.Error()
	}
	return done, nil
}

// full gives a system's error a sentence.
func full(err error) error {
	var e *core.Error
	switch {
	case errors.As(err, &e), errors.Is(err, context.Canceled):
		return err
	case diskFull(err):
		return core.E(core.Internal, "the disk is full: nothing was restored", "df -h", err)
	}
	return core.E(core.Internal, "the backup cannot be restored: "+err.Error(), "jarvis daemon status", err)
}

// diskFull reports whether the disk, the quota or the allowed size of a file is used up.
func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

type restorer struct {
	h       home.Home
	stamp   string
	staging string
	aside   []string    // folders that took the old parts
	moved   [][2]string // from, to: what a failure moves back
	id      []byte      // the old home's; nil = it had none
	step    func()      // called after each move; nil = nobody looks
}

// derived is made from the database, and is another's after a restore.
func derived() []part {
	var list []part
	for _, name := range []string{"index", "rag.db", "jarvis.db.suspect", "audit.anchor"} {
		list = append(list, part{name: name, path: func(h home.Home) string { return filepath.Join(h.Data, name) }})
	}
	return list
}

// room refuses a home that has something in it.
func (r *restorer) room(replace bool, file string) error {
	if replace {
		return nil
	}
	for _, p := range backupParts() {
		where := p.path(r.h)
		info, err := os.Lstat(where)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && info.IsDir() {
			list, lerr := os.ReadDir(where)
			if lerr == nil && !slices.ContainsFunc(list, func(e fs.DirEntry) bool { return e.Name() != "tmp" }) {
				continue
			}
		}
		return core.E(core.Conflict, "the home is not empty: there is "+where, "jarvis backup restore "+file+" --replace   # keeps the old one aside", err)
	}
	return nil
}

// check refuses what this program cannot open or does not know.
func (r *restorer) check(ctx context.Context, m *store.Manifest) error {
	known := map[string]bool{}
	for _, p := range backupParts() {
		known[p.name] = true
	}
	for _, e := range m.Entries {
		if top, _, _ := strings.Cut(e.Name, "/"); !known[top] {
			return core.E(core.Unsupported, "the backup holds "+core.Printable(top)+", which this jarvis does not know", "jarvis version", nil)
		}
	}
	for _, must := range []string{"jarvis.db", "home.id"} {
		if info, err := os.Lstat(filepath.Join(r.staging, must)); err != nil || !info.Mode().IsRegular() {
			return core.E(core.BadRequest, "the backup is none of a home: it has no "+must, "jarvis backup list", err)
		}
	}
	_, err := bolt.Verify(ctx, filepath.Join(r.staging, "jarvis.db"))
	if core.CodeOf(err) == core.StoreDamaged {
		return core.E(core.BadRequest, "the database in the backup is damaged", "jarvis backup list", err)
	}
	return err
}

// swap moves the old parts aside and the new ones in; when something fails, everything goes back.
func (r *restorer) swap(m *store.Manifest) (err error) {
	defer func() {
		if err != nil {
			for _, mv := range slices.Backward(r.moved) {
				err = errors.Join(err, move(mv[1], mv[0]))
			}
			err = errors.Join(err, r.giveIDBack())
		}
	}()
	list := backupParts()
	slices.Reverse(list) // the database last
	at := slices.IndexFunc(list, func(p part) bool { return p.name == "home.id" })
	id := list[at]
	// The id of the home is never missing.
	if err := r.keepID(id); err != nil {
		return err
	}
	for _, p := range append(slices.Delete(slices.Clone(list), at, at+1), derived()...) {
		if p.keys && !m.Secrets { // they are not in the backup: those that are here stay in force
			continue
		}
		if err := r.putAside(p); err != nil {
			return err
		}
	}
	// The id first: whoever finds it without a store does not take the home for a new one.
	for _, p := range append([]part{id}, slices.Delete(slices.Clone(list), at, at+1)...) {
		from := filepath.Join(r.staging, p.name)
		if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if p.name == "jarvis.db" { // it must not be there before all that it names is, also after a power cut
			if err := r.sync(); err != nil {
				return err
			}
		}
		if err := r.move(from, p.path(r.h)); err != nil {
			return err
		}
	}
	if err := r.sync(); err != nil {
		return err
	}
	return r.h.Ensure() // the folders that were moved
}

// sync makes what was moved durable.
func (r *restorer) sync() error {
	for _, dir := range []string{r.h.Data, r.h.ConfigDir} {
		if err := syncFolder(dir); err != nil {
			return err
		}
	}
	return nil
}

func (r *restorer) move(from, to string) error {
	if err := move(from, to); err != nil {
		return err
	}
	r.moved = append(r.moved, [2]string{from, to})
	if r.step != nil {
		r.step()
	}
	return nil
}

// asideOf is the folder beside a part that takes it.
func (r *restorer) asideOf(where string) (string, error) {
	for _, dir := range r.aside {
		if filepath.Dir(dir) == filepath.Dir(where) {
			return dir, nil
		}
	}
	base := filepath.Join(filepath.Dir(where), "replaced-"+r.stamp)
	for i := 1; ; i++ {
		dir := base
		if i > 1 {
			dir = fmt.Sprintf("%s-%d", base, i)
		}
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			r.aside = append(r.aside, dir)
		}
		if !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}

func (r *restorer) putAside(p part) error {
	where := p.path(r.h)
	info, err := os.Lstat(where)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() && os.Remove(where) == nil { // it was empty
		return nil
	}
	dir, err := r.asideOf(where)
	if err != nil {
		return err
	}
	return r.move(where, filepath.Join(dir, p.name))
}

// keepID copies the old id, so that the new one can be renamed over it.
func (r *restorer) keepID(p part) error {
	old, err := home.ReadRegular(p.path(r.h), 4096)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	dir, err := r.asideOf(p.path(r.h))
	if err != nil {
		return err
	}
	r.id = old
	return home.WriteFile(filepath.Join(dir, p.name), old)
}

// giveIDBack writes the old id again after everything else has gone back, and removes the folders that took it.
func (r *restorer) giveIDBack() error {
	if r.id == nil {
		return nil
	}
	err := home.WriteFile(r.h.ID, r.id)
	for _, dir := range r.aside {
		_ = os.Remove(filepath.Join(dir, "home.id"))
		_ = os.Remove(dir) // it stays when something is still in it
	}
	return err
}

// move renames, and copies where configuration and data lie on two file systems.
func move(from, to string) error {
	err := os.Rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	tmp := to + ".restoring"
	_ = os.RemoveAll(tmp)
	if err := copyTree(from, tmp); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	if err := os.Rename(tmp, to); err != nil {
		return err
	}
	return os.RemoveAll(from)
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if e.IsDir() {
			return os.Mkdir(target, 0o700)
		}
		src, err := home.OpenRegular(file, os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer func() { _ = src.Close() }() // only read
		info, err := src.Stat()
		if err != nil {
			return err
		}
		dst, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
		if err != nil {
			return err
		}
		_, err = io.Copy(dst, src)
		if err = errors.Join(err, dst.Sync(), dst.Close()); err != nil {
			return fmt.Errorf("copy %s: %w", rel, err)
		}
		return nil
	})
}
