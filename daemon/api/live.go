package api

import (
	"time"

	"jarvis/core"
)

// The routes of screens that follow what happens. RouteSessionEvents is the stream of all chains of a session, one after the
// other. Its events are those of the chains; the id of each is <chain>:<seq>, and the chain alone behind a chain's last event.
// Last-Event-ID (or ?after=) takes such an id; ?after=end begins with what is open now. A comment ": idle" says that there is
// nothing more to tell for now. It ends when the session is erased.
const (
	RouteSessionEvents = "GET /api/sessions/{id}/events"
	RouteStreaming     = "GET /api/sessions/streaming"
)

// Streaming is one row of RouteStreaming: a session that is being answered, with the chain that runs in it.
type Streaming struct {
	Session core.SessionID `json:"session"`
	Chain   core.ChainID   `json:"chain"`
	Agent   core.AgentID   `json:"agent"`
	Created time.Time      `json:"created"`
}
