package home

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	scheduledPrefix = "scheduled-"
	backupSuffix    = ".tar"
	partSuffix      = ".part"
	backupStamp     = "20060102T150405.000Z" // with thousandths: two in one second are two

	// backupStep is how many bytes of a backup are written before they are synced: in one heap at the end, everybody else's
	// writes would wait behind them.
	backupStep = 4 << 20
)

// Backups is the folder that backups lie in unless somebody says otherwise.
func (h Home) Backups() string { return filepath.Join(h.Data, "backups") }

// BackupFile is the name of a backup made at t: asked for by somebody, or made without being asked.
func (h Home) BackupFile(t time.Time, scheduled bool) string {
	prefix := "jarvis-"
	if scheduled {
		prefix = scheduledPrefix
	}
	return filepath.Join(h.Backups(), prefix+t.UTC().Format(backupStamp)+backupSuffix)
}

// Scheduled is a backup that was made without being asked.
type Scheduled struct {
	File string
	Made time.Time
}

// ScheduledBackups lists those, the newest first. Only regular files with exactly the name that BackupFile gives are of them.
func (h Home) ScheduledBackups() ([]Scheduled, error) {
	entries, err := os.ReadDir(h.Backups())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Scheduled
	for _, e := range entries {
		stamp, ok := strings.CutPrefix(e.Name(), scheduledPrefix)
		stamp, tail := strings.CutSuffix(stamp, backupSuffix)
		made, err := time.Parse(backupStamp, stamp)
		if !ok || !tail || err != nil || !e.Type().IsRegular() || h.BackupFile(made, true) != filepath.Join(h.Backups(), e.Name()) {
			continue
		}
		list = append(list, Scheduled{File: filepath.Join(h.Backups(), e.Name()), Made: made})
	}
	slices.SortFunc(list, func(a, b Scheduled) int { return b.Made.Compare(a.Made) })
	return list, nil
}

// RemoveParts removes what scheduled backups that were cut off have left. None may be under way.
func (h Home) RemoveParts() error {
	parts, err := filepath.Glob(filepath.Join(globbed(h.Backups()), scheduledPrefix+"*"+backupSuffix+partSuffix))
	for _, file := range parts {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

// globbed is a path with what a pattern would take for more than itself escaped.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// WriteNew makes a file of what fill writes, in small synced steps. It writes beside the file and renames at the end, so that
// a file with the right name is always a whole one. A file that is there already is fs.ErrExist and stays.
func WriteNew(file string, fill func(io.Writer) error) error {
	part := file + partSuffix
	f, err := OpenRegular(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) { // of one that was killed, or somebody's own: a file is never written over
		f, err = os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*"+partSuffix)
	}
	if err != nil {
		return err
	}
	part = f.Name()
	err = fill(&stepped{f: f})
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		if _, lerr := os.Lstat(file); lerr == nil {
			err = &fs.PathError{Op: "create", Path: file, Err: fs.ErrExist}
		} else {
			err = os.Rename(part, file)
		}
	}
	if err != nil {
		_ = os.Remove(part)
		return err
	}
	if dir, err := os.Open(filepath.Dir(file)); err == nil { // the name is durable too where folders can be synced
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// stepped syncs after every step.
type stepped struct {
	f *os.File
	n int
}

func (s *stepped) Write(p []byte) (int, error) {
	n, err := s.f.Write(p)
	if s.n += n; err == nil && s.n >= backupStep {
		s.n, err = 0, s.f.Sync()
	}
	return n, err
}
