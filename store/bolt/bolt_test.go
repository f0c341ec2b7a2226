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

func open(t *testing.T, o bolt.Options) *bolt.DB {
	t.Helper()
	db, err := bolt.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
