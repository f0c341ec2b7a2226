package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
	"jarvis/store"
)

// The rhythm of backups that nobody asks for. Timers stand still while a machine sleeps, so what is due is looked up on the
// wall clock, often.
const (
	scheduleFirst = 2 * time.Second
	scheduleEvery = time.Minute
	scheduleRetry = 15 * time.Minute // after a failure
	clockSlip     = 2 * time.Minute  // a backup that is further ahead was made under a wrong clock
)

// schedule makes backups in the home when they are due and removes the oldest of those it made.
type schedule struct {
	home   home.Home
	log    *logs
	now    func() time.Time
	conf   func() config.Backup
	room   func() error // that there is for a backup
	create func(ctx context.Context, w io.Writer) error
	record func(ctx context.Context, a core.Audit) // into the audit file

	mu     sync.Mutex // guards what follows
	failed error      // of the last attempt; nil when it went well
	retry  time.Time  // not before
}

func newSchedule(d *daemon) *schedule {
	return &schedule{
		home: d.o.Home, log: d.log, now: time.Now,
		conf:   func() config.Backup { return d.conf.Current().Backup },
		room:   func() error { return d.backups.room() },
		create: func(ctx context.Context, w io.Writer) error { return d.backups.Create(ctx, w, true) },
		record: d.record,
	}
}

func (s *schedule) serve(ctx context.Context) error {
	if err := s.home.RemoveParts(); err != nil {
		s.log.Warn("A part of a backup cannot be removed", "error", err)
	}
	return each(ctx, scheduleFirst, scheduleEvery, func(ctx context.Context) error {
		s.look(ctx)
		return nil
	})
}

// look makes a backup when one is due. What fails is said and tried again later; it never ends the service.
func (s *schedule) look(ctx context.Context) {
	c := s.conf()
	if c.Interval() == 0 {
		s.set(nil)
		return
	}
	s.mu.Lock()
	wait := s.now().Before(s.retry) && s.retry.Sub(s.now()) <= scheduleRetry // else the clock was set
	s.mu.Unlock()
	if wait {
		return
	}
	due, err := s.due(c)
	if err == nil && !due {
		if s.problem() == "" {
			return
		}
		err = s.prune(c.Keep, "") // what failed was the cleaning up, or it has been mended by hand
	} else if err == nil {
		err = s.make(ctx, c)
	}
	if ctx.Err() != nil {
		return
	}
	if core.CodeOf(err) == core.Conflict { // somebody makes one by hand: the next look is soon
		s.log.Info("Scheduled backup waits", "error", err)
		return
	}
	if err != nil {
		s.log.Error("Scheduled backup failed", "error", err, "cause", errors.Unwrap(err))
	}
	s.set(err)
}

func (s *schedule) set(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed, s.retry = err, time.Time{}
	if err != nil {
		s.retry = s.now().Add(scheduleRetry)
	}
}

// problem is what status says of the last attempt, "" when it went well.
func (s *schedule) problem() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		return ""
	}
	return "the scheduled backup failed: " + withHint(s.failed)
}

func (s *schedule) due(c config.Backup) (bool, error) {
	list, err := s.home.ScheduledBackups()
	if err != nil {
		return false, core.E(core.Internal, s.home.Backups()+" cannot be read", "ls -ld "+s.home.Backups(), err)
	}
	for _, b := range list {
		if age := s.now().Sub(b.Made); age >= -clockSlip {
			return age >= c.Interval(), nil
		}
	}
	return true, nil
}

// make makes one, reads it back, and only then removes old ones: there is always a good one.
func (s *schedule) make(ctx context.Context, c config.Backup) error {
	dir := s.home.Backups()
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return core.E(core.Internal, dir+" cannot be made", "ls -ld "+s.home.Data, err)
	}
	if err := s.room(); err != nil {
		return err
	}
	file := s.home.BackupFile(s.now(), true)
	line := core.Audit{Action: "backup.create", Target: filepath.Base(file), OK: true, Details: map[string]any{"secrets": true, "scheduled": true}}
	s.record(ctx, line)
	if err := s.write(ctx, file); err != nil {
		line.OK, line.Details = false, map[string]any{"code": core.CodeOf(err)}
		s.record(ctx, line)
		return err
	}
	s.log.Info("Scheduled backup made", "file", file)
	return s.prune(c.Keep, file)
}

// write makes the file and reads it back.
func (s *schedule) write(ctx context.Context, file string) error {
	err := home.WriteNew(file, func(w io.Writer) error { return s.create(ctx, w) })
	if err != nil {
		return backupFailed(file, err)
	}
	if err := readBack(ctx, file); err != nil {
		_ = os.Remove(file)
		return err
	}
	return nil
}

func readBack(ctx context.Context, file string) error {
	f, err := home.OpenRegular(file, os.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("read backup again: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	if _, err := store.Verify(ctx, f); err != nil {
		return core.E(core.Internal, "the backup that was just written cannot be read again", "df -h", err)
	}
	return nil
}

// prune keeps the newest ones and, whatever its name says, the one that was just found good ("" = none was).
func (s *schedule) prune(keep int, good string) error {
	list, err := s.home.ScheduledBackups()
	if err != nil {
		return fmt.Errorf("remove old backups: %w", err)
	}
	kept := 0
	if good != "" {
		kept = 1
	}
	for _, b := range list {
		if b.File == good {
			continue
		}
		if kept < max(1, keep) {
			kept++
			continue
		}
		if err := os.Remove(b.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return core.E(core.Internal, "an old backup cannot be removed: "+b.File, "rm "+b.File, err)
		}
		s.log.Info("Old backup removed", "file", b.File)
	}
	return nil
}

// backupFailed gives a system's error a sentence.
func backupFailed(file string, err error) error {
	var e *core.Error
	switch {
	case asCore(err, &e), errors.Is(err, context.Canceled):
		return err
	case diskFull(err):
		return core.E(core.Internal, "the disk is full: there is no backup", "df -h", err)
	}
	return core.E(core.Internal, file+" cannot be written", "ls -ld "+file, err)
}
