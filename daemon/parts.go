package daemon

import (
	"context"
	"time"

	"jarvis/core"
	"jarvis/daemon/config"
)

// The rhythm of the housekeeping.
const (
	sweepEvery = time.Hour
	blobKept   = 24 * time.Hour // a blob is put before the record that names it
	spentKept  = 48 * time.Hour // a request may be settled long after it was reserved
)

// parts are the supervised services by name.
func (d *daemon) parts() map[string]func(context.Context) error {
	p := map[string]func(context.Context) error{
		"chat":     d.chat.Serve,
		"config":   d.fresh.serve,
		"models":   d.models.serve,
		"expiry":   d.sessions.Serve,
		"sweep":    func(ctx context.Context) error { return each(ctx, 5*time.Minute, sweepEvery, d.sweep) },
		"idle":     d.idle,
		"backup":   d.planned.serve,
		"payloads": d.payloads.serve,
		"keeper":   (&keeper{d: d}).serve,
		"search":   d.search.Serve,
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

// take gives a changed configuration to what is running.
func (d *daemon) take(old, now *config.Config) {
	d.record(context.Background(), core.Audit{Action: "config.reload", OK: true, Details: map[string]any{"keys": config.ChangedKeys(old, now)}})
	d.log.follow(now.Log)
	d.models.rebuild(now)
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
		if limit > 0 && !d.o.Foreground && load.Running+load.Queued == 0 && !d.backups.busy() && d.server.Idle(d.start) >= limit {
			d.stop(errIdle)
		}
		t.Reset(look())
	}
}
