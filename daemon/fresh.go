package daemon

import (
	"context"
	"os"
	"sync"
	"time"

	"jarvis/daemon/config"
)

const (
	// configLook is how often the configuration file is looked at when nobody asks.
	configLook = 250 * time.Millisecond
	// configSettle is how long a file that is written in place must be quiet: an editor empties it first.
	configSettle = 100 * time.Millisecond
	// configWaits is how often one request waits for that.
	configWaits = 3
)

// freshness takes up the configuration file when it has changed. A watch on its folder would be woken by every write to the
// store, which lies in the same folder when JARVIS_HOME is set; a look costs one stat.
type freshness struct {
	live *config.Live
	path string

	mu     sync.Mutex // guards what follows, and that one change is taken up once
	seen   os.FileInfo
	next   os.FileInfo // a change that is not taken up yet
	since  time.Time   // when next was first seen
	moving bool        // it changed again while it was waited for: nobody waits for it now
}

// stampOf tells one content of a file from another without reading it; nil = there is none.
func stampOf(path string) os.FileInfo {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}

func same(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// look returns when the file as it is now is in force, or is known to be bad: then the last good one stays, and status says
// so. One that is just being written is taken up by a later look.
func (f *freshness) look(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := stampOf(f.path)
	if same(now, f.seen) {
		f.moving = false
		return
	}
	if !replaced(f.seen, now) && !replaced(f.next, now) {
		var whole bool
		if now, whole = f.settled(ctx, now); !whole {
			return
		}
	}
	f.seen, f.moving = now, false
	f.next, f.since = nil, time.Time{}
	_ = f.live.Reload() // the error is in Problem
}

// replaced reports whether another file has taken the place of one: what is renamed is whole.
func replaced(old, now os.FileInfo) bool {
	return old != nil && now != nil && now.Size() > 0 && !os.SameFile(now, old)
}

// settled reports whether the file has been as it is now for a while, or was replaced meanwhile. It waits for that: a person
// who saves twice in a moment must not be answered under what the file said before. But for a file that goes on changing the
// first request waits three times and the others not at all. f.mu is held.
func (f *freshness) settled(ctx context.Context, now os.FileInfo) (_ os.FileInfo, whole bool) {
	if f.since.IsZero() || !same(now, f.next) {
		f.next, f.since = now, time.Now()
	}
	for range configWaits {
		rest := configSettle - time.Since(f.since)
		if rest <= 0 {
			return now, true
		}
		if f.moving || !wait(ctx, rest) {
			return now, false
		}
		again := stampOf(f.path)
		if replaced(now, again) || same(again, now) {
			return again, true
		}
		f.next, f.since, now = again, time.Now(), again
	}
	f.moving = true
	return now, false
}

// wait reports whether ctx was still good after d.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// serve looks now and then.
func (f *freshness) serve(ctx context.Context) error {
	return each(ctx, configLook, configLook, func(ctx context.Context) error {
		f.look(ctx)
		return nil
	})
}
