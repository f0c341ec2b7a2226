package bolt_test

import (
	"path/filepath"
	"testing"

	"jarvis/store/bolt"
	"jarvis/store/storetest"
)

func TestCopies(t *testing.T) {
	storetest.RunCopies(t, func(t *testing.T, dir string) storetest.CopyStore {
		return open(t, bolt.Unsynced(bolt.Options{Path: filepath.Join(dir, "jarvis.db")}))
	})
}
