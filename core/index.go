package core

import "time"

// IndexState says what is in a full-text index. It is written with the documents it speaks of.
type IndexState struct {
	Epoch    string `json:"epoch"`    // of this index; another one is another index
	Seq      uint64 `json:"seq"`      // the feed of changes is in up to here
	Begun    bool   `json:"begun"`    // building has begun, and Seq means something
	Built    bool   `json:"built"`    // what was stored before the index was made is in
	Cursor   Cursor `json:"cursor"`   // where building goes on
	Indexed  uint64 `json:"indexed"`  // messages that building has seen
	Messages uint64 `json:"messages"` // and those there were to see
}

// IndexDoc is one message as an index takes it.
type IndexDoc struct {
	ID      MessageID `json:"id"`
	User    UserID    `json:"user"`
	Session SessionID `json:"session"`
	Agent   AgentID   `json:"agent,omitempty"`
	Role    string    `json:"role"`
	Type    string    `json:"type"`
	Text    string    `json:"text"`
	Marked  bool      `json:"marked,omitempty"`
	Created time.Time `json:"created"`
}

// IndexBatch is what changes at once: documents that come or are replaced, messages and whole sessions that go, and the state
// after it.
type IndexBatch struct {
	Puts     []IndexDoc  `json:"puts,omitempty"`
	Dels     []MessageID `json:"dels,omitempty"`
	Sessions []SessionID `json:"sessions,omitempty"`
	State    IndexState  `json:"state"`
}

// IndexHit is a message that was found. Matches are byte ranges of the text that was indexed.
type IndexHit struct {
	ID      MessageID `json:"id"`
	Matches [][2]int  `json:"matches,omitempty"`
}
