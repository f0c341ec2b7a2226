package config

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"jarvis/core"
)

// maxFile bounds the file, in bytes.
const maxFile = 1 << 20

// place is where a value or a problem stands.
type place struct {
	file      string
	line, col int
	env       string
}

func (p place) String() string {
	switch {
	case p.env != "":
		return p.env
	case p.line == 0:
		return p.file
	case p.col == 0:
		return fmt.Sprintf("%s:%d", p.file, p.line)
	}
	return fmt.Sprintf("%s:%d:%d", p.file, p.line, p.col)
}

type problem struct {
	at  place
	msg string
}

// Error is the sentence without its place; it is the cause inside the *core.Error that has both.
func (p problem) Error() string { return p.msg }

// decoder checks a tree of nodes against the struct before the library decodes it, because people need the place and the
// nearest valid key, which the library's errors do not have.
type decoder struct {
	file     string
	env      string
	problems []problem
	sources  map[string]place
	seen     map[visit]bool
}

// visit is one node read as one type: an anchor that a thousand aliases name is looked at once.
type visit struct {
	node *yaml.Node
	t    reflect.Type
}

func (d *decoder) at(n *yaml.Node) place {
	if d.env != "" {
		return place{env: d.env}
	}
	return place{file: d.file, line: n.Line, col: n.Column}
}

func (d *decoder) fail(n *yaml.Node, format string, args ...any) {
	d.problems = append(d.problems, problem{at: d.at(n), msg: fmt.Sprintf(format, args...)})
}

// err gives the first problem as people read it.
func (d *decoder) err() error {
	if len(d.problems) == 0 {
		return nil
	}
	sort.SliceStable(d.problems, func(i, j int) bool {
		a, b := d.problems[i].at, d.problems[j].at
		return a.line < b.line || a.line == b.line && a.col < b.col
	})
	first := d.problems[0]
	msg := first.at.String() + ": " + first.msg
	if n := len(d.problems) - 1; n == 1 {
		msg += " (and one more problem)"
	} else if n > 1 {
		msg += fmt.Sprintf(" (and %d more problems)", n)
	}
	hint := "jarvis config edit"
	if first.at.env != "" {
		hint = "unset " + first.at.env
	}
	return core.E(core.BadRequest, msg, hint, first)
}

// parse reads the text into a tree. An empty file gives nil.
func parse(file string, data []byte) (*yaml.Node, error) {
	if len(data) > maxFile {
		return nil, core.E(core.TooLarge, file+": the file is larger than 1 MiB", "jarvis config edit", nil)
	}
	var docs []yaml.Node
	if err := yaml.Load(data, &docs, yaml.WithAllDocuments()); err != nil {
		return nil, syntaxError(file, err)
	}
	if len(docs) == 0 {
		return nil, nil
	}
	if len(docs) > 1 {
		return nil, core.E(core.BadRequest, place{file: file, line: docs[1].Line, col: docs[1].Column}.String()+": the file may hold one document only", "jarvis config edit", nil)
	}
	root := &docs[0]
	if root.Kind == yaml.DocumentNode {
		if len(root.Content) == 0 {
			return nil, nil
		}
		root = root.Content[0]
	}
	if isNull(root) {
		return nil, nil
	}
	return root, nil
}

func syntaxError(file string, err error) error {
	at, msg := place{file: file}, err.Error()
	var many *yaml.LoadErrors
	var one *yaml.LoadError
	if errors.As(err, &many) && len(many.Errors) > 0 {
		one = many.Errors[0]
	} else {
		errors.As(err, &one)
	}
	if one != nil {
		at.line, at.col, msg = one.Mark.Line, one.Mark.Column, one.Message
		if at.line == 0 {
			at.line, at.col = one.ContextMark.Line, one.ContextMark.Column
		}
	}
	msg = strings.TrimPrefix(oneLine(msg), "yaml: ")
	return core.E(core.BadRequest, at.String()+": not valid YAML: "+msg, "jarvis config edit", err)
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return s
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// check walks n as a value of type t at path.
func (d *decoder) check(n *yaml.Node, f field) {
	at := n
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	key := visit{n, f.t}
	if d.seen[key] {
		if f.path != "" {
			d.sources[f.path] = d.at(at)
		}
		return
	}
	d.seen[key] = true
	if f.path != "" {
		d.sources[f.path] = d.at(at)
	}
	switch {
	case f.leaf():
		d.checkLeaf(n, f)
	case f.t.Kind() == reflect.Struct, f.t.Kind() == reflect.Map:
		d.checkMap(n, f)
	case f.t.Kind() == reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			d.fail(n, "%s must be a list", f.path)
			return
		}
		for i, c := range n.Content {
			d.check(c, f.elem(strconv.Itoa(i)))
		}
	}
}

func (d *decoder) checkMap(n *yaml.Node, f field) {
	if n.Kind != yaml.MappingNode {
		if f.path == "" {
			d.fail(n, "the file must be a list of key: value lines")
			return
		}
		d.fail(n, "%s must be a group of key: value pairs", f.path)
		return
	}
	kept := n.Content[:0:0]
	known := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.ShortTag() == "!!merge" {
			d.merge(v, f)
			kept = append(kept, k, v)
			continue
		}
		if k.Kind != yaml.ScalarNode {
			d.fail(k, "a key must be plain text")
			continue
		}
		if known[k.Value] {
			d.fail(k, "the key %q stands here twice", cut(k.Value))
			continue
		}
		known[k.Value] = true
		sub, ok := f.at(k.Value)
		if !ok {
			d.unknown(k, f)
			continue
		}
		if isNull(v) { // "log:" with everything below it commented out
			continue
		}
		kept = append(kept, k, v)
		d.check(v, sub)
	}
	n.Content = kept
}

func (d *decoder) merge(v *yaml.Node, f field) {
	for v.Kind == yaml.AliasNode && v.Alias != nil {
		v = v.Alias
	}
	if v.Kind == yaml.SequenceNode {
		for _, c := range v.Content {
			if c.Kind != yaml.SequenceNode {
				d.merge(c, f)
			}
		}
		return
	}
	key := visit{v, f.t}
	if d.seen[key] {
		return
	}
	d.seen[key] = true
	d.checkMap(v, f)
}

func (d *decoder) unknown(k *yaml.Node, f field) {
	in := ""
	if f.path != "" {
		in = " in " + f.path
	}
	keys := f.keys()
	if near := nearest(k.Value, keys); near != "" {
		d.fail(k, "unknown key %q%s; the nearest is %q", cut(k.Value), in, near)
		return
	}
	if f.path == "" {
		d.fail(k, "unknown key %q; see jarvis config show for those there are", cut(k.Value))
		return
	}
	d.fail(k, "unknown key %q%s; there are %s", cut(k.Value), in, strings.Join(keys, ", "))
}

func (d *decoder) checkLeaf(n *yaml.Node, f field) {
	_, free := reflect.New(f.t).Interface().(interface{ UnmarshalYAML(*yaml.Node) error })
	if n.Kind != yaml.ScalarNode && (!free || n.Kind != yaml.MappingNode) {
		d.fail(n, "%s must be %s", f.path, f.kind())
		return
	}
	if f.t == tlsType && n.Kind == yaml.MappingNode {
		sub := field{t: reflect.TypeFor[tlsFiles](), path: f.path}
		before := len(d.problems)
		d.checkMap(n, sub)
		if len(d.problems) > before {
			return
		}
	}
	if f.t.Kind() == reflect.String && n.ShortTag() == "!!binary" {
		d.fail(n, "%s must be %s", f.path, f.kind())
		return
	}
	v := reflect.New(f.t)
	if err := n.Load(v.Interface()); err != nil {
		d.fail(n, "%s", leafMessage(n, f, err))
		return
	}
	if msg := f.valid(v.Elem()); msg != "" {
		d.fail(n, "%s", msg)
	}
}

// leafMessage says what would be right; the value is shown unless it could be a secret.
func leafMessage(n *yaml.Node, f field, err error) string {
	if f.secret() {
		return f.path + " must be " + f.kind()
	}
	var one *yaml.LoadError
	if f.own() && n.Kind == yaml.ScalarNode {
		msg := err.Error()
		if errors.As(err, &one) && errors.Unwrap(one) != nil {
			msg = errors.Unwrap(one).Error()
		}
		return f.path + ": " + oneLine(msg)
	}
	if n.Kind == yaml.MappingNode {
		return f.path + " needs both cert and key"
	}
	return fmt.Sprintf("%s must be %s, not %q", f.path, f.kind(), cut(n.Value))
}

func cut(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}
