package storetest_test

import (
	"jarvis/core/chat"
	"jarvis/core/session"
	"jarvis/core/todo"
	"jarvis/store/storetest"
)

// The interfaces are the services' own, in both directions.
var (
	_ = func(s chat.Store) storetest.Chats { return s }
	_ = func(s storetest.Chats) chat.Store { return s }
	_ = func(s session.Store) storetest.Sessions { return s }
	_ = func(s storetest.Sessions) session.Store { return s }
	_ = func(s todo.Store) storetest.Todos { return s }
	_ = func(s storetest.Todos) todo.Store { return s }

	_ = func(s storetest.ArchiveStore) session.Archiver { return s }
	_ = func(s storetest.ArchiveStore) session.Marker { return s }
	_ = func(s storetest.ArchiveStore) session.Maker { return s }
	_ = func(s storetest.ArchiveStore) session.Reader { return s }
)
