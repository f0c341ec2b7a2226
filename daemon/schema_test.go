package daemon

import (
	"strings"
	"testing"
)

func TestValidateJSON(t *testing.T) {
	const person = `{"type":"object","properties":{"name":{"type":"string"},"born":{"type":"integer"}},"required":["name"],"additionalProperties":false}`
	tests := []struct {
		name, schema, value string
		want, err           string
	}{
		{name: "valid", schema: person, value: `{"name":"Ada","born":1815}`, want: `{"name":"Ada","born":1815}`},
		{name: "kept as it was written", schema: person, value: " {\n \"name\": \"Ada\" } ", want: "{\n \"name\": \"Ada\" }"},
		{name: "fence", schema: person, value: "```json\n{\"name\":\"Ada\"}\n```", want: `{"name":"Ada"}`},
		{name: "fence without a name", schema: person, value: "```\n{\"name\":\"Ada\"}\n```\n", want: `{"name":"Ada"}`},
		{name: "trailing comma", schema: person, value: `{"name":"Ada",}`, want: `{"name":"Ada"}`},
		{name: "large number", schema: `{"type":"integer"}`, value: "12345678901234567890", want: "12345678901234567890"},
		{name: "missing", schema: person, value: `{"born":1815}`, err: "name"},
		{name: "wrong type", schema: person, value: `{"name":7}`, err: "/name"},
		{name: "too much", schema: person, value: `{"name":"Ada","x":1}`, err: "x"},
		{name: "the schema alone", schema: person},
		{name: "schema is not JSON", schema: `{`, err: "not JSON"},
		{name: "schema is none", schema: `{"type":"persn"}`, err: "/type"},
		{name: "schema of a file", schema: `{"$ref":"file:///etc/passwd"}`, err: "schema"},
		{name: "schema of the net", schema: `{"$ref":"http://127.0.0.1:1/x"}`, err: "schema"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var value []byte
			if tt.value != "" {
				value = []byte(tt.value)
			}
			got, err := validateJSON([]byte(tt.schema), value)
			if tt.err == "" {
				if err != nil || string(got) != tt.want {
					t.Errorf("%q %v", got, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func FuzzValidateJSON(f *testing.F) {
	f.Add(`{"type":"string"}`, `"x"`)
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#"}}}`, `{"a":[1,}`)
	f.Add(`true`, "```json\n1\n```")
	f.Fuzz(func(t *testing.T, schema, value string) {
		out, err := validateJSON([]byte(schema), []byte(value))
		if err == nil && len(out) == 0 {
			t.Errorf("nothing is valid for %s", schema)
		}
	})
}
