package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestGrammar(t *testing.T) {
	for _, c := range []struct {
		schema string
		yes    []string
		no     []string
	}{
		{`{"type":"string"}`, []string{`""`, `"a"`, `"ä\n\"x\""`}, []string{``, `a`, `"`, `"a" `, `1`, "\"\n\"", `"\x"`}},
		{`{"type":"string","minLength":2,"maxLength":3}`, []string{`"ab"`, `"äöü"`, `"\n\""`}, []string{`"a"`, `"abcd"`}},
		{`{"type":"string","maxLength":0}`, []string{`""`}, []string{`"a"`}},
		{`{"type":"integer"}`, []string{`0`, `-1`, `42`}, []string{`01`, `1.5`, `-`, `1e3`, `+1`}},
		{`{"type":"number"}`, []string{`0`, `-1.5`, `1e3`, `2.5E-3`}, []string{`.5`, `1.`, `NaN`}},
		{`{"type":"boolean"}`, []string{`true`, `false`}, []string{`True`, `null`}},
		{`{"type":["string","null"]}`, []string{`null`, `"x"`}, []string{`1`}},
		{`{"type":["integer","number"]}`, []string{`1`, `1.5`}, []string{`"1"`}},
		{`{"enum":["a","b\"c",3,null,{"k":[1,2]}]}`, []string{`"a"`, `"b\"c"`, `3`, `null`, `{"k":[1,2]}`}, []string{`"c"`, `4`}},
		{`{"type":"string","enum":["a",1]}`, []string{`"a"`}, []string{`1`}},
		{`{"const":"x\ny"}`, []string{`"x\ny"`}, []string{`"x"`}},
		{`{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":3}`, []string{`[1]`, `[1,2]`, `[1, 2, 3]`}, []string{`[]`, `[1,2,3,4]`, `[1,]`, `["a"]`}},
		{`{"type":"array","items":{"type":"boolean"}}`, []string{`[]`, `[true]`}, []string{`[,]`, `[1]`}},
		{`{"type":"array","maxItems":0}`, []string{`[]`}, []string{`[1]`}},
		{`{"type":"array","items":{"type":"null"},"maxItems":1}`, []string{`[]`, `[null]`}, []string{`[null,null]`}},
		{`{"type":"array","items":{"type":"null"},"minItems":2,"maxItems":2}`, []string{`[null,null]`}, []string{`[null]`}},
		{
			`{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"],"additionalProperties":false}`,
			[]string{`{"name":"x","age":3}`, `{"name": "x", "age": 3}`},
			[]string{`{}`, `{"name":"x"}`, `{"age":3,"name":"x"}`, `{"name":"x","age":3,}`, `{"name":"x" "age":3}`},
		},
		{
			`{"type":"object","properties":{"a":{"type":"null"},"b":{"type":"null"},"c":{"type":"null"}}}`,
			[]string{`{}`, `{"a":null}`, `{"b":null}`, `{"c":null}`, `{"a":null,"c":null}`, `{"b":null,"c":null}`, `{"a":null,"b":null,"c":null}`},
			[]string{`{,"a":null}`, `{"a":null,}`, `{"c":null,"a":null}`, `{"a":null"b":null}`},
		},
		{
			`{"properties":{"a":{"type":"null"},"b":{"type":"null"},"c":{"type":"null"}},"required":["b"]}`,
			[]string{`{"b":null}`, `{"a":null,"b":null}`, `{"b":null,"c":null}`, `{"a":null,"b":null,"c":null}`},
			[]string{`{}`, `{"a":null}`, `{"a":null,"c":null}`, `{"c":null}`},
		},
		{`{"type":"object","properties":{}}`, []string{`{}`}, []string{`{"a":1}`}},
		{`{"type":"object","additionalProperties":false}`, []string{`{}`}, []string{`{"a":1}`}},
		{`{"type":"object","additionalProperties":{"type":"integer"}}`, []string{`{}`, `{"a":1}`, `{"a":1, "b":2}`}, []string{`{"a":"x"}`, `{a:1}`}},
		{`{"type":"object","properties":{"we \"ird\"\n":{"type":"null"}},"required":["we \"ird\"\n"]}`, []string{`{"we \"ird\"\n":null}`}, []string{`{}`}},
		{`{}`, []string{`1`, `"x"`, `null`, `{"a":[1,{"b":true}]}`, `[]`, `{}`}, []string{`x`, `{1:2}`, `[1,]`}},
		{`true`, []string{`[null]`}, []string{``}},
		{
			`{"type":"object","properties":{"tags":{"type":"array","items":{"enum":["x","y"]}},"at":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}},"required":["tags","at"]}`,
			[]string{`{"tags":[],"at":{"n":1}}`, `{"tags":["x", "y"], "at":{"n":-0.5}}`},
			[]string{`{"tags":["z"],"at":{"n":1}}`, `{"tags":[],"at":{}}`},
		},
		{`{"title":"T","description":"d","default":1,"type":"integer","format":"int32"}`, []string{`7`}, []string{`"7"`}},
	} {
		g, ok := Grammar(json.RawMessage(c.schema))
		if !ok {
			t.Errorf("%s: not expressible", c.schema)
			continue
		}
		accepts, err := recogniser(g)
		if err != nil {
			t.Errorf("%s: %v\n%s", c.schema, err, g)
			continue
		}
		for _, s := range c.yes {
			if !accepts(s) {
				t.Errorf("%s: refuses %s\n%s", c.schema, s, g)
			}
		}
		for _, s := range c.no {
			if accepts(s) {
				t.Errorf("%s: accepts %s\n%s", c.schema, s, g)
			}
		}
	}
}

func TestGrammarNotExpressible(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, 40) + `{}` + strings.Repeat(`}`, 40)
	for _, s := range []string{
		``, `x`, `1`, `[]`, `false`, `"string"`, `{"type":"strange"}`, `{"type":[]}`, `{"type":7}`, `{"$ref":"#/x"}`, `{"anyOf":[{}]}`, `{"oneOf":[{}]}`,
		`{"type":"string","pattern":"a"}`, `{"type":"integer","minimum":1}`, `{"enum":[]}`, `{"type":"string","enum":[1]}`, `{"not":{}}`,
		`{"type":"array","uniqueItems":true}`, `{"type":"array","prefixItems":[{}]}`, `{"minItems":3,"maxItems":2}`, `{"type":"string","minLength":3,"maxLength":2}`,
		`{"type":"string","maxLength":-1}`, `{"type":"string","maxLength":1.5}`, `{"type":"string","maxLength":100000}`, `{"required":["a"]}`,
		`{"properties":{"a":false},"required":["a"]}`, `{"properties":{"a":{},"a":{}}}`, `{"properties":{"a":{"$ref":"#"}}}`, `{"items":false,"minItems":1}`, deep,
	} {
		if g, ok := Grammar(json.RawMessage(s)); ok {
			t.Errorf("%s: expressed as\n%s", s, g)
		}
	}
}

func TestLooseGrammar(t *testing.T) {
	const schema = `{"type":"object","properties":{"n":{"type":"integer","minimum":100},"s":{"type":"string","pattern":"^a"}},"required":["n"],"minProperties":1}`
	if _, ok := Grammar(json.RawMessage(schema)); ok {
		t.Error("expressed what only a check can tell")
	}
	g, ok := looseGrammar(json.RawMessage(schema))
	if !ok {
		t.Fatal("no loose grammar")
	}
	accepts, err := recogniser(g)
	if err != nil || !accepts(`{"n":100,"s":"a"}`) || accepts(`{"s":"a"}`) || accepts(`[]`) {
		t.Errorf("%v\n%s", err, g)
	}
	for _, s := range []string{`{"$ref":"#/x"}`, `{"anyOf":[{}]}`, `{"allOf":[{}]}`, `{"type":"array","prefixItems":[{}]}`} {
		if _, ok := looseGrammar(json.RawMessage(s)); ok {
			t.Errorf("%s: a grammar that may forbid what the schema allows", s)
		}
	}
}

// TestGrammarAgreesWithSchema draws schemas and values of them: the grammar takes the value, and a damaged value that it takes
// is still one of the schema.
func TestGrammarAgreesWithSchema(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 400 {
		schema := drawSchema(rnd, 0)
		raw, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		g, ok := Grammar(raw)
		if !ok {
			t.Fatalf("%s: not expressible", raw)
		}
		accepts, err := recogniser(g)
		if err != nil {
			t.Fatalf("%s: %v\n%s", raw, err, g)
		}
		judge := compile(t, raw)
		for range 5 {
			v := drawValue(rnd, schema)
			if !accepts(v) {
				t.Fatalf("%s: refuses its value %s\n%s", raw, v, g)
			}
			bad := []byte(v)
			bad[rnd.IntN(len(bad))] = `{}[],:"a1-.`[rnd.IntN(11)]
			if !accepts(string(bad)) {
				refused++
				continue
			}
			if x, err := jsonschema.UnmarshalJSON(bytes.NewReader(bad)); err != nil || judge.Validate(x) != nil {
				t.Fatalf("%s: accepts %s\n%s", raw, bad, g)
			}
		}
	}
	if refused < 500 {
		t.Errorf("only %d damaged values were refused: the test does not test", refused)
	}
}

func compile(t testing.TB, raw []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:s", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:s")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shape is a schema whose properties keep their order when marshalled: names sort as they are drawn.
type shape map[string]any

func drawSchema(r *rand.Rand, depth int) shape {
	n := 8
	if depth > 2 {
		n = 6
	}
	switch r.IntN(n) {
	case 0:
		return shape{"type": "string"}
	case 1:
		return shape{"type": "integer"}
	case 2:
		return shape{"type": "number"}
	case 3:
		return shape{"type": "boolean"}
	case 4:
		return shape{"enum": []any{"a", "b \"q\"", 3, nil, true}}
	case 5:
		return shape{"type": "string", "minLength": 1, "maxLength": 4}
	case 6:
		low := r.IntN(3)
		return shape{"type": "array", "items": drawSchema(r, depth+1), "minItems": low, "maxItems": low + r.IntN(3)}
	}
	props, required := shape{}, []string{}
	for i := range 1 + r.IntN(4) {
		k := fmt.Sprintf("%c\" %d", 'a'+i, i)
		props[k] = drawSchema(r, depth+1)
		if r.IntN(2) == 0 {
			required = append(required, k)
		}
	}
	return shape{"type": "object", "properties": props, "required": required, "additionalProperties": false}
}

func drawValue(r *rand.Rand, s shape) string {
	if e, ok := s["enum"].([]any); ok {
		return encode(e[r.IntN(len(e))])
	}
	switch s["type"] {
	case "string":
		return encode([]string{"a", "äö", "x\"y", "\n", "<b>"}[r.IntN(5)])
	case "integer":
		return encode(r.IntN(2000) - 1000)
	case "number":
		return encode(float64(r.IntN(2000)-1000) / 8)
	case "boolean":
		return encode(r.IntN(2) == 0)
	case "array":
		var vs []string
		low, high := s["minItems"].(int), s["maxItems"].(int)
		for range low + r.IntN(high-low+1) {
			vs = append(vs, drawValue(r, s["items"].(shape)))
		}
		return "[" + strings.Join(vs, ",") + "]"
	}
	var vs []string
	props := s["properties"].(shape)
	for i := range len(props) {
		k := fmt.Sprintf("%c\" %d", 'a'+i, i)
		must := false
		for _, q := range s["required"].([]string) {
			must = must || q == k
		}
		if must || r.IntN(2) == 0 {
			vs = append(vs, encode(k)+": "+drawValue(r, props[k].(shape)))
		}
	}
	return "{" + strings.Join(vs, ", ") + "}"
}

func encode(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

func FuzzGrammar(f *testing.F) {
	for _, s := range []string{`{}`, `true`, `{"type":"object","properties":{"a":{"enum":["x",1]},"b":{"items":{"type":["null","string"]}}},"required":["b"]}`, `{"const":"\u0000\u007f\\"}`, `{"additionalProperties":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		g, ok := looseGrammar(b)
		if exact, yes := Grammar(b); yes && (!ok || exact != g) {
			t.Fatalf("%q: loose and exact differ", b)
		}
		if !ok {
			return
		}
		if _, err := recogniser(g); err != nil {
			t.Fatalf("%q: %v\n%s", b, err, g)
		}
	})
}
