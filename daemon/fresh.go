package daemon

import (
	"context"
	"net/http"
	"os"
	"sync"
	"time"

	"jarvis/daemon/config"
)

// configLook is how often the configuration file is looked at when nobody asks.
const configLook = 500 * time.Millisecond

// freshness takes up the configuration file when it has changed. A watch on its folder would be woken by every write to the
// store, which lies in the same folder when JARVIS_HOME is set; a look costs one stat.
type freshness struct {
	live *config.Live
	path string

	mu   sync.Mutex // guards seen, and that one change is taken up once
	seen stamp
}

// stamp tells one content of a file from another without reading it.
type stamp struct {
	size  int64
	mtime time.Time
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{size: info.Size(), mtime: info.ModTime()}
}

// look returns when the file as it is now is in force, or is known to be bad: then the last good one stays, and status says
// so. One that is still being written is looked at again with its next stamp.
func (f *freshness) look() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := stampOf(f.path); now != f.seen {
		f.seen = now
		_ = f.live.Reload() // the error is in Problem
	}
}

// serve looks now and then.
func (f *freshness) serve(ctx context.Context) error {
	return each(ctx, configLook, configLook, func(context.Context) error {
		f.look()
		return nil
	})
}

// before lets a request find the configuration as the file has it now: who has just run `jarvis config set` means it.
func (f *freshness) before(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			f.look()
		}
		h.ServeHTTP(w, r)
	})
}
