package config

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"jarvis/core"
)

// prefix starts every variable of ours.
const prefix = "JARVIS_"

// outside are variables of ours that are no configuration.
var outside = []string{"JARVIS_HOME", "JARVIS_NO_AUTOSTART", "JARVIS_LIBEXEC"}

// EnvName is the variable that overrides the value at path.
func EnvName(path string) string {
	r := strings.NewReplacer(".", "_", "-", "_", `"`, "")
	return prefix + strings.ToUpper(r.Replace(path))
}

// overlay puts the JARVIS_ variables over the file. Text is taken as it stands; everything else is read as YAML, and a list
// also as words between commas.
func (c *Config) overlay(env Env, d *decoder) ([]Warning, error) {
	var warnings []Warning
	names := map[string]bool{}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, prefix) && !slices.Contains(outside, name) {
			names[name] = true
		}
	}
	sorted := make([]string, 0, len(names))
	for n := range names {
		sorted = append(sorted, n)
	}
	slices.Sort(sorted) // JARVIS_PROVIDERS before JARVIS_PROVIDERS_WORK_API_KEY
	for _, name := range sorted {
		keys := c.envPath(root(), strings.TrimPrefix(name, prefix))
		if keys == nil {
			warnings = append(warnings, unknownVariable(name))
			continue
		}
		if err := c.override(name, keys, env.Get(name), d); err != nil {
			return nil, err
		}
	}
	return warnings, nil
}

func unknownVariable(name string) Warning {
	w := Warning{Message: "the variable " + name + " is none of jarvis's", Hint: "unset " + name}
	var all []string
	for _, f := range Leaves() {
		all = append(all, EnvName(f.Path))
	}
	if near := nearest(name, all); near != "" {
		w.Message += "; the nearest is " + near
	}
	return w
}

// envPath finds the keys of the value that the rest of a variable's name means; nil when there is none.
func (c *Config) envPath(f field, rest string) []string {
	if f.t.Kind() == reflect.Map {
		return c.envEntry(f, rest)
	}
	for _, s := range f.fields() {
		name := strings.ToUpper(s.name)
		if rest == name {
			return []string{s.name}
		}
		if after, ok := strings.CutPrefix(rest, name+"_"); ok && !s.leaf() {
			if keys := c.envPath(s, after); keys != nil {
				return append([]string{s.name}, keys...)
			}
		}
	}
	return nil
}

// envEntry finds an entry of a map: its name is what stands before the field's, in lower case unless the file spells it
// another way.
func (c *Config) envEntry(f field, rest string) []string {
	name, tail := rest, []string(nil)
	entry := f.elem("x")
	if !entry.leaf() {
		for _, s := range entry.fields() {
			if before, ok := strings.CutSuffix(rest, "_"+strings.ToUpper(s.name)); ok && before != "" {
				name, tail = before, []string{s.name}
				break
			}
		}
	}
	if name == "" {
		return nil
	}
	key := strings.ToLower(name)
	for _, have := range c.names(f.path) {
		if strings.ToUpper(strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(have)) == name {
			key = have
		}
	}
	return append([]string{key}, tail...)
}

// names are the entries of one of the maps.
func (c *Config) names(path string) []string {
	if path == "aliases" {
		return sortedKeys(c.Aliases)
	}
	return sortedKeys(c.Providers)
}

// override sets one value from a variable.
func (c *Config) override(name string, keys []string, text string, d *decoder) error {
	f := root()
	for _, k := range keys {
		f, _ = f.at(k)
	}
	node, err := envNode(f, text)
	if err != nil {
		return core.E(core.BadRequest, name+": "+JoinPath(keys...)+" must be "+f.kind(), "unset "+name, err)
	}
	e := &decoder{env: name, sources: d.sources, seen: map[visit]bool{}}
	e.check(node, f)
	if err := e.err(); err != nil {
		return err
	}
	for i := len(keys) - 1; i >= 0; i-- {
		node = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: keys[i]}, node}}
	}
	if keys[0] == "providers" {
		return c.overrideProvider(name, keys, node)
	}
	if err := node.Load(c, yaml.WithKnownFields()); err != nil {
		return syntaxError(name, err)
	}
	return nil
}

// overrideProvider keeps the fields of the entry that the variable does not name: the library would replace it whole.
func (c *Config) overrideProvider(name string, keys []string, node *yaml.Node) error {
	entry := node
	if len(keys) == 3 {
		entry = node.Content[1].Content[1]
		p := c.Providers[keys[1]]
		if err := entry.Load(&p, yaml.WithKnownFields()); err != nil {
			return syntaxError(name, err)
		}
		c.Providers[keys[1]] = p
		if !slices.Contains(c.order, keys[1]) {
			c.order = append(c.order, keys[1])
		}
		return nil
	}
	if err := node.Load(c, yaml.WithKnownFields()); err != nil {
		return syntaxError(name, err)
	}
	for _, k := range keysOf(node, "providers") {
		if !slices.Contains(c.order, k) {
			c.order = append(c.order, k)
		}
	}
	return nil
}

// envNode reads a variable's text as a value of f.
func envNode(f field, text string) (*yaml.Node, error) {
	str := func(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }
	if f.t.Kind() == reflect.String || f.own() && f.t != tlsType {
		return str(text), nil
	}
	if f.t.Kind() == reflect.Slice && !strings.HasPrefix(strings.TrimSpace(text), "[") {
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for w := range strings.SplitSeq(text, ",") {
			if w = strings.TrimSpace(w); w != "" {
				list.Content = append(list.Content, str(w))
			}
		}
		return list, nil
	}
	var doc yaml.Node
	if err := yaml.Load([]byte(text), &doc); err != nil {
		return nil, err
	}
	n := &doc
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	return n, nil
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
