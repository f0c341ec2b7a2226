package daemon

import (
	"context"
	"os"
	"time"

	"jarvis/daemon/config"
)

// The rhythm of the housekeeping.
const (
	configLook = 500 * time.Millisecond
	sweepEvery = time.Hour
	blobKept   = 24 * time.Hour // a blob is put before the record that names it
)

// parts are the supervised services by name.
func (d *daemon) parts() map[string]func(context.Context) error {
	p := map[string]func(context.Context) error{
		"chat":   d.chat.Serve,
		"config": d.watchConfig,
		"models": d.models.serve,
		"expiry": d.sessions.Serve,
		"sweep":  func(ctx context.Context) error { return each(ctx, 5*time.Minute, sweepEvery, d.sweep) },
		"reload": d.follow,
		"idle":   d.idle,
	}
	if every := watchdogInterval(); every > 0 {
		p["watchdog"] = func(ctx context.Context) error { return d.watchdog(ctx, every) }
	}
	return p
}

// each runs fn after first and then in a rhythm, until ctx or fn ends it.
func each(ctx context.Context, first, every time.Duration, fn func(context.Context) error) error {
	t := time.NewTimer(first)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			if err := fn(ctx); err != nil {
				return err
			}
			t.Reset(every)
		}
	}
}

// watchConfig looks at the file's stamp twice a second. A watch on its folder would be woken by every write to the store, which
// lies in the same folder when JARVIS_HOME is set.
func (d *daemon) watchConfig(ctx context.Context) error {
	seen := stampOf(d.o.Home.Config)
	pending := seen
	_ = d.conf.Reload() // what changed since the start was seen by nobody; a problem is in its Problem
	return each(ctx, configLook, configLook, func(context.Context) error {
		now := stampOf(d.o.Home.Config)
		switch {
		case now == seen:
		case now != pending: // still being written, perhaps
		default:
			seen = now
			_ = d.conf.Reload()
		}
		pending = now
		return nil
	})
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

// follow takes up what a changed configuration says to what is running.
func (d *daemon) follow(ctx context.Context) error {
	changed := make(chan *config.Config, 1)
	stop := d.conf.Subscribe(func(_, now *config.Config) {
		select {
		case <-changed: // only the newest counts
		default:
		}
		changed <- now
	})
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now := <-changed:
			d.log.follow(now.Log.Level)
			d.models.rebuild(now)
		}
	}
}

// idle ends a daemon that a command started when nobody has needed it for a while.
func (d *daemon) idle(ctx context.Context) error {
	look := func() time.Duration {
		if limit := time.Duration(d.conf.Current().IdleExit); limit > 0 {
			return max(min(limit/4, time.Minute), 50*time.Millisecond)
		}
		return time.Minute
	}
	t := time.NewTimer(look())
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
		limit, load := time.Duration(d.conf.Current().IdleExit), d.chat.Running()
		if limit > 0 && !d.o.Foreground && load.Running+load.Queued == 0 && d.server.Idle(d.start) >= limit {
			d.stop(errIdle)
		}
		t.Reset(look())
	}
}
