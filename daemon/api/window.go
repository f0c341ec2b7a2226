package api

// RouteSessionWindow tells what would fill the model's window with the session's next message; the answer is core.Window.
// RouteSummaryUndo takes the session's newest summary away and answers with it, as core.Summary.
const (
	RouteSessionWindow = "GET /api/sessions/{id}/context"
	RouteSummaryUndo   = "DELETE /api/sessions/{id}/summary"
)
