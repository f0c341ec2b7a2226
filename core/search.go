package core

import "time"

// Query is a search over the messages of one user, parsed. All its parts must hold.
type Query struct {
	User    UserID    `json:"user"`
	Terms   []Term    `json:"terms,omitempty"`
	Roles   []string  `json:"roles,omitempty"`   // from: user, assistant, system; any of them
	Agents  []AgentID `json:"agents,omitempty"`  // agent: any of them
	Types   []string  `json:"types,omitempty"`   // type: any of them
	Session SessionID `json:"session,omitempty"` // session: a whole id; "" = all
	After   time.Time `json:"after,omitzero"`    // after: this moment is in
	Before  time.Time `json:"before,omitzero"`   // before: this moment is not
	Marked  bool      `json:"marked,omitempty"`  // is:marked
	From    int       `json:"from,omitempty"`    // how many hits to leave out
	Limit   int       `json:"limit,omitempty"`   // hits of a page
}

// Term is a word, a phrase or the beginning of a word. Case and accents do not count, and of a word that is neither phrase nor
// beginning its German and English inflections are found too.
type Term struct {
	Text   string `json:"text"`
	Phrase bool   `json:"phrase,omitempty"`
	Prefix bool   `json:"prefix,omitempty"`
	Not    bool   `json:"not,omitempty"`
}

// Hit is one message that a search found. Matches are the byte ranges of what was found, in Snippet.
type Hit struct {
	Session SessionID `json:"session"`
	Message MessageID `json:"message"`
	Chain   ChainID   `json:"chain"`
	Role    string    `json:"role"`
	Type    string    `json:"type"`
	Agent   AgentID   `json:"agent"`
	Title   string    `json:"title"`   // the session's
	Snippet string    `json:"snippet"` // one line around the first matches, at most about 200 bytes
	Matches [][2]int  `json:"matches"`
	Created time.Time `json:"created"`
}

// Hits are one page of a search: the best first, and of equals the newest; without a word to look for the newest first. While
// the index is being built Complete is false, and Indexed says how many of Messages are in it.
type Hits struct {
	Items    []Hit  `json:"items"`
	Next     Cursor `json:"next_cursor"`
	Total    uint64 `json:"total"`
	Complete bool   `json:"complete"`
	Indexed  uint64 `json:"indexed"`
	Messages uint64 `json:"messages"`
}

// Change tells a derived index what to look at again. Its numbers strictly increase.
type Change struct {
	Seq     uint64    `json:"seq"`
	Session SessionID `json:"session"`
	Chain   ChainID   `json:"chain,omitempty"` // its messages are new or were changed
	Whole   bool      `json:"whole,omitempty"` // the whole session is new
}

// Erased reports whether the session is gone.
func (c Change) Erased() bool {
	return c.Chain == "" && !c.Whole
}

// Indexed is a message with what an index must know of it.
type Indexed struct {
	Message
	User UserID
}
