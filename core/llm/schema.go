package llm

import "encoding/json"

// SchemaFit says how far a JSON schema lies inside what providers enforce by themselves.
type SchemaFit struct {
	Object bool // the root is an object
	Closed bool // every object forbids other properties, and only common keywords are used
	Strict bool // … and requires all its properties
}

// common are the keywords that every provider's structured output takes.
var common = map[string]bool{
	"type": true, "properties": true, "required": true, "additionalProperties": true, "items": true, "enum": true,
	"const": true, "description": true, "title": true, "anyOf": true, "$defs": true, "$ref": true, "$schema": true,
}

// maxSchemaDepth bounds the walk; deeper schemas are not enforced by the provider.
const maxSchemaDepth = 10

// FitSchema looks at a schema. One that is not a JSON object fits nothing.
func FitSchema(raw json.RawMessage) SchemaFit {
	var root map[string]any
	if json.Unmarshal(raw, &root) != nil {
		return SchemaFit{}
	}
	f := SchemaFit{Object: root["type"] == "object", Closed: true, Strict: true}
	f.walk(root, 0)
	f.Strict = f.Strict && f.Closed && f.Object
	return f
}

func (f *SchemaFit) walk(s map[string]any, depth int) {
	if depth > maxSchemaDepth {
		f.Closed = false
		return
	}
	for k := range s {
		if !common[k] {
			f.Closed = false
		}
	}
	if _, several := s["type"].([]any); several {
		f.Closed = false
	}
	props, _ := s["properties"].(map[string]any)
	if s["type"] == "object" || props != nil {
		if s["additionalProperties"] != false {
			f.Closed = false
		}
		if req, _ := s["required"].([]any); len(req) != len(props) {
			f.Strict = false
		}
	}
	f.each(props, depth)
	if defs, ok := s["$defs"].(map[string]any); ok {
		f.each(defs, depth)
	}
	f.one(s["items"], depth)
	if any, ok := s["anyOf"].([]any); ok {
		for _, v := range any {
			f.one(v, depth)
		}
	}
}

func (f *SchemaFit) each(m map[string]any, depth int) {
	for _, v := range m {
		f.one(v, depth)
	}
}

func (f *SchemaFit) one(v any, depth int) {
	switch v := v.(type) {
	case nil:
	case map[string]any:
		f.walk(v, depth+1)
	default:
		f.Closed = false
	}
}
