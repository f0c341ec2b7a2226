package bolt_test

import (
	"testing"

	"jarvis/core/chat"
	"jarvis/core/session"
	"jarvis/core/todo"
	"jarvis/store/bolt"
)

var (
	_ chat.Store    = (*bolt.DB)(nil)
	_ session.Store = (*bolt.DB)(nil)
	_ todo.Store    = (*bolt.DB)(nil)
)

func open(t *testing.T, path string) *bolt.DB {
	t.Helper()
	db, err := bolt.Open(t.Context(), bolt.Options{Path: path})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestOpenTwice(t *testing.T) {
	path := t.TempDir() + "/jarvis.db"
	db := open(t, path)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, path)
}
