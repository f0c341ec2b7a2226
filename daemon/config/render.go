package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// safe is text that is the same plain inside and outside of brackets; what YAML could take for something else is quoted.
var safe = regexp.MustCompile(`^[A-Za-z0-9_/.][A-Za-z0-9_./@%+:=~-]*( [A-Za-z0-9_./@%+=~(*-][A-Za-z0-9_./@%+:=~()*-]*)*$`)

// scalar writes text as a YAML scalar on one line, in the quotes that style asks for.
func scalar(s string, style yaml.Style) string {
	printable := !strings.ContainsFunc(s, func(r rune) bool {
		return r < 0x20 || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffd
	})
	switch {
	case style&yaml.SingleQuotedStyle != 0 && printable:
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	case style&yaml.DoubleQuotedStyle == 0 && safe.MatchString(s) && !strings.HasSuffix(s, ":") && !strings.Contains(s, ": ") && plainText(s):
		return s
	}
	return doubleQuoted(s)
}

// plainText reports whether YAML reads s, unquoted, as text.
func plainText(s string) bool {
	var v any
	return yaml.Load([]byte(s), &v) == nil && v == any(s)
}

func doubleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// flow writes a tree on one line; style is the quotes for the value itself when it is text.
func flow(n *yaml.Node, style yaml.Style) string {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.MappingNode:
		parts := make([]string, 0, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, scalar(n.Content[i].Value, 0)+": "+flow(n.Content[i+1], 0))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case yaml.SequenceNode:
		parts := make([]string, 0, len(n.Content))
		for _, c := range n.Content {
			parts = append(parts, flow(c, 0))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	switch n.ShortTag() {
	case "!!bool", "!!int", "!!float", "!!null":
		if n.Value == "" {
			return "null"
		}
		return n.Value
	}
	return scalar(n.Value, style)
}

// same compares two trees of plain Go values as YAML gives them.
func same(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			w, ok := y[k]
			if !ok || !same(v, w) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	case float64:
		y, ok := b.(float64)
		return ok && (x == y || x != x && y != y)
	}
	return fmt.Sprintf("%T %v", a, a) == fmt.Sprintf("%T %v", b, b)
}

// put sets a value in such a tree, making the maps on the way. It reports whether it could.
func put(tree any, keys []string, v any) (any, bool) {
	if len(keys) == 0 {
		return v, true
	}
	switch x := tree.(type) {
	case nil:
		sub, ok := put(nil, keys[1:], v)
		return map[string]any{keys[0]: sub}, ok
	case map[string]any:
		sub, ok := put(x[keys[0]], keys[1:], v)
		x[keys[0]] = sub
		return x, ok
	case []any:
		i, err := strconv.Atoi(keys[0])
		if err != nil || i < 0 || i >= len(x) {
			return tree, false
		}
		sub, ok := put(x[i], keys[1:], v)
		x[i] = sub
		return x, ok
	}
	return tree, false
}
