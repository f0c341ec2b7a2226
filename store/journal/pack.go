package journal

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jarvis/core"
)

const (
	packedSuffix  = suffix + ".gz"
	packingSuffix = ".packing"
)

// source is what a reader reads, a journal as it was written or a packed one.
type source interface {
	io.ReaderAt
	io.Closer
}

func openSource(path string) (source, error) {
	f, err := openRegular(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(path, packedSuffix) {
		return &packed{f: f}, nil
	}
	return f, nil
}

// packed reads a packed journal at the offsets that it had. Going back starts over; readers go forward.
type packed struct {
	f   *os.File
	z   *gzip.Reader
	off int64 // of z
	err error
}

// ReadAt reads what stood at off. What cannot be unpacked or does not fit its checksum is an error, and gives nothing.
func (p *packed) ReadAt(b []byte, off int64) (n int, err error) {
	if p.z == nil || off < p.off {
		if _, err := p.f.Seek(0, io.SeekStart); err != nil {
			return 0, err
		}
		if p.z == nil {
			p.z, err = gzip.NewReader(p.f)
		} else {
			err = p.z.Reset(p.f)
		}
		if p.off, p.err = 0, err; err != nil {
			p.z = nil
			return 0, unpacking(err)
		}
	}
	if p.err == nil && off > p.off {
		skipped, err := io.CopyN(io.Discard, p.z, off-p.off)
		p.off, p.err = p.off+skipped, err
	}
	for n < len(b) && p.err == nil {
		var m int
		m, p.err = p.z.Read(b[n:])
		n += m
		p.off += int64(m)
	}
	switch {
	case p.err == nil, errors.Is(p.err, io.EOF) && !errors.Is(p.err, io.ErrUnexpectedEOF):
		return n, p.err
	}
	return 0, unpacking(p.err)
}

// unpacking keeps a file that is cut off from looking like one that ends.
func unpacking(err error) error { return fmt.Errorf("unpack journal: %v", err) } //nolint:errorlint // io.EOF must not be found in it

func (p *packed) Close() error { return p.f.Close() }

// openPacked opens a packed journal as one that is sealed: nothing can be appended. s.mu is held.
func (d *Dir) openPacked(s *stream) error {
	src, err := openSource(s.path)
	if err != nil {
		return err
	}
	end, err := findEnd(src, math.MaxInt64, d.o.MaxLine)
	if cerr := src.Close(); err == nil {
		err = cerr
	}
	if err == nil && (end.damaged || !end.sealed) {
		err = errLine
	}
	if err != nil {
		return core.E(core.StoreDamaged, "the packed journal of chain "+core.Short(string(s.id))+" is damaged", "jarvis session list", err)
	}
	if s.f, err = openRegular(s.path, os.O_RDONLY, 0); err != nil {
		return err
	}
	s.size, s.last, s.sealed, s.known = end.size, end.last, true, true
	return d.ledger.sealed(s.id)
}

// idOf is the chain of a journal's file, "" when the file is none.
func idOf(name string) core.ChainID {
	base, ok := strings.CutSuffix(name, packedSuffix)
	if !ok {
		base, ok = strings.CutSuffix(name, suffix)
	}
	if !ok || !core.ValidUUID(base) {
		return ""
	}
	return core.ChainID(base)
}

// filesOf are all files that a journal may have, whichever of them was found.
func filesOf(path string) []string {
	plain := strings.TrimSuffix(path, ".gz")
	return []string{plain, plain + damagedSuffix, plain + ".gz", plain + packingSuffix}
}

// Pack compresses sealed journals that nothing was written to for a while and that nobody reads. Readers do not notice. A crash
// at any moment leaves the journal, packed or not or both.
func (d *Dir) Pack(ctx context.Context, idle time.Duration) (n int, saved int64, err error) {
	d.mu.Lock()
	months := slices.Clone(d.months)
	d.mu.Unlock()
	for _, m := range months {
		dir := filepath.Join(d.root, m)
		err := someFiles(ctx, dir, func(e fs.DirEntry) error {
			if strings.HasSuffix(e.Name(), packingSuffix) { // of one that was killed
				return ignoreMissing(os.Remove(filepath.Join(dir, e.Name())))
			}
			id := idOf(e.Name())
			if id == "" || strings.HasSuffix(e.Name(), packedSuffix) || d.busy(id) {
				return nil
			}
			info, err := e.Info()
			if err != nil || d.o.Now().Sub(info.ModTime()) < idle {
				return ignoreMissing(err)
			}
			path := filepath.Join(dir, e.Name())
			if sealed, err := sealedFile(path); err != nil || !sealed {
				return nil //nolint:nilerr // one that cannot be read is doctor's matter
			}
			less, err := d.pack(id, path, info)
			if err != nil {
				return err
			}
			if less != 0 {
				n++
				saved += less
			}
			return nil
		})
		if err != nil {
			return n, saved, fmt.Errorf("pack journals: %w", err)
		}
	}
	return n, saved, nil
}

// someFiles calls fn for a folder's entries, some at a time: a month may have a million.
func someFiles(ctx context.Context, dir string, fn func(fs.DirEntry) error) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	for {
		entries, err := f.ReadDir(1000)
		for _, e := range entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(e); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// pack writes the packed journal beside the other, reads it back, and only then takes the other away. 0 = it was left.
func (d *Dir) pack(id core.ChainID, path string, info fs.FileInfo) (saved int64, err error) {
	tmp, to := path+packingSuffix, path+".gz"
	size, err := compress(path, tmp)
	if err == nil {
		err = os.Chtimes(tmp, time.Time{}, info.ModTime()) // the oldest go first
	}
	if err != nil {
		_ = os.Remove(tmp)
		return 0, ignoreMissing(explain("pack journal", err))
	}
	d.mu.Lock()
	// The journal may have been removed meanwhile, and its packed form with it; or somebody reads it now.
	placed := false
	if _, err = os.Lstat(path); err == nil && d.streams[id] == nil {
		err = os.Rename(tmp, to)
		placed = err == nil
	}
	d.mu.Unlock()
	if !placed {
		_ = os.Remove(tmp)
		return 0, ignoreMissing(err)
	}
	syncDir(filepath.Dir(path)) // the new name before the old one goes
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.streams[id] != nil { // somebody has begun to read: the next time
		return 0, nil
	}
	if err := os.Remove(path); err != nil {
		return 0, ignoreMissing(err)
	}
	return info.Size() - size, nil
}

// compress writes a packed copy, synced, and compares what can be read of it with what was written.
func compress(from, to string) (size int64, err error) {
	src, err := openRegular(from, os.O_RDONLY, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = src.Close() }() // only read
	f, err := openRegular(to, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	was, is := sha256.New(), sha256.New()
	z := gzip.NewWriter(f)
	n, err := io.Copy(io.MultiWriter(z, was), src)
	if err = errors.Join(err, z.Close()); err != nil {
		return 0, err
	}
	if err := f.Sync(); err != nil {
		return 0, err
	}
	if size, err = f.Seek(0, io.SeekEnd); err != nil {
		return 0, err
	}
	back := &packed{f: f}
	m, err := io.Copy(is, io.NewSectionReader(back, 0, math.MaxInt64))
	if err != nil {
		return 0, err
	}
	if m != n || [sha256.Size]byte(was.Sum(nil)) != [sha256.Size]byte(is.Sum(nil)) {
		return 0, errors.New("the packed journal is not the one that was packed")
	}
	return size, nil
}

func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync() // not every file system can
		_ = f.Close()
	}
}
