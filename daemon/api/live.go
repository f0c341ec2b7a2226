package api

import (
	"time"

	"jarvis/core"
)

// The routes of screens that follow what happens. RouteSessionEvents is the stream of all chains of a session, one after the
// other. Its events are those of the chains; the id of each is <chain>:<seq>, and the chain alone behind a chain's last event.
// Last-Event-ID (or ?after=) takes such an id; ?after=end begins with what is open now. A comment ": idle" says that there is
// nothing more to tell for now. It ends when the session is erased.
//
// RouteEvents tells of what is no session's. It begins with what is so now, and tells each change; of several at once only the
// last. Its one event is "state" with "state":"settings": the configuration in force is another one, whose digest is the
// event's id. With Last-Event-ID that digest is passed over. It ends with the daemon.
const (
	RouteEvents        = "GET /api/events"
	RouteSessionEvents = "GET /api/sessions/{id}/events"
	RouteStreaming     = "GET /api/sessions/streaming"
)

// StateSettings is the state of an event that says that the configuration in force is another one.
const StateSettings = "settings"

// StateChange are the fields of an event of RouteEvents.
type StateChange struct {
	State  string `json:"state"`
	Digest string `json:"digest"` // of the configuration's text, as in Settings
}

// Streaming is one row of RouteStreaming: a session that is being answered, with the chain that runs in it.
type Streaming struct {
	Session core.SessionID `json:"session"`
	Chain   core.ChainID   `json:"chain"`
	Agent   core.AgentID   `json:"agent"`
	Created time.Time      `json:"created"`
}
