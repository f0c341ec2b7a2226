package api

import (
	"time"

	"jarvis/core"
)

// The routes of new sessions and of seed 001's history. ?session_id= names the session of those that list: whole, or what a
// person types of it.
const (
	RouteSessionNew     = "POST /api/sessions"
	RouteHistory        = "GET /api/history"      // ?view=all has the archived messages too, ?marked=1 only the marked ones
	RoutePoll           = "GET /api/history/poll" // ?after=POSITION&wait=SECONDS
	RouteArchive        = "POST /api/history/archive"
	RouteArchives       = "GET /api/history/archives"
	RouteArchiveRead    = "GET /api/history/archive/{id}"
	RouteArchiveRestore = "POST /api/history/archive/{id}/restore"
	RouteHistoryChain   = "GET /api/history/chains/{id}"
	RouteAttachment     = "GET /api/history/attachments/{id}" // a digest, or a message's id and .N for its attachment N (from 0)
	RouteMessageMark    = "PUT /api/history/messages/{id}/mark"
)

// MaxPoll is how long RoutePoll waits for something new at most.
const MaxPoll = 30 * time.Second

// SessionNew is the body of RouteSessionNew, which may be absent; the answer is the session.
type SessionNew struct {
	Title   string `json:"title,omitempty"`
	Model   string `json:"model,omitempty"`
	Context string `json:"context,omitempty"`
}

// Archive is the body of RouteArchive: the session's chains that began before a moment, or all but the last Keep, or with
// neither all of them. The answer is a core.Archive, as that of RouteArchiveRestore.
type Archive struct {
	Session core.SessionID `json:"session_id"` // seed 001's sessionId is accepted too
	Before  time.Time      `json:"before,omitzero"`
	Keep    int            `json:"keep,omitempty"`
	All     bool           `json:"all,omitempty"`
}

// ArchiveRead is the answer of RouteArchiveRead: an archive with a page of its messages.
type ArchiveRead struct {
	Archive core.Archive `json:"archive"`
	List[core.Message]
}

// ChainRead is the answer of RouteHistoryChain: a chain with a page of its messages.
type ChainRead struct {
	Chain core.Chain `json:"chain"`
	List[core.Message]
}

// News is the answer of RoutePoll. Messages of a chain that waits behind a running one come when it is their turn.
type News struct {
	Items    []core.Message `json:"items"`
	Position core.Cursor    `json:"position"` // for the next poll
	Running  bool           `json:"running"`  // a chain of the session is open
}

// MessageMark is the body of RouteMessageMark, which may be absent: marking is what the route is for.
type MessageMark struct {
	Marked *bool `json:"marked,omitempty"`
}
