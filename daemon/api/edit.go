package api

// The routes that change sessions and messages. The body of RouteSessionEdit is core.SessionEdit, and the answer the session.
const (
	RouteSessionEdit   = "PUT /api/sessions/{id}"
	RouteMessageDelete = "PUT /api/history/messages/{id}/delete"
)

// MessageDelete is the body of RouteMessageDelete, which may be absent: deleting is what the route is for.
type MessageDelete struct {
	Deleted *bool `json:"deleted,omitempty"`
}
