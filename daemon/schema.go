package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/kaptinlin/jsonrepair"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// errNoLoad keeps a schema from making the daemon read files or fetch addresses.
var errNoLoad = errors.New("a schema must not refer to another file")

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errNoLoad }

// validateJSON checks a value against a schema and gives it back, freed of a code fence and of mistakes that only its writing
// has. With a nil value only the schema itself is checked.
func validateJSON(schema, value []byte) ([]byte, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		return nil, schemaError(err)
	}
	sch, err := c.Compile("mem:///schema.json")
	if err != nil {
		return nil, schemaError(err)
	}
	if value == nil {
		return nil, nil
	}
	text := unfence(strings.TrimSpace(string(value)))
	if !json.Valid([]byte(text)) {
		repaired, err := jsonrepair.Repair(text)
		if err != nil || !json.Valid([]byte(repaired)) {
			return nil, errors.New("the answer is not one JSON value")
		}
		text = repaired
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	if err := sch.Validate(v); err != nil {
		return nil, firstCause(err)
	}
	return []byte(text), nil
}

// unfence takes a value out of a Markdown code fence that is the whole text.
func unfence(s string) string {
	rest, ok := strings.CutPrefix(s, "```")
	if !ok || !strings.HasSuffix(rest, "```") {
		return s
	}
	rest = strings.TrimSuffix(rest, "```")
	if _, body, ok := strings.Cut(rest, "\n"); ok {
		return strings.TrimSpace(body)
	}
	return s
}

// schemaError says in one line what is wrong with a schema.
func schemaError(err error) error {
	var v *jsonschema.SchemaValidationError
	if errors.As(err, &v) {
		return firstCause(v.Err)
	}
	if errors.Is(err, errNoLoad) {
		return errNoLoad
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(strings.ReplaceAll(first, "mem:///schema.json", ""))
}

// firstCause gives the innermost reason in one line: models read it.
func firstCause(err error) error {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return err
	}
	for len(v.Causes) > 0 {
		v = v.Causes[0]
	}
	lines := strings.Split(strings.TrimSpace(v.Error()), "\n")
	return errors.New(strings.TrimSpace(strings.TrimPrefix(lines[len(lines)-1], "- ")))
}
