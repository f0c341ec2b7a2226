package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"jarvis/core"
)

// SetText gives the file's text with one value changed and every other byte as it was. value is a person's: text as it
// stands where text is wanted, YAML elsewhere, a list also as words between commas.
func SetText(file string, data []byte, keys []string, value string) ([]byte, error) {
	f, err := fieldAt(keys)
	if err != nil {
		return nil, err
	}
	if f.secret() && strings.Contains(value, mask) {
		return nil, core.E(core.BadRequest, "*** stands for a secret and is none itself", "jarvis setup", nil)
	}
	node, err := envNode(f, value)
	if err != nil {
		return nil, core.E(core.BadRequest, fmt.Sprintf("%s must be %s", JoinPath(keys...), f.kind()), "jarvis config get "+JoinPath(keys...), err)
	}
	if err := checkValue(f, node); err != nil {
		return nil, err
	}
	top, err := parse(file, data)
	if err != nil {
		return nil, err
	}
	e := &editor{x: newText(data), step: 2}
	if top != nil && top.Kind == yaml.MappingNode && top.Style&yaml.FlowStyle == 0 {
		e.step = indentStep(top)
	}
	if oddBreaks.Match(data) {
		return nil, inTheWay(file, keys)
	}
	out, ok := e.set(top, keys, node)
	if !ok || !onlyChanged(data, out, keys, node) {
		return nil, inTheWay(file, keys)
	}
	return out, nil
}

// oddBreaks are line ends that YAML counts and that no editor writes today; lines would be counted wrongly here.
var oddBreaks = regexp.MustCompile(`\r(?:[^\n]|$)|\x{85}|\x{2028}|\x{2029}`)

func inTheWay(file string, keys []string) error {
	return core.E(core.Conflict, JoinPath(keys...)+" cannot be changed without touching other parts of "+file, "jarvis config edit", nil)
}

// fieldAt is the field at a path; an unknown one is an error with the nearest.
func fieldAt(keys []string) (field, error) {
	f := root()
	for i, k := range keys {
		sub, ok := f.at(k)
		if ok {
			f = sub
			continue
		}
		msg := fmt.Sprintf("there is no key %q", cut(JoinPath(keys[:i+1]...)))
		hint := "jarvis config show"
		if near := nearest(k, f.keys()); near != "" {
			path := JoinPath(append(append([]string{}, keys[:i]...), near)...)
			msg += fmt.Sprintf("; the nearest is %q", path)
			hint = "jarvis config get " + path
		}
		return field{}, core.E(core.BadRequest, msg, hint, nil)
	}
	return f, nil
}

// checkValue looks at the value before the file is read, so that its place is not confused with one in the file.
func checkValue(f field, n *yaml.Node) error {
	d := &decoder{sources: map[string]place{}, seen: map[visit]bool{}}
	d.check(n, f)
	if len(d.problems) == 0 {
		return nil
	}
	return core.E(core.BadRequest, d.problems[0].msg, "jarvis config get "+f.path, nil)
}

// onlyChanged compares the documents: the value is the wanted one, and nothing else is different.
func onlyChanged(before, after []byte, keys []string, n *yaml.Node) bool {
	var was, is, want any
	if yaml.Load(after, &is) != nil || n.Load(&want) != nil {
		return false
	}
	var docs []any
	if yaml.Load(before, &docs, yaml.WithAllDocuments()) != nil {
		return false
	}
	if len(docs) > 0 {
		was = docs[0]
	}
	was, ok := put(was, keys, want)
	return ok && same(was, is)
}

// indentStep is how deep the file indents its first nested map.
func indentStep(top *yaml.Node) int {
	for i := 1; i < len(top.Content); i += 2 {
		v := top.Content[i]
		if v.Kind == yaml.MappingNode && v.Style&yaml.FlowStyle == 0 && len(v.Content) > 0 {
			if step := v.Content[0].Column - top.Content[0].Column; step > 0 && step <= 8 {
				return step
			}
		}
	}
	return 2
}

// editor changes one value in the text.
type editor struct {
	x    *text
	step int
}

func (e *editor) replace(from, to int, s string) ([]byte, bool) {
	d := e.x.data
	if from < 0 || from > to || to > len(d) {
		return nil, false
	}
	out := make([]byte, 0, len(d)+len(s))
	out = append(out, d[:from]...)
	out = append(out, s...)
	return append(out, d[to:]...), true
}

func (e *editor) set(top *yaml.Node, keys []string, v *yaml.Node) ([]byte, bool) {
	if top == nil {
		return e.appendTop(0, keys, v)
	}
	parent, rest, indent := top, keys, 0
	for {
		key, value, ok := entry(parent, rest[0])
		if !ok {
			return e.insert(parent, indent, parent == top, rest, v)
		}
		if parent.Style&yaml.FlowStyle == 0 {
			indent = blockIndent(parent)
		}
		rest = rest[1:]
		switch {
		case len(rest) == 0:
			return e.change(parent, key, value, indent, v)
		case isNull(value) && value.Value == "" && parent.Style&yaml.FlowStyle == 0 && key != nil:
			at := e.x.eol(e.x.offset(value))
			return e.replace(at, at, e.x.nl+e.block(indent+e.step, rest, v))
		case isNull(value):
			return e.change(parent, key, value, indent, nested(rest, v))
		case value.Kind != yaml.MappingNode && value.Kind != yaml.SequenceNode:
			return nil, false // an alias or a value where a map should be
		}
		parent = value
	}
}

// entry finds a key's node and value in a map, or a value in a list.
func entry(n *yaml.Node, key string) (k, v *yaml.Node, ok bool) {
	if n.Kind == yaml.SequenceNode {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(n.Content) {
			return nil, nil, false
		}
		return nil, n.Content[i], true
	}
	if n.Kind != yaml.MappingNode {
		return nil, nil, false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Kind == yaml.ScalarNode && n.Content[i].Value == key {
			return n.Content[i], n.Content[i+1], true
		}
	}
	return nil, nil, false
}

// change replaces a value that is there.
func (e *editor) change(parent, key, old *yaml.Node, indent int, v *yaml.Node) ([]byte, bool) {
	begin, end := e.x.begin(old), e.x.end(old, indent)
	var style yaml.Style
	if old.Kind == yaml.ScalarNode {
		style = old.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
	}
	s := flow(v, style)
	if old.Kind == yaml.ScalarNode && begin == end { // "key:" with nothing behind it
		return e.replace(begin, end, " "+s)
	}
	block := (old.Kind == yaml.MappingNode || old.Kind == yaml.SequenceNode) && old.Style&yaml.FlowStyle == 0
	if !block || key == nil || parent.Style&yaml.FlowStyle != 0 || old.Anchor != "" {
		return e.replace(begin, end, s)
	}
	// The new value goes behind the colon, before a comment there, and the block's lines go.
	colon := e.x.skip(e.x.end(key, indent))
	if colon >= len(e.x.data) || e.x.data[colon] != ':' || colon > begin {
		return nil, false
	}
	line := min(e.x.eol(colon), end)
	return e.replace(colon+1, end, " "+s+string(e.x.data[colon+1:line]))
}

// insert adds keys below parent.
func (e *editor) insert(parent *yaml.Node, indent int, top bool, keys []string, v *yaml.Node) ([]byte, bool) {
	if parent.Kind != yaml.MappingNode {
		return nil, false
	}
	if parent.Style&yaml.FlowStyle != 0 || len(parent.Content) == 0 {
		return e.insertFlow(parent, indent, keys, v)
	}
	indent = blockIndent(parent)
	if top && !strings.Contains(string(e.x.data), e.x.nl+"...") {
		return e.appendTop(indent, keys, v)
	}
	last := 0
	for _, c := range parent.Content {
		last = max(last, e.x.end(c, indent))
	}
	at := e.x.eol(last)
	return e.replace(at, at, e.x.nl+e.block(indent, keys, v))
}

func (e *editor) insertFlow(parent *yaml.Node, indent int, keys []string, v *yaml.Node) ([]byte, bool) {
	pair := scalar(keys[0], 0) + ": " + flow(nested(keys[1:], v), 0)
	at := e.x.begin(parent) + 1
	for _, c := range parent.Content {
		at = max(at, e.x.end(c, indent))
	}
	if len(parent.Content) > 0 {
		pair = ", " + pair
	}
	return e.replace(at, at, pair)
}

// appendTop adds keys at the end of the file.
func (e *editor) appendTop(indent int, keys []string, v *yaml.Node) ([]byte, bool) {
	s := e.block(indent, keys, v) + e.x.nl
	if n := len(e.x.data); n > 0 && e.x.data[n-1] != '\n' && string(e.x.data) != "\ufeff" {
		s = e.x.nl + s
	}
	return e.replace(len(e.x.data), len(e.x.data), s)
}

// block writes keys, each on a line of its own, deeper each time, and the value behind the last. No line end follows.
func (e *editor) block(indent int, keys []string, v *yaml.Node) string {
	var b strings.Builder
	for i, k := range keys {
		if i > 0 {
			b.WriteString(e.x.nl)
		}
		b.WriteString(strings.Repeat(" ", indent+i*e.step))
		b.WriteString(scalar(k, 0) + ":")
	}
	return b.String() + " " + flow(v, 0)
}

// nested puts a value below keys.
func nested(keys []string, v *yaml.Node) *yaml.Node {
	for i := len(keys) - 1; i >= 0; i-- {
		v = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: keys[i]}, v}}
	}
	return v
}
