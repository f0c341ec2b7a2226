package api

import "encoding/json"

// The routes of the settings.
const (
	RouteSettings    = "GET /api/settings"
	RouteSettingsSet = "PUT /api/settings"
)

type (
	// Settings is the answer of both: the configuration in force, secrets masked. Digest is of the file's text.
	Settings struct {
		Digest     string         `json:"digest"`
		Settings   map[string]any `json:"settings"`
		Changeable []string       `json:"changeable"`        // the top-level keys that may be set here
		Problem    string         `json:"problem,omitempty"` // why the file as it is now is not in force
	}
	// SettingsSet is the body of RouteSettingsSet: paths and their values, null for the default. Digest is the one that was
	// read, or comes as If-Match.
	SettingsSet struct {
		Digest string                     `json:"digest"`
		Set    map[string]json.RawMessage `json:"set"`
	}
)
