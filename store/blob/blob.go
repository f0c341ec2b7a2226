// Package blob keeps attachments and images as files named by the SHA-256 of their content. It knows no records: who names
// a blob, and who may read it, is the store's to say. It may import nothing of ours but core.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"jarvis/core"
)

// Store is a folder of blobs: <first two digits>/<digest>. It is safe for concurrent use; one process owns the folder.
type Store struct {
	dir string
	max int64
	now func() time.Time

	mu sync.RWMutex // held for reading while a blob gets its name, for writing while one is swept
}

// Options bound a store. The zero value has no bound and uses the system's clock.
type Options struct {
	MaxSize int64            // bytes of one blob; 0 = no bound
	Now     func() time.Time // nil = time.Now
}

const tmpDir = "tmp"

// Open makes the folder when it is missing and removes what a crash left half written.
func Open(dir string, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	tmp := filepath.Join(dir, tmpDir)
	if err := os.RemoveAll(tmp); err != nil {
		return nil, fmt.Errorf("open blobs: %w", err)
	}
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return nil, fmt.Errorf("open blobs: %w", err)
	}
	return &Store{dir: dir, max: o.MaxSize, now: o.Now}, nil
}

// Put stores what r gives and returns its digest and size in bytes; the same content twice is one file. It is durable when
// Put returns. core.TooLarge when it exceeds the bound, before more than that is read.
func (s *Store) Put(ctx context.Context, r io.Reader) (core.Digest, int64, error) {
	f, err := os.CreateTemp(filepath.Join(s.dir, tmpDir), "put-")
	if err != nil {
		return "", 0, explain("put blob", err)
	}
	d, n, err := s.fill(ctx, f, r)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = s.name(f.Name(), d, n)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error that counts is the first one; Open sweeps what stays
		return "", 0, explain("put blob", err)
	}
	return d, n, nil
}

func (s *Store) fill(ctx context.Context, f *os.File, r io.Reader) (core.Digest, int64, error) {
	src := io.Reader(ctxReader{ctx.Err, r})
	if s.max > 0 {
		src = io.LimitReader(src, s.max+1)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, h), src)
	if err != nil {
		return "", 0, err
	}
	if s.max > 0 && n > s.max {
		return "", 0, core.E(core.TooLarge, fmt.Sprintf("the attachment is larger than %d MiB", s.max>>20), "", nil)
	}
	return core.Digest(hex.EncodeToString(h.Sum(nil))), n, f.Sync()
}

// name gives a finished temporary file its place. One that is there already only gets a new time, which keeps the sweep away
// until a record can name it.
func (s *Store) name(tmp string, d core.Digest, size int64) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	path := s.path(d)
	if info, err := os.Stat(path); err == nil && info.Size() == size {
		now := s.now()
		return errors.Join(os.Chtimes(path, now, now), os.Remove(tmp))
	}
	dir := filepath.Dir(path)
	if err := os.Mkdir(dir, 0o700); err == nil {
		if err := syncDir(s.dir); err != nil {
			return err
		}
	} else if !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return syncDir(dir)
}

// Get opens a blob; core.NotFound, also for what is no digest. Reading to the end checks the content: core.StoreDamaged.
func (s *Store) Get(_ context.Context, d core.Digest) (io.ReadCloser, error) {
	if !Valid(d) {
		return nil, notFound()
	}
	f, err := os.Open(s.path(d))
	if errors.Is(err, os.ErrNotExist) {
		return nil, notFound()
	}
	if err != nil {
		return nil, explain("get blob", err)
	}
	return &reader{f: f, h: sha256.New(), want: d}, nil
}

// Sweep removes blobs that no record names and that were put before olderThan, and says how many and how many bytes.
func (s *Store) Sweep(
	ctx context.Context, referenced func(core.Digest) (bool, error), olderThan time.Time,
) (n int, size int64, err error) {
	dirs, err := os.ReadDir(s.dir)
	if err != nil {
		return 0, 0, explain("sweep blobs", err)
	}
	for _, dir := range dirs {
		if !dir.IsDir() || len(dir.Name()) != 2 {
			continue
		}
		files, err := os.ReadDir(filepath.Join(s.dir, dir.Name()))
		if err != nil {
			return n, size, explain("sweep blobs", err)
		}
		for _, f := range files {
			d := core.Digest(f.Name())
			if !Valid(d) || !strings.HasPrefix(f.Name(), dir.Name()) {
				continue // not ours: nobody put it here through Put
			}
			if err := ctx.Err(); err != nil {
				return n, size, fmt.Errorf("sweep blobs: %w", err)
			}
			gone, err := s.sweepOne(d, referenced, olderThan)
			if err != nil {
				return n, size, explain("sweep blobs", err)
			}
			if gone > 0 {
				n++
				size += gone
			}
		}
	}
	return n, size, nil
}

// sweepOne removes one blob when nothing names it. No Put gives a blob its name meanwhile, so one that was just put again
// has its new time when it is judged.
func (s *Store) sweepOne(d core.Digest, referenced func(core.Digest) (bool, error), olderThan time.Time) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := os.Stat(s.path(d))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil || !info.ModTime().Before(olderThan) {
		return 0, err
	}
	if named, err := referenced(d); err != nil || named {
		return 0, err
	}
	return max(info.Size(), 1), os.Remove(s.path(d))
}

// Valid reports whether d is a digest: 64 lower-case hex digits. Nothing else becomes a path.
func Valid(d core.Digest) bool {
	if len(d) != 2*sha256.Size {
		return false
	}
	for i := range len(d) {
		if c := d[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func (s *Store) path(d core.Digest) string { return filepath.Join(s.dir, string(d[:2]), string(d)) }

// reader hashes what it reads, so that a flipped bit on the disk is found and not passed on as the whole.
type reader struct {
	f    *os.File
	h    hash.Hash
	want core.Digest
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.f.Read(p)
	_, _ = r.h.Write(p[:n]) // never fails
	if errors.Is(err, io.EOF) && hex.EncodeToString(r.h.Sum(nil)) != string(r.want) {
		return n, core.E(core.StoreDamaged, "a stored attachment is damaged", "", nil)
	}
	return n, err
}

func (r *reader) Close() error { return r.f.Close() }

type ctxReader struct {
	err func() error
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if err := c.err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func notFound() error { return core.E(core.NotFound, "there is no such attachment", "", nil) }

// explain gives core's errors as they are and a full disk its sentence.
func explain(op string, err error) error {
	if e := (*core.Error)(nil); errors.As(err, &e) {
		return err
	}
	cause := fmt.Errorf("%s: %w", op, err)
	for _, e := range []error{syscall.ENOSPC, syscall.EFBIG, syscall.EDQUOT} {
		if errors.Is(err, e) {
			return core.E(core.Internal, "the disk is full: the attachment cannot be stored", "df -h", cause)
		}
	}
	return cause
}
