package offline

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"jarvis/daemon/config"
)

func (d *doctor) checkConfig(context.Context) {
	c, warnings, err := config.Load(d.h.Config, d.Env)
	if err != nil {
		d.fail("config", err)
		return
	}
	d.config = c
	for _, w := range warnings {
		hint := w.Hint
		if hint == "" {
			hint = "jarvis config edit"
		}
		d.warning("config", w.Message, hint)
	}
	if len(warnings) > 0 {
		return
	}
	if _, err := os.Stat(d.h.Config); errors.Is(err, fs.ErrNotExist) {
		d.ok("config", d.tf("there is no %s; every value has its default", d.h.Config))
		return
	}
	d.ok("config", d.tf("%s is understood", d.h.Config))
}
