package core

import (
	"encoding/json"
	"time"
)

// Session is one conversation.
type Session struct {
	ID        SessionID `json:"id"`
	User      UserID    `json:"user"`
	Title     string    `json:"title"` // the first line of the first message, at most 60 characters, until a person renames it
	Agent     AgentID   `json:"agent"` // "" = the default; always there, so that readers need no rule for its absence
	Project   ProjectID `json:"project,omitempty"`
	Model     string    `json:"model,omitempty"`
	Hidden    bool      `json:"hidden"`              // made by `jarvis ask` without -s; erased after 30 days
	Cwd       string    `json:"cwd,omitempty"`       // the folder that ask ran in, for -c
	Workspace string    `json:"workspace,omitempty"` // the folder whose files its tools may touch; absolute
	Context   string    `json:"context,omitempty"`   // free text that goes with each message (seed 001, block 6)
	Reviewer  AgentID   `json:"reviewer,omitempty"`
	Rounds    int       `json:"rounds,omitempty"` // of review; 0 = 3
	Pinned    bool      `json:"pinned,omitempty"` // its journals are kept whatever the limit says
	Forked    *Fork     `json:"forked,omitempty"` // where it was copied from
	Created   time.Time `json:"created"`
	Modified  time.Time `json:"modified"`
}

// Fork says what a session was copied from. The original knows nothing of it and may be erased.
type Fork struct {
	Session SessionID `json:"session"`
	Chain   ChainID   `json:"chain"` // the last one copied, by its id in the original
}

// SessionEdit changes some fields of a session; nil keeps one as it is.
type SessionEdit struct {
	Title     *string  `json:"title,omitempty"`
	Agent     *AgentID `json:"agent,omitempty"`
	Workspace *string  `json:"workspace,omitempty"`
	Context   *string  `json:"context,omitempty"`
	Reviewer  *AgentID `json:"reviewer,omitempty"`
	Rounds    *int     `json:"rounds,omitempty"`
	Model     *string  `json:"model,omitempty"`
	Pinned    *bool    `json:"pinned,omitempty"`
	Hidden    *bool    `json:"hidden,omitempty"` // false keeps a session that ask made
}

// MessageEdit marks or soft-deletes a message, or takes either back; nil keeps.
type MessageEdit struct {
	Marked  *bool `json:"marked,omitempty"`
	Deleted *bool `json:"deleted,omitempty"`
}

// ArchiveID is a UUIDv7 in lower case.
type ArchiveID string

// Archive is a set of chains taken out of a session's prompt and view, still readable and searchable. The session stays where
// it is.
type Archive struct {
	ID      ArchiveID `json:"id"`
	Session SessionID `json:"session"`
	Title   string    `json:"title"` // the first line of its first message
	Spans   []Span    `json:"spans"` // in order, not overlapping each other's or another archive's
	Chains  int       `json:"chains"`
	Created time.Time `json:"created"`
}

// Span is a range of chain positions, both ends in it.
type Span struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// Summary stands in the prompt for the chains of its span. Nothing it covers is deleted: undoing it brings them back.
type Summary struct {
	Session SessionID `json:"session"`
	Span
	Chains  int       `json:"chains"` // how many it covers, an earlier summary's included
	Text    string    `json:"text"`
	Model   string    `json:"model"`         // that wrote it
	Before  int       `json:"before_tokens"` // estimated size of what it stands for
	After   int       `json:"after_tokens"`  // and of itself
	Prompt  int       `json:"prompt_tokens"` // estimated size of the request that made it
	Usage   Usage     `json:"usage"`
	Chain   ChainID   `json:"chain,omitempty"` // the chain whose turn made it; "" = a person asked
	Created time.Time `json:"created"`
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

// View says which chains a listing of messages or chains has.
type View string

// ViewLive leaves out what is archived and is the default; ViewAll has everything, in order.
const (
	ViewLive View = ""
	ViewAll  View = "all"
)

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
