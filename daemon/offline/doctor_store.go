package offline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"jarvis/core"
)

func (d *doctor) checkStore(ctx context.Context) {
	if d.Look == nil {
		d.because("store", stateSkipped, d.missing())
		return
	}
	look, err := d.Look(ctx, d.h)
	d.store, d.seen = look, err == nil
	switch {
	case ctx.Err() != nil:
	case err != nil:
		d.fail("store", d.restorable(err))
	case look.Held:
		d.skipped("store", d.t("the daemon has the store and watches over it"), "jarvis daemon status")
	case look.Missing:
		d.skipped("store", d.t("there is no store yet"), "")
	default:
		d.storeState(look)
	}
}

func (d *doctor) storeState(l StoreLook) {
	figures := d.tf("%s, schema %d", size(uint64(max(0, l.Size))), l.Schema)
	switch {
	case l.Bad > 0:
		d.problem("store", d.tf("%d records of the store are damaged, the others can be read (%s)", l.Bad, figures), "cp "+d.h.DB+" "+d.h.DB+".copy")
	case l.Suspect:
		d.warning("store", d.tf("the last daemon met damage; now every record is whole (%s)", figures), "jarvis daemon start")
	case l.Crashed:
		d.warning("store", d.tf("the last daemon did not end in order; every record is whole (%s)", figures), "jarvis daemon start")
	case l.Schema < l.Latest:
		d.ok("store", d.tf("every record is whole; the next start brings it to schema %d (%s)", l.Latest, figures))
	default:
		d.ok("store", d.tf("every record is whole (%s)", figures))
	}
	if l.Size > compactFrom && l.Free > l.Size/2 {
		d.warning("store", d.tf("%s of the store's %s hold nothing any more", size(uint64(l.Free)), size(uint64(l.Size))), "jarvis backup compact")
	}
	if old, err := filepath.Glob(globbed(d.h.DB) + ".damaged-*"); err == nil && len(old) > 0 {
		d.warning("store", d.tf("%d damaged stores were put aside and take up room, as %s", len(old), old[len(old)-1]), "ls -l "+d.h.Data)
	}
}

// compactFrom is the size from which a store that is mostly empty is worth making smaller.
const compactFrom = 64 << 20 // bytes

// globbed is a path with what a pattern would take for more than itself escaped.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// mostJournals bounds how many entries of the journals' folder are looked at.
const mostJournals = 200_000

func (d *doctor) checkJournals(ctx context.Context) {
	months, err := os.ReadDir(d.h.Runs)
	if os.IsNotExist(err) {
		d.skipped("journals", d.t("there are no journals yet"), "")
		return
	}
	if err != nil {
		d.unreadable(d.h.Runs, err)
		return
	}
	var n, damaged int
	var bytes uint64
	for _, m := range months {
		if !m.IsDir() {
			continue
		}
		dir := filepath.Join(d.h.Runs, m.Name())
		entries, err := os.ReadDir(dir)
		if err != nil {
			d.unreadable(dir, err)
			return
		}
		for _, e := range entries {
			if ctx.Err() != nil || n+damaged >= mostJournals {
				break
			}
			switch {
			case strings.HasSuffix(e.Name(), ".jsonl"), strings.HasSuffix(e.Name(), ".jsonl.gz"):
				n++
				if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
					bytes += uint64(info.Size())
				}
			case strings.HasSuffix(e.Name(), ".jsonl.damaged"):
				damaged++
			}
		}
	}
	if damaged > 0 {
		d.warning("journals", d.tf("%d journals had damaged lines, which lie beside them in *.damaged", damaged), fmt.Sprintf("find %s -name '*.damaged'", d.h.Runs))
		return
	}
	d.ok("journals", d.tf("%d journals, %s", n, size(bytes)))
}

func (d *doctor) unreadable(dir string, err error) {
	d.fail("journals", core.E(core.Internal, d.tf("%s cannot be read", dir), "ls -ld "+dir, err))
}

// size is a number of bytes for people.
func size(n uint64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", (n+1023)>>10)
}
