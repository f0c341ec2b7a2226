package api

import "jarvis/core"

// The routes of copies and files of sessions. The answer of RouteSessionFork is the session. RouteSessionExport takes format
// (md, json, html), attachments=0 and lang in its query and answers with the file; one that is cut off is none. The body of
// RouteSessionImport is a file that RouteSessionExport wrote as JSON.
const (
	RouteSessionFork   = "POST /api/sessions/{id}/fork"
	RouteSessionExport = "GET /api/sessions/{id}/export"
	RouteSessionImport = "POST /api/sessions/import"
)

// SessionFork is the body of RouteSessionFork, which may be absent.
type SessionFork struct {
	At    string `json:"at,omitempty"`    // a message or chain of the session after which the copy ends; "" = all of it
	Title string `json:"title,omitempty"` // "" = that of the original, and a word
}

// SessionImported is the answer of RouteSessionImport.
type SessionImported struct {
	Session     core.Session `json:"session"`
	Chains      int          `json:"chains"`
	Messages    int          `json:"messages"`
	Attachments int          `json:"attachments"`         // whose content was in the file
	Missing     int          `json:"missing_attachments"` // that messages named and the file had not
}

// ExportType gives the content type of an export.
func ExportType(format string) string {
	switch format {
	case "json":
		return "application/json"
	case "html":
		return "text/html; charset=utf-8"
	}
	return "text/markdown; charset=utf-8"
}
