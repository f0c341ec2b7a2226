package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
	"jarvis/store"
	"jarvis/store/bolt"
)

// part is a file or folder of the home that a backup holds, under the same name as in a flat home.
type part struct {
	name string
	path func(home.Home) string
	keys bool // it holds keys, and is left out of a backup without them
}

// parts of a backup, in its order: the database first, then what it names, so that nothing that it names is missing. Indexes,
// models, logs and other backups are made again or fetched again.
func backupParts() []part {
	data := func(name string) part {
		return part{name: name, path: func(h home.Home) string { return filepath.Join(h.Data, name) }}
	}
	return []part{
		{name: "jarvis.db", path: func(h home.Home) string { return h.DB }},
		{name: "blobs", path: func(h home.Home) string { return h.Blobs }},
		{name: "runs", path: func(h home.Home) string { return h.Runs }},
		{name: "config.yaml", path: func(h home.Home) string { return h.Config }},
		{name: "mcp.json", path: func(h home.Home) string { return h.MCP }, keys: true},
		{name: "commands", path: func(h home.Home) string { return h.Commands }},
		{name: "secrets", path: func(h home.Home) string { return h.Secrets }, keys: true},
		data("agents"), data("projects"), data("users"), data("skills"), data("plugins"), data("images"),
		{name: "home.id", path: func(h home.Home) string { return h.ID }},
		// In this order, and no file is put aside meanwhile. The anchor is made anew: it would be that of a later line.
		data("audit.jsonl"), data("audit"),
	}
}

// backups makes backups of the running daemon, one at a time.
type backups struct {
	d  *daemon
	mu sync.Mutex // held while one is made: no blob is swept meanwhile
}

// Create writes a backup of the whole home.
func (b *backups) Create(ctx context.Context, w io.Writer, secrets bool) error {
	if !b.mu.TryLock() {
		return core.E(core.Conflict, "another backup is being made, or old files are being removed", "jarvis backup create   # a little later", nil)
	}
	defer b.mu.Unlock()
	defer b.d.audit.Hold()()
	h := b.d.o.Home
	copied := h.DB + ".snapshot"
	if err := os.Remove(copied); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	start := time.Now()
	if err := b.d.db.Snapshot(ctx, copied); err != nil {
		return err
	}
	defer func() { _ = os.Remove(copied) }() // the next backup would too
	w = &pacer{ctx: ctx, w: w}
	m := &store.Manifest{Made: start.UTC().Format(time.RFC3339), Jarvis: api.Version(), Secrets: secrets}
	l := &lister{h: h, db: copied, secrets: secrets}
	if !secrets {
		var err error
		if l.config, err = redacted(h.Config); err != nil {
			return err
		}
	}
	if err := store.Create(ctx, w, m, l.all); err != nil {
		return err
	}
	b.d.log.Info("Backup made", "files", len(m.Entries), "secrets", secrets, "ms", time.Since(start).Milliseconds())
	return nil
}

// Compact writes the store anew without its free pages, while it is used.
func (b *backups) Compact(ctx context.Context) (api.Compacted, error) {
	if !b.mu.TryLock() { // a backup's copy would hold both files
		return api.Compacted{}, core.E(core.Conflict, "a backup is being made, or old files are being removed", "jarvis backup compact   # a little later", nil)
	}
	defer b.mu.Unlock()
	c, err := b.d.db.Compact(ctx)
	if err != nil {
		return api.Compacted{}, err
	}
	b.d.log.Info("Store compacted", "before", c.Before, "after", c.After, "pause_ms", c.Pause.Milliseconds())
	return api.Compacted{Before: c.Before, After: c.After, PauseMS: c.Pause.Milliseconds()}, nil
}

// spare is what stays free beside a backup, for those who write meanwhile.
const spare = 64 << 20 // bytes

// room refuses to begin a backup in the home that its disk has no room for, the copy of the store included.
func (b *backups) room() error {
	h := b.d.o.Home
	l := &lister{h: h, db: h.DB, secrets: true}
	var err error
	for _, serr := range l.all {
		err = errors.Join(err, serr)
	}
	if err != nil {
		return fmt.Errorf("list files: %w", err)
	}
	need := uint64(l.bytes) + spare
	if info, err := os.Stat(h.DB); err == nil {
		need += uint64(info.Size())
	}
	free, err := bolt.Room(h.Data)
	if err != nil {
		return fmt.Errorf("look at the disk: %w", err)
	}
	if free < need {
		return core.E(core.Internal, fmt.Sprintf("the backup needs %d MiB of free disk, and there are %d", need>>20+1, free>>20), "df -h "+h.Data, nil)
	}
	return nil
}

// busy reports whether a backup is being made.
func (b *backups) busy() bool {
	if !b.mu.TryLock() {
		return true
	}
	b.mu.Unlock()
	return false
}

// The pace of a backup: a heap of writes in one go is what everybody else's would wait behind. Who reads it syncs at each step.
const (
	paceStep = 4 << 20  // bytes
	paceRate = 64 << 20 // bytes a second
)

// pacer waits after each step until the rate allows the next.
type pacer struct {
	ctx context.Context //nolint:containedctx // of the one call
	w   io.Writer
	n   int64 // bytes since the last wait
}

func (p *pacer) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	if p.n += int64(n); err != nil || p.n < paceStep {
		return n, err
	}
	pause := time.Duration(p.n) * time.Second / paceRate
	p.n = 0
	select {
	case <-p.ctx.Done():
		return n, p.ctx.Err()
	case <-time.After(pause):
		return n, nil
	}
}

// redacted is the configuration without keys; an empty one when there is none.
func redacted(file string) ([]byte, error) {
	text, err := home.ReadRegular(file, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, core.E(core.Internal, file+" cannot be read", "ls -l "+file, err)
	}
	return config.Redact(file, text)
}

// lister yields the files of a home as a backup's sources.
type lister struct {
	h       home.Home
	db      string // the copy that stands for the database
	secrets bool
	config  []byte // that stands for the configuration when there are to be no secrets
	bytes   int64  // of the files listed
}

func (l *lister) all(yield func(store.Source, error) bool) {
	for _, p := range backupParts() {
		if p.keys && !l.secrets {
			continue
		}
		if !l.part(p, yield) {
			return
		}
	}
}

func (l *lister) part(p part, yield func(store.Source, error) bool) bool {
	where := p.path(l.h)
	switch {
	case p.name == "jarvis.db":
		where = l.db
	case p.name == "config.yaml" && !l.secrets:
		return yield(store.Source{Name: p.name, Mode: 0o600, Open: func() (io.ReadCloser, int64, error) {
			return io.NopCloser(bytes.NewReader(l.config)), int64(len(l.config)), nil
		}}, nil)
	}
	info, err := os.Stat(where) // a person may keep these elsewhere, with a link here
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true
	case err != nil:
		return yield(store.Source{}, err)
	case !info.IsDir():
		return yield(l.source(p.name, where, info), nil)
	}
	more := true
	err = filepath.WalkDir(where+string(filepath.Separator), func(file string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // removed since its folder was read
			return nil
		}
		if err != nil {
			return err
		}
		name := path.Join(p.name, filepath.ToSlash(strings.TrimPrefix(file, where+string(filepath.Separator))))
		if e.IsDir() {
			if name == "blobs/tmp" { // half written
				return fs.SkipDir
			}
			return nil
		}
		// Links lead out of the home, but a key may well be one.
		if !l.secrets && dotEnv(e.Name()) {
			return nil
		}
		info, err := e.Info()
		if err == nil && p.name == "secrets" {
			info, err = os.Stat(file)
		}
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			return nil
		}
		if err != nil {
			return err
		}
		if more = yield(l.source(name, file, info), nil); !more {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil && more {
		return yield(store.Source{}, err)
	}
	return more
}

// dotEnv reports whether a file is one of those that hold keys by custom.
func dotEnv(name string) bool {
	return name == ".env" || strings.HasPrefix(name, ".env.") || strings.HasSuffix(name, ".env")
}

func (l *lister) source(name, file string, info fs.FileInfo) store.Source {
	l.bytes += info.Size()
	return store.Source{Name: name, Mode: info.Mode().Perm(), Open: func() (io.ReadCloser, int64, error) {
		f, err := home.OpenRegular(file, os.O_RDONLY, 0)
		if err != nil {
			return nil, 0, err
		}
		now, err := f.Stat()
		if err != nil {
			return nil, 0, errors.Join(fmt.Errorf("stat %s: %w", name, err), f.Close())
		}
		return f, now.Size(), nil
	}}
}
