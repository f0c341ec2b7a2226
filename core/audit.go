package core

import "time"

// Audit is one line of the audit file: a security-relevant action, written before it is done and answered. Details never hold
// secrets, prompts or answers. Whoever writes one gives Action to Details; the log gives the rest.
type Audit struct {
	Seq     uint64         `json:"seq"` // one more than the line before
	Time    time.Time      `json:"time"`
	Action  string         `json:"action"` // noun.verb: session.erase, config.reload …
	User    UserID         `json:"user"`
	Via     string         `json:"via,omitempty"`     // socket, daemon or cli
	Target  string         `json:"target,omitempty"`  // an id or a name
	OK      bool           `json:"ok"`                // false: it was refused, or failed after a line that announced it
	Request string         `json:"request,omitempty"` // the request's id, as the log has it
	Details map[string]any `json:"details,omitempty"`
	Prev    string         `json:"prev"`           // hash of the line before, also when that is in another file; zeros in the first
	Hash    string         `json:"hash,omitempty"` // sha256 of this line without this field
}
