package daemon

import (
	"context"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"
)

// Telling the service manager costs nothing where there is none.

func notifyReady()    { _, _ = sd.SdNotify(false, sd.SdNotifyReady) }
func notifyStopping() { _, _ = sd.SdNotify(false, sd.SdNotifyStopping) }

// watchdog pings the service manager for as long as the store answers: a daemon that hangs is started anew.
func (d *daemon) watchdog(ctx context.Context, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if d.status.alive(ctx) == nil || d.status.isDamaged() {
				_, _ = sd.SdNotify(false, sd.SdNotifyWatchdog)
			}
		}
	}
}

func watchdogInterval() time.Duration {
	t, err := sd.SdWatchdogEnabled(false)
	if err != nil {
		return 0
	}
	return t / 2
}

// isDamaged tells a store that refuses from a daemon that hangs: starting anew would not mend it.
func (s *status) isDamaged() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.damage != nil
}
