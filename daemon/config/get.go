package config

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"jarvis/core"
)

// Tree is the configuration in force as a YAML tree in the file's order, secrets masked.
func (c *Config) Tree() (*yaml.Node, error) {
	var n yaml.Node
	if err := n.Dump(c); err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	top := &n
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		top = n.Content[0]
	}
	maskAddresses(top)
	return top, nil
}

// password is the user part of an address, which may hold one (a proxy's).
var password = regexp.MustCompile(`://[^/@\s]+@`)

func maskAddresses(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		n.Value = password.ReplaceAllString(n.Value, "://"+mask+"@")
	}
	for _, c := range n.Content {
		maskAddresses(c)
	}
}

// Get gives the value in force at a path, as a YAML tree with secrets masked.
func (c *Config) Get(path string) (*yaml.Node, error) {
	keys, err := ParsePath(path)
	if err != nil {
		return nil, err
	}
	if _, err := fieldAt(keys); err != nil {
		return nil, err
	}
	n, err := c.Tree()
	if err != nil {
		return nil, err
	}
	for i, k := range keys {
		_, v, ok := entry(n, k)
		if ok {
			n = v
			continue
		}
		up, _ := fieldAt(keys[:i])
		if len(up.fields()) > 0 && i == len(keys)-1 { // a field of an entry that is not set there
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
		}
		return nil, core.E(core.NotFound, fmt.Sprintf("%s has no entry %q", JoinPath(keys[:i]...), cut(k)), "jarvis config get "+JoinPath(keys[:max(i, 1)]...), nil)
	}
	return n, nil
}

// Row is one line of the configuration as a table.
type Row struct {
	Path   string `json:"key" yaml:"key"`
	Value  string `json:"value" yaml:"value"` // one line of YAML, secrets masked
	Source string `json:"source" yaml:"source"`
}

// Rows gives every value in force with where it comes from, in the file's order. Lists are one row each, entries of maps
// have rows of their own.
func (c *Config) Rows() ([]Row, error) {
	n, err := c.Tree()
	if err != nil {
		return nil, err
	}
	var rows []Row
	c.rows(n, nil, &rows)
	return rows, nil
}

func (c *Config) rows(n *yaml.Node, keys []string, rows *[]Row) {
	f, err := fieldAt(keys)
	if n.Kind == yaml.MappingNode && err == nil && !f.leaf() && len(n.Content) > 0 {
		for i := 0; i+1 < len(n.Content); i += 2 {
			c.rows(n.Content[i+1], append(append([]string{}, keys...), n.Content[i].Value), rows)
		}
		return
	}
	path := JoinPath(keys...)
	value := flow(n, 0)
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && n.Value != "" && !strings.ContainsAny(n.Value, "\n\r\t\x1b") {
		value = n.Value
	}
	*rows = append(*rows, Row{Path: path, Value: value, Source: c.Source(path)})
}

// Plain writes a tree as people and scripts read it: a text without quotes, everything else as YAML.
func Plain(n *yaml.Node) (string, error) {
	if n.Kind == yaml.ScalarNode {
		if n.ShortTag() == "!!null" {
			return "", nil
		}
		return n.Value, nil
	}
	b, err := yaml.Dump(n)
	if err != nil {
		return "", fmt.Errorf("write value: %w", err)
	}
	return strings.TrimSuffix(string(b), "\n"), nil
}
