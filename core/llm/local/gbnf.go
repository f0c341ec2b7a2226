package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The bounds of a grammar. A small model left alone in a string or an array does not find its end: it fills the answer's limit
// and leaves half a value. So what the schema does not bound is bounded here.
const (
	maxSchema  = 256 << 10 // bytes of a schema
	maxDepth   = 32        // schemas inside schemas
	maxString  = 512       // characters of a string
	maxItems   = 64        // items of an array, members of a map
	maxRepeat  = 2000      // llama.cpp refuses more repetitions
	maxBudget  = 20_000    // repetitions and rules in all
	integerSet = `"-"? ("0" | [1-9] [0-9]{0,14})`
)

// Grammar turns a JSON schema into a GBNF grammar whose root derives only values of that schema, written without line breaks
// and with the properties in the schema's order. False means that the schema cannot be expressed this way, or only by a grammar
// that would allow more: then the caller validates the answer and asks again.
//
// Expressed are type (also a list of types), properties, required, additionalProperties, items, minItems, maxItems, minLength,
// maxLength, enum and const, nested; annotations (title, description, default, examples, format, …) are passed over. Anything
// else ($ref, anyOf, pattern, minimum, …) is not.
func Grammar(schema json.RawMessage) (string, bool) { return compileGrammar(schema, false) }

// looseGrammar is Grammar for a schema that also has keywords which only narrow (minimum, pattern, …): they are passed over, so
// that the answer has at least the right form when the caller validates it.
func looseGrammar(schema json.RawMessage) (string, bool) { return compileGrammar(schema, true) }

func compileGrammar(schema json.RawMessage, loose bool) (string, bool) {
	if len(schema) > maxSchema || !json.Valid(schema) {
		return "", false
	}
	g := &grammar{loose: loose, byBody: map[string]string{}}
	root, err := g.schema(schema, 0)
	if err != nil {
		return "", false
	}
	return "root ::= " + root + "\n" + g.out.String(), true
}

var errInexpressible = errors.New("not expressible")

// grammar collects rules. Rules with equal bodies are one.
type grammar struct {
	loose  bool
	out    strings.Builder
	byBody map[string]string
	spent  int
}

func (g *grammar) rule(body string) string {
	if n, ok := g.byBody[body]; ok {
		return n
	}
	n := fmt.Sprintf("r%d", len(g.byBody))
	g.byBody[body] = n
	fmt.Fprintf(&g.out, "%s ::= %s\n", n, body)
	return n
}

func (g *grammar) spend(n int) error {
	if g.spent += n; g.spent > maxBudget {
		return errInexpressible
	}
	return nil
}

type member struct {
	key string
	raw json.RawMessage
}

// members reads a JSON object in its order.
func members(raw json.RawMessage) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errInexpressible
	}
	out := []member{} // never nil: no members is not no object
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: t.(string)}
		if seen[m.key] {
			return nil, errInexpressible
		}
		seen[m.key] = true
		if err := d.Decode(&m.raw); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// keywords are a schema's, decoded as far as a grammar needs them.
type keywords struct {
	types      []string
	enum       []json.RawMessage
	props      []member
	required   []string
	additional json.RawMessage
	items      json.RawMessage
	minLength  int
	maxLength  int // -1 = none
	minItems   int
	maxItems   int // -1 = none
}

// narrowing are keywords that take values away from what the others allow and say nothing of their form.
var narrowing = []string{
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "uniqueItems", "contains", "minContains",
	"maxContains", "minProperties", "maxProperties", "propertyNames", "dependentRequired", "not", "if", "then", "else",
}

func parseSchema(raw json.RawMessage, loose bool) (keywords, error) {
	k := keywords{maxLength: -1, maxItems: -1}
	ms, err := members(raw)
	if err != nil {
		return k, err
	}
	for _, m := range ms {
		var err error
		switch m.key {
		case "title", "description", "$schema", "$id", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly", "format", "$defs", "definitions":
		case "type":
			k.types, err = typeList(m.raw)
		case "enum":
			if err = json.Unmarshal(m.raw, &k.enum); err == nil && len(k.enum) == 0 {
				err = errInexpressible
			}
		case "const":
			k.enum = []json.RawMessage{m.raw}
		case "properties":
			k.props, err = members(m.raw)
		case "required":
			err = json.Unmarshal(m.raw, &k.required)
		case "additionalProperties":
			k.additional = m.raw
		case "items":
			k.items = m.raw
		case "minLength":
			k.minLength, err = count(m.raw)
		case "maxLength":
			k.maxLength, err = count(m.raw)
		case "minItems":
			k.minItems, err = count(m.raw)
		case "maxItems":
			k.maxItems, err = count(m.raw)
		default:
			if !loose || !slices.Contains(narrowing, m.key) {
				err = errInexpressible
			}
		}
		if err != nil {
			return k, err
		}
	}
	return k, nil
}

func count(raw json.RawMessage) (int, error) {
	var n int
	if err := json.Unmarshal(raw, &n); err != nil || n < 0 {
		return 0, errInexpressible
	}
	return n, nil
}

var allTypes = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

func typeList(raw json.RawMessage) ([]string, error) {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		raw = json.RawMessage(fmt.Sprintf("[%q]", one))
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		return nil, errInexpressible
	}
	for _, t := range list {
		if !slices.Contains(allTypes, t) {
			return nil, errInexpressible
		}
	}
	return list, nil
}

// schema compiles one schema and returns the name of its rule.
func (g *grammar) schema(raw json.RawMessage, depth int) (string, error) {
	if depth > maxDepth {
		return "", errInexpressible
	}
	if err := g.spend(1); err != nil {
		return "", err
	}
	raw = bytes.TrimSpace(raw)
	if string(raw) == "true" {
		return g.any(), nil
	}
	k, err := parseSchema(raw, g.loose)
	if err != nil {
		return "", err
	}
	if k.enum != nil {
		return g.enum(k)
	}
	if k.types == nil {
		switch {
		case k.props != nil || k.required != nil || k.additional != nil:
			k.types = []string{"object"}
		case k.items != nil || k.minItems > 0 || k.maxItems >= 0:
			k.types = []string{"array"}
		case k.minLength > 0 || k.maxLength >= 0:
			k.types = []string{"string"}
		default:
			return g.any(), nil
		}
	}
	var alts []string
	for _, t := range k.types {
		if t == "integer" && slices.Contains(k.types, "number") {
			continue // a number already is one
		}
		a, err := g.typed(t, k, depth)
		if err != nil {
			return "", err
		}
		if !slices.Contains(alts, a) {
			alts = append(alts, a)
		}
	}
	return g.rule(strings.Join(alts, " | ")), nil
}

func (g *grammar) typed(t string, k keywords, depth int) (string, error) {
	switch t {
	case "object":
		return g.object(k, depth)
	case "array":
		return g.array(k, depth)
	case "string":
		return g.str(k.minLength, k.maxLength)
	case "number":
		return g.number(), nil
	case "integer":
		return g.rule(integerSet), nil
	case "boolean":
		return `"true" | "false"`, nil
	}
	return `"null"`, nil
}

// enum lists values that the type, when there is one, allows.
func (g *grammar) enum(k keywords) (string, error) {
	if k.props != nil || k.required != nil || k.items != nil || k.minLength > 0 || k.maxLength >= 0 || k.minItems > 0 || k.maxItems >= 0 {
		return "", errInexpressible
	}
	if err := g.spend(len(k.enum)); err != nil {
		return "", err
	}
	var alts []string
	for _, v := range k.enum {
		var b bytes.Buffer
		if err := json.Compact(&b, v); err != nil {
			return "", err
		}
		if k.types == nil || slices.ContainsFunc(k.types, func(t string) bool { return isType(b.Bytes(), t) }) {
			alts = append(alts, literal(b.String()))
		}
	}
	if len(alts) == 0 {
		return "", errInexpressible
	}
	return g.rule(strings.Join(alts, " | ")), nil
}

func isType(v []byte, t string) bool {
	switch v[0] {
	case '{':
		return t == "object"
	case '[':
		return t == "array"
	case '"':
		return t == "string"
	case 't', 'f':
		return t == "boolean"
	case 'n':
		return t == "null"
	}
	return t == "number" || t == "integer" && !bytes.ContainsAny(v, ".eE")
}

// literal writes a text as a GBNF literal.
func literal(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
