package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"jarvis/core"
)

// The bounds of an answer's schema. Compiling one takes time and memory by the cube of its depth and the square of its parts,
// and checking a value takes one step for each way through its references.
const (
	maxSchema      = 256 << 10 // bytes
	maxSchemaDepth = 64        // objects and arrays inside each other
	maxSchemaParts = 5000      // objects and arrays in all
	maxSchemaSteps = 100_000   // objects when each reference is replaced by what it names
)

// checkSchema refuses a schema that would cost too much, before anybody compiles it. One that is not JSON passes: whoever
// compiles it says what is wrong.
func checkSchema(schema json.RawMessage) error {
	if len(schema) > maxSchema {
		return core.E(core.TooLarge, fmt.Sprintf("the schema is larger than %d KiB", maxSchema>>10), "jarvis ask --help", nil)
	}
	depth, parts := 0, 0
	for d := json.NewDecoder(bytes.NewReader(schema)); ; {
		t, err := d.Token()
		if err != nil {
			break
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
			parts++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		switch {
		case depth > maxSchemaDepth:
			return bad(fmt.Sprintf("the schema is nested deeper than %d levels", maxSchemaDepth))
		case parts > maxSchemaParts:
			return bad(fmt.Sprintf("the schema has more than %d objects and lists", maxSchemaParts))
		}
	}
	var root any
	if json.Unmarshal(schema, &root) != nil {
		return nil
	}
	w := schemaWalk{root: root, cost: map[string]int{}}
	if w.steps(root) >= maxSchemaSteps {
		return bad(fmt.Sprintf("the references of the schema multiply to more than %d steps", maxSchemaSteps))
	}
	return nil
}

// schemaWalk counts a schema's objects with its references replaced, each target once.
type schemaWalk struct {
	root any
	cost map[string]int // by reference; 0 = being counted
}

func (w *schemaWalk) steps(v any) int {
	n := 0
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n = min(n+w.steps(e), maxSchemaSteps)
		}
	case map[string]any:
		n = 1
		for k, e := range v {
			if ref, ok := e.(string); ok && k == "$ref" {
				n = min(n+w.target(ref), maxSchemaSteps)
				continue
			}
			n = min(n+w.steps(e), maxSchemaSteps)
		}
	}
	return n
}

// target counts what a reference inside the schema names. One to what holds it counts as a step: it ends with the value.
func (w *schemaWalk) target(ref string) int {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return 1
	}
	if n, seen := w.cost[path]; seen {
		return max(n, 1)
	}
	v := w.root
	for _, name := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			break
		}
		m, ok := v.(map[string]any)
		if !ok {
			return 1
		}
		v = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	w.cost[path] = 0
	n := w.steps(v)
	w.cost[path] = n
	return n
}
