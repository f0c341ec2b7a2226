package chat_test

import (
	"testing"

	"jarvis/core/chat"
	"jarvis/store/storetest"
)

func TestMemoryIsAStore(t *testing.T) {
	storetest.RunChat(t, func(*testing.T) storetest.Chats { return chat.NewMemory() })
}
