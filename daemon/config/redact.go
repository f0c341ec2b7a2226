package config

import (
	"net/url"
	"strings"

	"go.yaml.in/yaml/v4"

	"jarvis/core"
)

// Redact gives the file's text without keys that stand in it themselves, for a copy that leaves this machine. References to
// variables and files stay. Comments go: a key that was once tried is often still in one. A file that does not say clearly
// what is a key is an error, as is a key that also stands elsewhere in it.
func Redact(file string, data []byte) ([]byte, error) {
	top, err := parse(file, data)
	if err != nil || top == nil {
		return nil, err
	}
	d := &decoder{file: file, sources: map[string]place{}, seen: map[visit]bool{}}
	d.check(top, root())
	if err := d.err(); err != nil {
		return nil, err
	}
	r := &redactor{seen: map[*yaml.Node]bool{}}
	r.walk(top, root())
	out, err := yaml.Dump(top)
	if err != nil {
		return nil, core.E(core.Internal, file+" cannot be written without its keys", "jarvis config show", err)
	}
	for _, key := range r.keys {
		if strings.Contains(string(out), key) {
			return nil, core.E(core.Conflict, "a key stands at a second place of "+file, "jarvis config edit", nil)
		}
	}
	return out, nil
}

type redactor struct {
	seen map[*yaml.Node]bool
	keys []string
}

// walk takes keys out below n, which has the form f, and comments everywhere.
func (r *redactor) walk(n *yaml.Node, f field) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil || r.seen[n] && (f.t == nil || !f.secret()) {
		return
	}
	r.seen[n] = true
	switch n.Kind {
	case yaml.ScalarNode:
		r.scalar(n, f)
	case yaml.SequenceNode:
		for _, c := range n.Content {
			r.walk(c, below(f, "0"))
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			key.HeadComment, key.LineComment, key.FootComment = "", "", ""
			sub := f
			if key.Value != "<<" {
				sub = below(f, key.Value)
			}
			r.walk(n.Content[i+1], sub)
		}
	}
}

// below is the form of what stands under a key; what the configuration does not know has none.
func below(f field, key string) field {
	if f.t == nil {
		return field{}
	}
	sub, _ := f.at(key)
	return sub
}

func (r *redactor) scalar(n *yaml.Node, f field) {
	if f.t != nil && f.secret() && Literal(n.Value) {
		r.keys = append(r.keys, n.Value)
		n.Value, n.Tag, n.Style = "", "!!str", yaml.DoubleQuotedStyle
		return
	}
	// An address may carry a name and a password.
	if u, err := url.Parse(n.Value); err == nil && u.User != nil {
		if p, ok := u.User.Password(); ok && p != "" {
			r.keys = append(r.keys, p)
		}
		u.User = nil
		n.Value = u.String()
	}
}
