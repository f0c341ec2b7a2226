package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// node is a JSON schema, its keys in the order in which people read them.
type node struct {
	Schema      string      `json:"$schema,omitempty"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	Type        any         `json:"type,omitempty"`
	Enum        []any       `json:"enum,omitempty"`
	Pattern     string      `json:"pattern,omitempty"`
	Minimum     *float64    `json:"minimum,omitempty"`
	Default     any         `json:"default,omitempty"`
	OneOf       []*node     `json:"oneOf,omitempty"`
	Properties  *properties `json:"properties,omitempty"`
	Required    []string    `json:"required,omitempty"`
	Additional  any         `json:"additionalProperties,omitempty"`
	Items       *node       `json:"items,omitempty"`
	Restart     bool        `json:"x-restart,omitempty"`
	WriteOnly   bool        `json:"writeOnly,omitempty"`
}

// properties keep the order of the struct, which a Go map would lose.
type properties struct {
	names []string
	nodes []*node
}

// MarshalJSON writes an object.
func (p *properties) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, name := range p.names {
		if i > 0 {
			b.WriteByte(',')
		}
		v, err := json.Marshal(p.nodes[i])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", name, v)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// Schema is the JSON schema (draft 2020-12) of the file.
func Schema() ([]byte, error) {
	defaults, err := Default().Tree()
	if err != nil {
		return nil, err
	}
	n := root().schema(defaults)
	n.Schema, n.Title = "https://json-schema.org/draft/2020-12/schema", "jarvis configuration"
	return json.MarshalIndent(n, "", "  ")
}

func (f field) schema(def *yaml.Node) *node {
	n := &node{Description: f.doc, Restart: f.restart}
	if v, err := strconv.ParseFloat(f.min, 64); err == nil && f.t != sizeType {
		n.Minimum = &v
	}
	switch {
	case f.t == tlsType:
		n.OneOf = []*node{{Enum: []any{"off", "auto", false}}, field{t: reflect.TypeFor[tlsFiles]()}.schema(nil)}
		n.OneOf[1].Required = []string{"cert", "key"}
	case f.t == sizeType:
		n.Type, n.Pattern = []string{"string", "integer"}, `^ *[0-9]+ *([KMG]i?B|kB|B)? *$`
	case f.t == durationType:
		n.Type, n.Pattern = []string{"string", "integer"}, `^ *\+?(0|([0-9.]+(ns|us|µs|ms|s|m|h))+) *$`
	case f.t.Kind() == reflect.Struct:
		n.Type, n.Additional = "object", false
		n.Properties = &properties{}
		for _, s := range f.fields() {
			var sub *yaml.Node
			if def != nil {
				_, sub, _ = entry(def, s.name)
			}
			n.Properties.names = append(n.Properties.names, s.name)
			n.Properties.nodes = append(n.Properties.nodes, s.schema(sub))
		}
		return n
	case f.t.Kind() == reflect.Map:
		n.Type = "object"
		e := f.elem("NAME")
		e.doc = ""
		n.Additional = e.schema(nil)
	case f.t.Kind() == reflect.Slice:
		n.Type = "array"
		e := f.elem("0")
		e.doc = ""
		n.Items = e.schema(nil)
	case f.t.Kind() == reflect.Bool:
		n.Type = "boolean"
	case f.t.Kind() == reflect.Int:
		n.Type = "integer"
	case f.t.Kind() == reflect.Float64:
		n.Type = "number"
	default:
		n.Type, n.WriteOnly = "string", f.secret()
		for _, e := range f.enum {
			n.Enum = append(n.Enum, e)
		}
	}
	if def != nil {
		var v any
		if def.Load(&v) == nil {
			n.Default = v
		}
	}
	return n
}

// Template is a file with every key commented out: its documentation, and its default as the value.
func Template() ([]byte, error) {
	defaults, err := Default().Tree()
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("# The configuration of jarvis. Every line is a default; remove the # to change one.\n# jarvis config schema prints the rules, jarvis config show what is in force.\n")
	for _, f := range root().fields() {
		_, def, _ := entry(defaults, f.name)
		fmt.Fprintf(&b, "\n# %s\n", f.doc)
		subs := f.fields()
		if len(subs) == 0 {
			fmt.Fprintf(&b, "#%s: %s\n", f.name, flow(def, 0))
			continue
		}
		fmt.Fprintf(&b, "#%s:\n", f.name)
		for _, s := range subs {
			_, v, _ := entry(def, s.name)
			fmt.Fprintf(&b, "#  %s: %s   # %s\n", s.name, flow(v, 0), s.doc)
		}
	}
	return []byte(b.String()), nil
}
