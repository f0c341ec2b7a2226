package core

import "time"

// Audit is one line of the audit file: a security-relevant action, written before it is answered. Details never hold secrets,
// prompts or answers.
type Audit struct {
	Time    time.Time      `json:"time"`
	Seq     uint64         `json:"seq"`
	Action  string         `json:"action"` // noun.verb: session.erase, tool.run, config.reload …
	User    UserID         `json:"user"`
	Via     string         `json:"via,omitempty"`    // cli tui api job daemon
	Target  string         `json:"target,omitempty"` // an id or a name
	OK      bool           `json:"ok"`
	Request string         `json:"request,omitempty"` // the request's id, as the log has it
	Details map[string]any `json:"details,omitempty"`
	Prev    string         `json:"prev"` // hash of the line before; of the first line of a rotated file that of the last one before
	Hash    string         `json:"hash"` // sha256 of this line without Hash
}
