package daemon

import (
	"jarvis/core/search"
	"jarvis/daemon/home"
	"jarvis/store/bolt"
	"jarvis/store/index"
)

var (
	_ search.Store = (*bolt.DB)(nil)
	_ search.Index = (*index.Process)(nil)
)

// newIndex is the index of messages; its program is started by the first search.
func newIndex(d *daemon) (*index.Process, error) {
	programs, err := home.Siblings()
	if err != nil {
		return nil, err
	}
	program, err := programs.Path(home.Index)
	if err != nil {
		d.log.Info("No index program", "error", err)
	}
	return index.New(index.Options{Program: program, Dir: d.o.Home.Index, Home: d.db.HomeID(), Log: d.log.Logger}), nil
}
