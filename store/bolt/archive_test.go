package bolt_test

import (
	"path/filepath"
	"testing"

	"jarvis/store/bolt"
	"jarvis/store/storetest"
)

func TestArchives(t *testing.T) {
	storetest.RunArchive(t, func(t *testing.T) storetest.ArchiveStore {
		return open(t, bolt.Unsynced(bolt.Options{Path: filepath.Join(t.TempDir(), "jarvis.db")}))
	})
}
