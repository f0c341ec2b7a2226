package offline

import (
	"context"
	"path/filepath"

	"jarvis/daemon/home"
)

// IndexLook is what a look at the index's folder saw. The index itself is opened by its own program only.
type IndexLook struct {
	Missing bool // there is none yet
	Foreign bool // it is another home's, of another format, or cannot be read: the next search builds it anew
}

// checkIndex looks whether the index is this home's and its program is there. An index is derived: nothing in it can be lost.
func (d *doctor) checkIndex(ctx context.Context) {
	const name = "index"
	find := indexProgram
	if d.around.index != nil {
		find = d.around.index
	}
	if err := find(); err != nil {
		d.because(name, stateWarning, err)
		return
	}
	if d.Index == nil {
		d.because(name, stateSkipped, d.missing())
		return
	}
	look, err := d.Index(ctx, d.h)
	remedy := "rm -r " + filepath.Clean(d.h.Index) + "   # the next search makes it anew"
	switch {
	case ctx.Err() != nil:
	case err != nil:
		d.warning(name, d.tf("%s cannot be read", d.h.Index), remedy)
	case look.Missing:
		d.skipped(name, d.t("there is no index yet; the first search makes it"), "")
	case look.Foreign:
		d.warning(name, d.t("the index does not belong to this home; the next search makes it anew"), "jarvis session search hello")
	default:
		d.ok(name, d.t("the index is this home's, and its program is there"))
	}
}

func indexProgram() error {
	programs, err := home.Siblings()
	if err == nil {
		_, err = programs.Path(home.Index)
	}
	return err
}
