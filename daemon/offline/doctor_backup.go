package offline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"jarvis/core"
)

// checkBackups looks at those that are made without being asked.
func (d *doctor) checkBackups(context.Context) {
	const name = "backup"
	list, err := d.h.ScheduledBackups()
	switch {
	case err != nil:
		d.fail(name, core.E(core.Internal, d.tf("%s cannot be read", d.h.Backups()), "ls -ld "+d.h.Backups(), err))
		return
	case d.config == nil || d.config.Backup.Interval() == 0:
		d.skipped(name, d.t("no backups are made without being asked"), "jarvis config set backup.every 24h")
		return
	case len(list) == 0:
		d.warning(name, d.t("backups are scheduled, and there is none yet"), "jarvis daemon start\njarvis daemon logs")
		return
	}
	now := time.Now
	if d.around.now != nil {
		now = d.around.now
	}
	made := list[0].Made.In(now().Location()).Format(time.DateTime)
	if now().Sub(list[0].Made) > 2*d.config.Backup.Interval() {
		d.warning(name, d.tf("the last scheduled backup is of %s, older than twice %s", made, d.config.Backup.Every), "jarvis daemon start\njarvis daemon logs")
		return
	}
	d.ok(name, d.tf("%d scheduled backups, the last of %s", len(list), made))
}

// restorable names the newest backup of the home behind a damaged store.
func (d *doctor) restorable(err error) error {
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.StoreDamaged {
		return err
	}
	file := d.newestBackup()
	if file == "" {
		return err
	}
	return core.E(e.Code, e.Message, "jarvis backup verify "+file+"\njarvis backup restore "+file+" --replace", err)
}

func (d *doctor) newestBackup() string {
	entries, err := os.ReadDir(d.h.Backups())
	if err != nil {
		return ""
	}
	file, at := "", time.Time{}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".tar") && info.ModTime().After(at) {
			file, at = filepath.Join(d.h.Backups(), e.Name()), info.ModTime()
		}
	}
	return file
}
