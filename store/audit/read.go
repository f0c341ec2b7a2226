package audit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"time"

	"jarvis/core"
)

// Line is a line and where it stands.
type Line struct {
	File  string
	N     int // from 1
	Raw   []byte
	Audit core.Audit
	Err   error // ErrLine or ErrHash
	Torn  bool  // it has no break: a crash came while it was written, or it is being written
}

// Lines yields every line of all files, oldest first; a reader of a log that is written sees what is whole. Raw is valid until the
// next one. No log yields nothing.
func Lines(ctx context.Context, path string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		s, err := look(ctx, path)
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer s.close()
		for name, r := range s.files() {
			more, err := fileLines(ctx, name, r, yield)
			if err != nil {
				yield(Line{}, err)
				return
			}
			if !more {
				return
			}
		}
	}
}

// Last gives the last n lines, oldest first. It reads the newest files only.
func Last(ctx context.Context, path string, n int) ([]Line, error) {
	if n <= 0 {
		return nil, nil
	}
	s, err := look(ctx, path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	var out []Line
	for i := len(s.names); i >= 0 && len(out) < n; i-- {
		part := make([]Line, 0, 64)
		keep := func(l Line, _ error) bool {
			l.Raw = bytes.Clone(l.Raw)
			part = append(part, l)
			if len(part) >= 2*n {
				part = append(part[:0], part[len(part)-n:]...)
			}
			return true
		}
		if err := s.file(i, func(name string, r io.Reader) error { _, err := fileLines(ctx, name, r, keep); return err }); err != nil {
			return nil, err
		}
		if want := n - len(out); len(part) > want {
			part = part[len(part)-want:]
		}
		out = append(part, out...)
	}
	return out, nil
}

// Follow yields the last n lines and then those that come, until ctx ends.
func Follow(ctx context.Context, path string, n int, every time.Duration) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		lines, err := Last(ctx, path, n)
		seq := uint64(0)
		if err == nil && n <= 0 {
			lines, err = Last(ctx, path, 1)
			seq, lines = lastSeq(lines), nil
		}
		tick := time.NewTicker(every)
		defer tick.Stop()
		was := int64(-1)
		for {
			if err != nil {
				yield(Line{}, err)
				return
			}
			for _, l := range lines {
				if l.Torn || (l.Err == nil && l.Audit.Seq <= seq) {
					continue
				}
				seq = max(seq, l.Audit.Seq)
				if !yield(l, nil) {
					return
				}
			}
			lines = nil
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			info, serr := os.Stat(path)
			if serr == nil && info.Size() != was {
				if lines, err = Last(ctx, path, 1000); err == nil {
					was = info.Size()
				}
			}
		}
	}
}

func lastSeq(lines []Line) uint64 {
	if len(lines) == 0 {
		return 0
	}
	return lines[len(lines)-1].Audit.Seq
}

// snapshot is the files of a moment: what is written later is not seen.
type snapshot struct {
	names    []string // full files, oldest first
	path     string
	f        *os.File // the one being written; nil = there is none
	size     int64
	anchor   anchor
	anchored bool
}

// look takes the snapshot while no writer is between two steps. A home that cannot be written needs no lock.
func look(ctx context.Context, path string) (*snapshot, error) {
	if _, err := os.Lstat(path); err == nil {
		lock := newLock(path)
		if release, err := take(ctx, lock); err == nil {
			defer func() { release(); _ = lock.Close() }()
		}
	}
	s := &snapshot{path: path}
	var err error
	if s.names, err = full(path); err != nil {
		return nil, err
	}
	s.f, err = openRegular(path, os.O_RDONLY, 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the audit file: %w", err)
	}
	if s.f != nil {
		info, err := s.f.Stat()
		if err != nil {
			s.close()
			return nil, fmt.Errorf("read the audit file: %w", err)
		}
		s.size = info.Size()
	}
	if f, err := openRegular(anchorPath(path), os.O_RDONLY, 0); err == nil {
		s.anchor, s.anchored = readAnchor(f)
		_ = f.Close() // only read
	}
	return s, nil
}

func (s *snapshot) close() {
	if s.f != nil {
		_ = s.f.Close() // only read
	}
}

// file opens the i-th file for fn; the last one is that being written.
func (s *snapshot) file(i int, fn func(name string, r io.Reader) error) error {
	if i == len(s.names) {
		if s.f == nil {
			return nil
		}
		return fn(s.path, io.NewSectionReader(s.f, 0, s.size))
	}
	f, err := openRegular(s.names[i], os.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("read the audit files: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	return fn(s.names[i], f)
}

// files yields all of them; one that cannot be opened is one that fails when it is read.
func (s *snapshot) files() iter.Seq2[string, io.Reader] {
	return func(yield func(string, io.Reader) bool) {
		for i := range len(s.names) + 1 {
			more := true
			if err := s.file(i, func(name string, r io.Reader) error { more = yield(name, r); return nil }); err != nil {
				more = yield(s.names[i], failing{err})
			}
			if !more {
				return
			}
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// fileLines yields a file's lines; of one that is too long the beginning.
func fileLines(ctx context.Context, name string, r io.Reader, yield func(Line, error) bool) (more bool, err error) {
	br := bufio.NewReaderSize(r, MaxLine+2)
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		raw, err := br.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !long && !errors.Is(err, io.EOF) {
			return false, fmt.Errorf("read the audit files: %w", err)
		}
		if len(raw) == 0 {
			return true, nil
		}
		l := Line{File: name, N: n, Raw: bytes.TrimSuffix(raw, []byte{'\n'}), Torn: errors.Is(err, io.EOF)}
		l.Audit, l.Err = Parse(l.Raw)
		if !yield(l, nil) {
			return false, nil
		}
		for long {
			_, err := br.ReadSlice('\n')
			if long = errors.Is(err, bufio.ErrBufferFull); err != nil && !long && !errors.Is(err, io.EOF) {
				return false, fmt.Errorf("read the audit files: %w", err)
			}
		}
	}
}
