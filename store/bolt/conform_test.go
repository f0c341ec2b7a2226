package bolt_test

import (
	"path/filepath"
	"testing"

	"jarvis/store/bolt"
	"jarvis/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Store {
		return open(t, bolt.Unsynced(bolt.Options{Path: filepath.Join(t.TempDir(), "jarvis.db")}))
	})
}

func TestReopen(t *testing.T) {
	storetest.RunReopen(t, func(t *testing.T, dir string) storetest.Store {
		return open(t, bolt.Options{Path: filepath.Join(dir, "jarvis.db")})
	})
}
