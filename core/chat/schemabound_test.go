package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"jarvis/core"
)

// doubling is a schema of n definitions of which each refers to the next one twice: 2ⁿ steps for one value.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"a%d":{"type":"integer"}}}`, n)
	return b.String()
}

func TestASchemaIsBounded(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"items":`, n) + `true` + strings.Repeat(`}`, n) }
	wide := func(n int) string {
		props := make([]string, n)
		for i := range props {
			props[i] = fmt.Sprintf(`"p%d":{"type":"string"}`, i)
		}
		return `{"properties":{` + strings.Join(props, ",") + `}}`
	}
	for _, tc := range []struct {
		name, schema string
		code         core.Code
		say          string
	}{
		{"plain", `{"type":"object","properties":{"a":{"type":"string"}}}`, "", ""},
		{"deep enough", deep(maxSchemaDepth), "", ""},
		{"too deep", deep(maxSchemaDepth + 1), core.BadRequest, "the schema is nested deeper than 64 levels"},
		{"1,000 levels", deep(1000), core.BadRequest, "the schema is nested deeper than 64 levels"},
		{"deep and cut off", strings.Repeat(`[`, 100_000), core.BadRequest, "the schema is nested deeper than 64 levels"},
		{"wide enough", wide(maxSchemaParts - 2), "", ""},
		{"too wide", wide(maxSchemaParts), core.BadRequest, "the schema has more than 5000 objects and lists"},
		{"too large", `{"title":"` + strings.Repeat("x", maxSchema) + `"}`, core.TooLarge, "the schema is larger than 256 KiB"},
		{"few references", doubling(8), "", ""},
		{"references", doubling(60), core.BadRequest, "the references of the schema multiply to more than 100000 steps"},
		{"a tree", `{"$defs":{"n":{"properties":{"l":{"$ref":"#/$defs/n"},"r":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`, "", ""},
		{"itself", `{"properties":{"a":{"$ref":"#"},"b":{"$ref":"#/none/x"},"c":{"$ref":"https://x/y"}}}`, "", ""},
		{"not JSON", `{"a"`, "", ""}, // whoever compiles it says so
	} {
		err := checkSchema(json.RawMessage(tc.schema))
		if err == nil && tc.code == "" {
			continue
		}
		if core.CodeOf(err) != tc.code || err == nil || err.Error() != tc.say {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// TestAskBoundsASchemaFirst: a schema that is refused is never compiled.
func TestAskBoundsASchemaFirst(t *testing.T) {
	d := deps(&model{ref: "fake/one"}, NewMemory())
	d.ValidateJSON = func([]byte, []byte) ([]byte, error) { t.Error("compiled"); return nil, nil }
	_, err := New(d).Ask(t.Context(), core.Ask{User: core.Owner, Text: "a", Params: core.Params{Schema: json.RawMessage(doubling(60))}})
	if core.CodeOf(err) != core.BadRequest {
		t.Error(err)
	}
}

func FuzzCheckSchema(f *testing.F) {
	for _, s := range []string{`{}`, `[`, `{"$ref":"#"}`, `{"$ref":"#/a~1b","a/b":{"$ref":"#/$ref"}}`, doubling(20), `true`, `"x"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		if err := checkSchema(schema); err != nil && core.CodeOf(err) != core.BadRequest && core.CodeOf(err) != core.TooLarge {
			t.Error(err)
		}
	})
}
