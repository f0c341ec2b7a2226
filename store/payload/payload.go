// Package payload keeps what was sent to models and what came back, for people who look for a fault: one file a chain, made of
// its journal when the chain has ended, without secrets. Nothing reads these files but people; whoever erases a chain removes
// its file. It imports nothing of ours but core.
package payload

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"jarvis/core"
)

const (
	suffix       = ".jsonl"
	packedSuffix = ".jsonl.gz"
	newSuffix    = ".new"

	defaultLimit = 256 << 20
	defaultFile  = 16 << 20
)

// Options of a Log. Dir, Lines and Redact must be given.
type Options struct {
	Dir string
	// Lines yields a journal's lines; core.NotFound when there is none.
	Lines func(ctx context.Context, id core.ChainID) iter.Seq2[[]byte, error]
	// Redact gives what takes secrets out of texts, of one file.
	Redact  func() func(string) string
	Limit   int64 // bytes of all files; the oldest go; 0 = 256 MiB
	MaxFile int64 // bytes of one before it is compressed; the rest is left out; 0 = 16 MiB
}

// Log is the folder. It is safe for concurrent use; one process owns the folder.
type Log struct {
	o Options

	mu    sync.Mutex // guards what follows, and is held over every change, so that nothing is written of what is being erased
	known bool
	total int64
}

// New makes no folder before there is something to keep.
func New(o Options) *Log {
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	if o.MaxFile == 0 {
		o.MaxFile = defaultFile
	}
	return &Log{o: o}
}

// Write makes the file of a chain anew. A chain whose journal is gone has none; one that asked no model has none either.
func (l *Log) Write(ctx context.Context, id core.ChainID, packed bool) error {
	if !core.ValidUUID(string(id)) { // it becomes a file's name
		return core.E(core.NotFound, "there is no such chain", "", nil)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.write(ctx, id, packed); core.CodeOf(err) != core.NotFound && err != nil {
		return fmt.Errorf("write payloads: %w", err)
	}
	if err := l.sweep(); err != nil {
		return fmt.Errorf("sweep payloads: %w", err)
	}
	return nil
}

func (l *Log) write(ctx context.Context, id core.ChainID, packed bool) (err error) {
	if err := os.MkdirAll(l.o.Dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(l.o.Dir, string(id))
	f, err := os.OpenFile(path+newSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	var z *gzip.Writer
	w := &writer{out: f, left: l.o.MaxFile}
	if packed {
		z = gzip.NewWriter(f)
		w.out = z
	}
	err = l.view(ctx, id, w)
	if z != nil {
		err = errors.Join(err, z.Close())
	}
	if err = errors.Join(err, f.Close()); err != nil || w.lines == 0 {
		return errors.Join(err, os.Remove(path+newSuffix))
	}
	if err := l.remove(id); err != nil {
		return err
	}
	end := suffix
	if packed {
		end = packedSuffix
	}
	if err := os.Rename(path+newSuffix, path+end); err != nil {
		return err
	}
	if info, err := os.Stat(path + end); err == nil {
		l.total += info.Size()
	}
	return nil
}

// view takes a chain's lines apart.
func (l *Log) view(ctx context.Context, id core.ChainID, w *writer) error {
	v := &view{w: w, redact: l.o.Redact(), seen: map[string][]byte{}}
	for line, err := range l.o.Lines(ctx, id) {
		if err != nil {
			return err
		}
		if err := v.line(line); err != nil {
			return err
		}
		if w.left <= 0 {
			return nil
		}
	}
	return v.answer()
}

// Remove erases the files of chains; those that are not there are no error.
func (l *Log) Remove(ctx context.Context, ids ...core.ChainID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("remove payloads: %w", err)
		}
		if !core.ValidUUID(string(id)) {
			continue
		}
		if err := l.remove(id); err != nil {
			return fmt.Errorf("remove payloads: %w", err)
		}
	}
	return nil
}

// remove erases the file of a chain. l.mu is held.
func (l *Log) remove(id core.ChainID) error {
	for _, end := range []string{suffix, packedSuffix} {
		path := filepath.Join(l.o.Dir, string(id)+end)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.Remove(path)
		}
		if err != nil {
			return err
		}
		l.total -= info.Size()
	}
	return nil
}

// sweep removes the oldest files beyond the limit, some at once: the next one costs nothing. It looks at the folder at the first
// time and when there is too much. l.mu is held, so that no file is half written but by a daemon that died.
func (l *Log) sweep() error {
	if l.known && l.total <= l.o.Limit {
		return nil
	}
	entries, err := os.ReadDir(l.o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		l.known, l.total = true, 0
		return nil
	}
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	l.total = 0
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if strings.HasSuffix(e.Name(), newSuffix) {
			_ = os.Remove(filepath.Join(l.o.Dir, e.Name()))
			continue
		}
		l.total += info.Size()
		files = append(files, info)
	}
	l.known = true
	if l.total <= l.o.Limit {
		return nil
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, info := range files {
		if l.total <= l.o.Limit/10*9 {
			break
		}
		if err := os.Remove(filepath.Join(l.o.Dir, info.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		l.total -= info.Size()
	}
	return nil
}

// writer writes lines until it has no room left.
type writer struct {
	out   io.Writer
	left  int64
	lines int
}

const cutLine = `{"type":"cut","text":"the rest is too large for this file; it is in the journal"}` + "\n"

func (w *writer) line(b []byte) error {
	if w.left <= 0 {
		return nil
	}
	if int64(len(b))+1 > w.left {
		return w.cut()
	}
	w.left -= int64(len(b)) + 1
	w.lines++
	_, err := w.out.Write(append(b, '\n'))
	return err
}

// cut says that something was left out, and ends the file.
func (w *writer) cut() error {
	w.left = 0
	w.lines++
	_, err := io.WriteString(w.out, cutLine)
	return err
}
