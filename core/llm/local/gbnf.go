package local

import "encoding/json"

// Grammar turns a JSON schema into GBNF; false when it cannot.
func Grammar(schema json.RawMessage) (string, bool) { return "", false }
