package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"jarvis/core"
)

// Options of a Log. Only Path must be given.
type Options struct {
	Path    string                                             // audit.jsonl; the rest lies beside it
	Now     func() time.Time                                   // nil = time.Now
	After   func(d time.Duration, f func()) (stop func() bool) // paces syncing; nil = time.AfterFunc
	MaxFile int64                                              // bytes from which a file is full; 0 = 10 MiB, negative = this process starts no new file
	Log     *slog.Logger                                       // nil = discard
}

const (
	defaultMax = 10 << 20
	syncEvery  = time.Second
	fileMode   = 0o600
)

// Log writes lines. It is safe for concurrent use, also by several processes; the file is made by the first line.
type Log struct {
	o    Options
	lock *flock.Flock

	mu     sync.Mutex // guards the fields below
	f      *os.File   // nil = the end is not known
	size   int64
	last   anchor
	anchor *os.File
	held   int // who wants no new file
	dirty  bool
	stop   func() bool
	closed bool
}

// Open makes a Log. It touches no file.
func Open(o Options) *Log {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	if o.MaxFile == 0 {
		o.MaxFile = defaultMax
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Log{o: o, lock: newLock(o.Path)}
}

func newLock(path string) *flock.Flock {
	return flock.New(path+".lock", flock.SetPermissions(fileMode))
}

// Write appends one line, within a second on the disk itself. With an error it is not to be counted on, and what it says must
// not be done.
func (l *Log) Write(ctx context.Context, a core.Audit) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errors.New("audit: closed")
	}
	if err := l.write(ctx, a); err != nil {
		return explain(err)
	}
	if !l.dirty {
		l.dirty = true
		l.stop = l.o.After(syncEvery, func() {
			if err := l.Sync(); err != nil {
				l.o.Log.Error("Audit file cannot be synced", "error", err)
			}
		})
	}
	return nil
}

func (l *Log) write(ctx context.Context, a core.Audit) error {
	release, err := take(ctx, l.lock)
	if err != nil {
		return err
	}
	defer release()
	if err := l.find(); err != nil {
		l.forget()
		return err
	}
	if l.o.MaxFile > 0 && l.size >= l.o.MaxFile && l.held == 0 {
		if err := l.rotate(); err != nil {
			l.forget()
			return err
		}
	}
	return l.append(a)
}

// take waits for other processes.
func take(ctx context.Context, lock *flock.Flock) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	ok, err := lock.TryLockContext(ctx, 2*time.Millisecond)
	if err != nil || !ok {
		return nil, fmt.Errorf("lock the audit file: %w", errors.Join(err, ctx.Err()))
	}
	return func() { _ = lock.Unlock() }, nil
}

// append writes a line behind the last one, then the anchor. The lock is held.
func (l *Log) append(a core.Audit) error {
	a.Seq, a.Prev, a.Time = l.last.seq+1, l.last.hash, l.o.Now()
	return l.put(a)
}

func (l *Log) put(a core.Audit) error {
	line, err := render(&a)
	if err != nil {
		return err
	}
	n, err := l.f.Write(line)
	if err != nil {
		if n > 0 {
			_ = l.f.Truncate(l.size) // what stays is mended as a torn line
		}
		l.forget()
		return err
	}
	l.size += int64(n)
	l.last = anchor{a.Seq, a.Hash}
	if _, err := l.anchor.WriteAt(l.last.bytes(), 0); err != nil {
		l.forget()
		return err
	}
	return nil
}

// forget makes the next write look at the files again.
func (l *Log) forget() {
	for _, f := range []*os.File{l.f, l.anchor} {
		if f != nil {
			_ = f.Close() // an error of writing was said when it came
		}
	}
	l.f, l.anchor = nil, nil
}

// find makes sure that what is known of the end is still so: another process may have written, or somebody else. The lock is
// held.
func (l *Log) find() error {
	if l.f != nil {
		here, err := l.f.Stat()
		if err == nil {
			var now os.FileInfo
			if now, err = os.Lstat(l.o.Path); err == nil && os.SameFile(here, now) && now.Size() == l.size && l.anchored() {
				return nil
			}
		}
		l.forget()
	}
	f, err := openRegular(l.o.Path, os.O_RDWR|os.O_APPEND|os.O_CREATE, fileMode)
	if err != nil {
		return err
	}
	l.f = f
	if l.anchor, err = openRegular(anchorPath(l.o.Path), os.O_RDWR|os.O_CREATE, fileMode); err != nil {
		return err
	}
	return l.mend()
}

// anchored reports whether the anchor is as this process has left it.
func (l *Log) anchored() bool {
	now, err := os.Lstat(anchorPath(l.o.Path))
	if err != nil {
		return false
	}
	was, err := l.anchor.Stat()
	if err != nil || !os.SameFile(now, was) {
		return false
	}
	a, ok := readAnchor(l.anchor)
	return ok && a == l.last
}

func readAnchor(r io.Reader) (anchor, bool) {
	b := make([]byte, anchorLen+1)
	var n int
	var err error
	if at, ok := r.(io.ReaderAt); ok {
		n, err = at.ReadAt(b, 0)
	} else {
		n, err = io.ReadFull(r, b)
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return anchor{}, false
	}
	return parseAnchor(b[:n])
}

// rotate puts the full file aside under the number of its first line. The lock is held.
func (l *Log) rotate() error {
	first, err := firstSeq(l.f)
	if err != nil {
		return err
	}
	if err := l.f.Sync(); err != nil {
		return err
	}
	dir := Folder(l.o.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	name := fmt.Sprintf("%020d.jsonl", first)
	to := filepath.Join(dir, name)
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s exists already", to)
	}
	last := l.last
	if err := os.Rename(l.o.Path, to); err != nil {
		return err
	}
	l.forget()
	if err := l.find(); err != nil { // it finds the last line in the file that was put aside
		return err
	}
	if l.last != last {
		return nil // find has noted why
	}
	return l.append(core.Audit{Action: Rotated, Via: "daemon", Target: name, OK: true})
}

// Hold keeps the files where they are, so that they can be copied one after another, until release.
func (l *Log) Hold() (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held++
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.held--
	})
}

// Sync brings what was written to the disk itself: the lines before the anchor, so that a power cut leaves no anchor of a line
// that is not there.
func (l *Log) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dirty = false
	if l.f == nil {
		return nil
	}
	return errors.Join(l.f.Sync(), l.anchor.Sync())
}

// Close syncs and closes.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	if l.stop != nil {
		l.stop()
	}
	l.mu.Unlock()
	err := l.Sync()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	return errors.Join(err, l.lock.Close())
}

// explain gives a refusal its sentence.
func explain(err error) error {
	var e *core.Error
	if errors.As(err, &e) || errors.Is(err, context.Canceled) {
		return err
	}
	for _, full := range []error{syscall.ENOSPC, syscall.EFBIG, syscall.EDQUOT} {
		if errors.Is(err, full) {
			return core.E(core.Internal, "the disk is full: nothing is done that cannot be written into the audit file", "df -h", err)
		}
	}
	return core.E(core.Internal, "the audit file cannot be written, and nothing is done without it", "jarvis audit verify", err)
}
