package offline

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"jarvis/daemon/home"
)

// mostFaults is how many paths of the home are named; a whole tree that lies open is said in few lines.
const mostFaults = 20

func (d *doctor) checkHome(context.Context) {
	if !d.h.Used() {
		d.skipped("home", d.tf("there is no home yet at %s; the first command makes it", d.h.Data), "jarvis setup")
		return
	}
	faults := d.h.Inspect()
	for i, f := range faults {
		if i == mostFaults {
			d.problem("home", d.tf("%d more paths of the home are not as they should be", len(faults)-i), fixHint)
			break
		}
		d.fault(f)
	}
	if len(faults) == 0 {
		d.ok("home", d.tf("%s belongs to this user alone", d.h.Data))
	}
}

const fixHint = "jarvis doctor --fix"

func (d *doctor) fault(f home.Fault) {
	look := "ls -ld " + f.Path
	switch f.Kind {
	case home.Foreign:
		d.problem("home", d.tf("%s belongs to another user", f.Path), look)
	case home.Irregular:
		d.problem("home", d.tf("%s is not what belongs there", f.Path), look)
	case home.Writable:
		d.problem("home", d.tf("%s can be changed by other users (%04o)", f.Path, f.Mode), fixHint)
	case home.Shut:
		d.problem("home", d.tf("%s lacks the rights of its own user (%04o)", f.Path, f.Mode), fixHint)
	case home.Readable:
		state := stateWarning
		if f.Secret {
			state = stateProblem
		}
		d.add("home", state, d.tf("%s can be read by other users (%04o)", f.Path, f.Mode), fixHint)
	default:
		cause := f.Err
		if p := (*fs.PathError)(nil); errors.As(cause, &p) {
			cause = p.Err
		}
		d.problem("home", d.tf("%s cannot be looked at: %v", f.Path, cause), look)
	}
}

// Bounds of free room in bytes: below the first nothing works for long, below the second it is time to tidy up.
const (
	noRoom     = 64 << 20
	littleRoom = 512 << 20
)

func (d *doctor) checkDisk(context.Context) {
	look := d.around.room
	if look == nil {
		look = room
	}
	need := uint64(littleRoom)
	if info, err := os.Stat(d.h.DB); err == nil && info.Mode().IsRegular() {
		need = max(need, 2*uint64(info.Size())) // a new schema is made on a copy
	}
	seen := map[uint64]bool{}
	for _, root := range []string{d.h.Data, d.h.State, d.h.ConfigDir} {
		dir := existing(root)
		free, device, err := look(dir)
		if errors.Is(err, errors.ErrUnsupported) {
			d.skipped("disk", d.t("free room cannot be asked for on this system"), "")
			return
		}
		if err != nil {
			d.warning("disk", d.tf("the free room of %s cannot be asked for: %v", dir, err), "df -h "+dir)
			continue
		}
		if seen[device] {
			continue
		}
		seen[device] = true
		switch text := size(free); {
		case free < noRoom:
			d.problem("disk", d.tf("only %s are free at %s", text, dir), "df -h "+dir)
		case free < need:
			d.warning("disk", d.tf("only %s are free at %s", text, dir), "df -h "+dir)
		default:
			d.ok("disk", d.tf("%s are free at %s", text, dir))
		}
	}
}

// existing is path or the nearest folder above it that exists.
func existing(path string) string {
	for {
		if info, err := os.Stat(path); err == nil && info.IsDir() || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}
