package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The rules of JSON's values. Between two values there may be one space, never more: a model in doubt would write nothing else.

func (g *grammar) ws() string { return g.rule(`" "?`) }

func (g *grammar) number() string {
	return g.rule(integerSet + ` ("." [0-9]{1,10})? ([eE] [-+]? [0-9]{1,2})?`)
}

func (g *grammar) char() string { return g.rule(`[^"\\\x00-\x1F] | "\\" ["\\/bfnrt]`) }

func (g *grammar) str(low, high int) (string, error) {
	if high < 0 {
		high = max(low, maxString)
	}
	if low > high || high > maxRepeat {
		return "", errInexpressible
	}
	if high == 0 {
		return g.rule(`"\"\""`), nil
	}
	body := fmt.Sprintf(`"\"" %s{%d,%d} "\""`, g.char(), low, high)
	if _, known := g.byBody[body]; !known {
		if err := g.spend(high); err != nil {
			return "", err
		}
	}
	return g.rule(body), nil
}

// any gives the name of a JSON value of any form. It refers to itself, so its rules have fixed names.
func (g *grammar) any() string { //nolint:unparam // the name is the answer, as of every other rule
	const name = "value"
	if g.byBody[name] != "" {
		return name
	}
	g.byBody[name] = name
	ws := g.ws()
	str, err := g.str(0, -1)
	if err != nil {
		str = g.rule(`"\"\""`) // the budget is spent; the schema is refused at its next rule
	}
	num := g.number()
	fmt.Fprintf(&g.out, "value ::= %s | %s | anyobject | anyarray | \"true\" | \"false\" | \"null\"\n", str, num)
	fmt.Fprintf(&g.out, "anyobject ::= \"{\" (%[1]s \":\" %[2]s value (\",\" %[2]s %[1]s \":\" %[2]s value){0,15})? \"}\"\n", str, ws)
	fmt.Fprintf(&g.out, "anyarray ::= \"[\" (value (\",\" %s value){0,15})? \"]\"\n", ws)
	return name
}

func (g *grammar) array(k keywords, depth int) (string, error) {
	items := k.items
	if items == nil {
		items = json.RawMessage("true")
	}
	high := k.maxItems
	if high < 0 {
		high = max(k.minItems, maxItems)
	}
	if k.minItems > high || high > maxRepeat {
		return "", errInexpressible
	}
	if string(bytes.TrimSpace(items)) == "false" {
		high = 0
		if k.minItems > 0 {
			return "", errInexpressible
		}
	}
	if high == 0 {
		return g.rule(`"[]"`), nil
	}
	if err := g.spend(high); err != nil {
		return "", err
	}
	item, err := g.schema(items, depth+1)
	if err != nil {
		return "", err
	}
	return g.rule(`"[" ` + g.list(item, k.minItems, high) + ` "]"`), nil
}

// list is low to high items with commas between them; high is at least 1.
func (g *grammar) list(item string, low, high int) string {
	s := item
	if high > 1 {
		s += fmt.Sprintf(` ("," %s %s){%d,%d}`, g.ws(), item, max(low-1, 0), high-1)
	}
	if low == 0 {
		return "(" + s + ")?"
	}
	return s
}

func (g *grammar) object(k keywords, depth int) (string, error) {
	var props []property
	for _, m := range k.props {
		p := property{required: slices.Contains(k.required, m.key)}
		if string(bytes.TrimSpace(m.raw)) == "false" {
			if p.required {
				return "", errInexpressible
			}
			continue // never there
		}
		v, err := g.schema(m.raw, depth+1)
		if err != nil {
			return "", err
		}
		key, err := quote(m.key)
		if err != nil {
			return "", err
		}
		p.rule = g.rule(literal(key+":") + " " + g.ws() + " " + v)
		props = append(props, p)
	}
	for _, r := range k.required {
		if !slices.ContainsFunc(k.props, func(m member) bool { return m.key == r }) {
			return "", errInexpressible // its value may be anything, its place nowhere
		}
	}
	if len(props) == 0 && k.props == nil {
		return g.mapping(k.additional, depth)
	}
	return g.rule(`"{" ` + g.sequence(props) + `"}"`), nil
}

type property struct {
	rule     string
	required bool
}

// sequence is the members in order, those not required left out or not, with commas only between members.
func (g *grammar) sequence(props []property) string {
	if len(props) == 0 {
		return ""
	}
	// tail[i]: what may follow when some member before i is there
	tail := make([]string, len(props)+1)
	for i := len(props) - 1; i >= 0; i-- {
		s := `"," ` + g.ws() + " " + props[i].rule
		if !props[i].required {
			s = "(" + s + ")?"
		}
		if tail[i+1] != "" {
			s += " " + tail[i+1]
		}
		tail[i] = g.rule(s)
	}
	// one alternative for each member that can be the first
	var firsts []string
	empty := true
	for i, p := range props {
		firsts = append(firsts, strings.TrimSpace(p.rule+" "+tail[i+1]))
		if p.required {
			empty = false
			break
		}
	}
	s := "(" + strings.Join(firsts, " | ") + ")"
	if empty {
		s += "?"
	}
	return s + " "
}

// mapping is an object whose keys the schema does not name.
func (g *grammar) mapping(additional json.RawMessage, depth int) (string, error) {
	if string(bytes.TrimSpace(additional)) == "false" {
		return g.rule(`"{}"`), nil
	}
	if additional == nil {
		additional = json.RawMessage("true")
	}
	v, err := g.schema(additional, depth+1)
	if err != nil {
		return "", err
	}
	key, err := g.str(0, maxItems)
	if err != nil {
		return "", err
	}
	if err := g.spend(maxItems); err != nil {
		return "", err
	}
	entry := g.rule(key + ` ":" ` + g.ws() + " " + v)
	return g.rule(`"{" ` + g.list(entry, 0, maxItems) + ` "}"`), nil
}

// quote writes a key as JSON without escaping what need not be.
func quote(s string) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
