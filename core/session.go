package core

import (
	"encoding/json"
	"time"
)

// Session is one conversation.
type Session struct {
	ID       SessionID `json:"id"`
	User     UserID    `json:"user"`
	Title    string    `json:"title"` // the first line of the first message, at most 60 characters, until a person renames it; "" while there is none
	Agent    AgentID   `json:"agent"` // "" = the default; always there, so that readers need no rule for its absence
	Project  ProjectID `json:"project,omitempty"`
	Model    string    `json:"model,omitempty"`
	Hidden   bool      `json:"hidden"`            // made by `jarvis ask` without -s; erased after 30 days
	Pinned   bool      `json:"pinned,omitempty"`  // its journals stay when older ones go
	Cwd      string    `json:"cwd,omitempty"`     // the folder that ask ran in, for -c
	Context  string    `json:"context,omitempty"` // free text of the person's that goes with each message
	Created  time.Time `json:"created"`
	Modified time.Time `json:"modified"`
}

// MaxContext is how many bytes Session.Context may have.
const MaxContext = 16 << 10

// SessionEdit changes some fields of a session; nil keeps one as it is.
type SessionEdit struct {
	Title   *string `json:"title,omitempty"`
	Model   *string `json:"model,omitempty"`
	Context *string `json:"context,omitempty"`
	Pinned  *bool   `json:"pinned,omitempty"`
	Hidden  *bool   `json:"hidden,omitempty"` // false keeps a session that ask made
}

// Roles and types of a message.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleSystem    = "system"

	TypeText       = "text"
	TypeReasoning  = "reasoning"
	TypeToolUse    = "tool_use"
	TypeToolResult = "tool_result"
	TypeError      = "error"
)

// Message is one entry of a chain.
type Message struct {
	ID          MessageID       `json:"id"` // "<chain>.<n>"
	Session     SessionID       `json:"session"`
	Chain       ChainID         `json:"chain"`
	Pos         uint64          `json:"pos"` // its chain's position
	N           uint32          `json:"n"`   // its place in the chain; 0 is the request
	Agent       AgentID         `json:"agent"`
	Role        string          `json:"role"`
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	Context     string          `json:"context,omitempty"` // the <jarvis-context> part sent before Text
	Tool        string          `json:"tool,omitempty"`
	Call        CallID          `json:"call,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`    // of a tool_use
	IsError     bool            `json:"is_error,omitempty"` // of a tool_result
	Opaque      *Opaque         `json:"opaque,omitempty"`
	Attachments []Attachment    `json:"attachments,omitempty"`
	Partial     bool            `json:"partial"` // cut off by a stop or a crash
	Marked      bool            `json:"marked"`
	Deleted     bool            `json:"deleted"`
	Created     time.Time       `json:"created"`
}

// Opaque is a provider's own data (a thinking signature, a call id). It goes back to that provider only.
type Opaque struct {
	Provider string          `json:"provider"`
	Data     json.RawMessage `json:"data"`
}

// Attachment names a blob that came with a message.
type Attachment struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"` // found by content, not by name
	Size      int64  `json:"size"`       // bytes
	Digest    Digest `json:"digest"`
}

// Page asks for a part of a list. Limit 0 means the store's default (50), and no answer is longer than 1,000.
// Backward pages start at the newest entry and walk back; entries inside a page always stand in reading order.
type Page struct {
	After    Cursor
	Limit    int
	Backward bool
	Through  uint64 // messages and chains only: nothing past this chain position; 0 = everything
	From     uint64 // messages and chains only: nothing before this chain position; 0 = everything
	View     View   // messages and chains only
}

// Todo is one entry of a todo list.
type Todo struct {
	N       uint64    `json:"n"` // its number in the list, never used again
	Content string    `json:"content"`
	Status  string    `json:"status"` // pending in_progress completed
	Created time.Time `json:"created"`
}

// The states of a Todo.
const (
	TodoPending    = "pending"
	TodoInProgress = "in_progress"
	TodoCompleted  = "completed"
)
