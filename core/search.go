package core

import "time"

// Query is a search over messages, parsed. All its parts must hold.
type Query struct {
	Terms   []Term
	Roles   []string  // from: user or assistant
	Agents  []AgentID // agent:
	Types   []string  // type: text, reasoning, tool_use, tool_result, error
	Session SessionID // session: whole id; "" = all
	After   time.Time // after: this moment is in
	Before  time.Time // before: this moment is not
	Marked  bool      // only marked messages
}

// Term is one word, phrase or beginning of a word. It is matched without regard to case, and by its stem in German and English
// unless it is a phrase or a prefix.
type Term struct {
	Text   string
	Phrase bool
	Prefix bool
	Not    bool
}

// Hit is one message that a search found. Matches are the byte ranges of the hits in Snippet.
type Hit struct {
	Session SessionID `json:"session"`
	Message MessageID `json:"message"`
	Chain   ChainID   `json:"chain"`
	Role    string    `json:"role"`
	Type    string    `json:"type"`
	Title   string    `json:"title"`   // the session's
	Snippet string    `json:"snippet"` // plain text around the first hits, at most 300 bytes
	Matches [][2]int  `json:"matches"`
	Created time.Time `json:"created"`
	Score   float64   `json:"score"`
}

// Hits are one page of a search, best first and then newest first. While the index is being rebuilt Indexed says how many of
// Messages are in it.
type Hits struct {
	Items    []Hit  `json:"items"`
	Next     Cursor `json:"next_cursor"`
	Total    int64  `json:"total"`
	Complete bool   `json:"complete"`
	Indexed  int64  `json:"indexed"`
	Messages int64  `json:"messages"`
}

// Change tells a derived index what to look at again. Sequence numbers are the store's and strictly increase.
type Change struct {
	Seq     uint64    `json:"seq"`
	User    UserID    `json:"user"`
	Session SessionID `json:"session"`
	Chain   ChainID   `json:"chain,omitempty"`  // its messages are final, or one was marked or deleted; "" = the whole session
	Erased  bool      `json:"erased,omitempty"` // nothing of it may stay in the index
}

// Indexed is a message with what an index must know of it.
type Indexed struct {
	Message
	User UserID
}
