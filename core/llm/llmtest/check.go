package llmtest

import (
	"bytes"
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// toolName reports whether providers take a tool's name.
func toolName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// badSchema says what is wrong with a JSON schema; object asks for one that describes an object.
func badSchema(raw json.RawMessage, object bool) string {
	if len(raw) == 0 {
		return ""
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return "it is not JSON"
	}
	m, ok := doc.(map[string]any)
	if object && (!ok || m["type"] != "object") {
		return `schema must be a JSON Schema of 'type: "object"'`
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		return "it is not a JSON schema"
	}
	if _, err := c.Compile("schema.json"); err != nil {
		return "it is not a valid JSON schema"
	}
	return ""
}
