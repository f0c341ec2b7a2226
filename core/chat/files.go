package chat

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
	"time"

	"jarvis/core"
)

// maxPrivate bounds what the attachments of private requests may take in memory, in bytes, and unused is how long one may
// wait for its request.
const (
	maxPrivate = 256 << 20
	unused     = 10 * time.Minute
)

// Files are the attachments of all requests: those of private ones in memory only, all others where disk keeps them. Give it
// to chat, to the providers and to whoever takes attachments in, instead of disk.
type Files struct {
	disk Blobs
	now  func() time.Time

	mu    sync.Mutex // guards the rest
	mem   map[core.Digest]*memFile
	total int
}

type memFile struct {
	data []byte
	uses int // by chains that are kept
	put  time.Time
}

var _ Blobs = (*Files)(nil)

// NewFiles makes Files over disk.
func NewFiles(disk Blobs, now func() time.Time) *Files {
	return &Files{disk: disk, now: now, mem: map[core.Digest]*memFile{}}
}

// Put keeps an attachment on disk.
func (f *Files) Put(ctx context.Context, r io.Reader) (core.Digest, int64, error) {
	return f.disk.Put(ctx, r)
}

// PutPrivate keeps an attachment in memory until its private chain is forgotten; one that no chain takes goes after ten
// minutes. core.TooLarge when all of them together would take more than 256 MiB.
func (f *Files) PutPrivate(_ context.Context, r io.Reader) (core.Digest, int64, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxPrivate+1))
	if err != nil {
		return "", 0, fmt.Errorf("read attachment: %w", err)
	}
	sum := sha256.Sum256(b)
	d := core.Digest(hex.EncodeToString(sum[:]))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sweep()
	if old, ok := f.mem[d]; ok {
		old.put = f.now()
		return d, int64(len(b)), nil
	}
	if f.total+len(b) > maxPrivate {
		return "", 0, core.E(core.TooLarge, "the attachments of private requests take too much memory", "", nil)
	}
	f.total += len(b)
	f.mem[d] = &memFile{data: b, put: f.now()}
	return d, int64(len(b)), nil
}

// Get opens an attachment.
func (f *Files) Get(ctx context.Context, d core.Digest) (io.ReadCloser, error) {
	f.mu.Lock()
	m, ok := f.mem[d]
	f.mu.Unlock()
	if ok {
		return io.NopCloser(bytes.NewReader(m.data)), nil
	}
	return f.disk.Get(ctx, d)
}

// hold counts a private message's attachments as used, or with n = -1 as used no more.
func (f *Files) hold(as []core.Attachment, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range as {
		if m, ok := f.mem[a.Digest]; ok {
			m.uses += n
		}
	}
	f.sweep()
}

// sweep forgets what nobody uses; f.mu is held.
func (f *Files) sweep() {
	for d, m := range f.mem {
		if m.uses <= 0 && f.now().Sub(m.put) >= unused {
			f.total -= len(m.data)
			delete(f.mem, d)
		}
	}
}
