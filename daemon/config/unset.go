package config

import (
	"bytes"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v4"

	"jarvis/core"
)

// UnsetText gives the file's text without one key, so that its default is in force again; every other byte stays. The key
// need not be one that there is: this is also how an unknown one goes.
func UnsetText(file string, data []byte, keys []string) ([]byte, error) {
	top, err := parse(file, data)
	if err != nil {
		return nil, err
	}
	parent := top
	for _, k := range keys[:len(keys)-1] {
		if parent != nil {
			_, parent, _ = entry(parent, k)
		}
	}
	var key, value *yaml.Node
	if parent != nil {
		key, value, _ = entry(parent, keys[len(keys)-1])
	}
	if value == nil {
		return nil, core.E(core.NotFound, fmt.Sprintf("%s is not set in %s", JoinPath(keys...), file), "jarvis config show", nil)
	}
	x := newText(data)
	from, to, ok := x.around(parent, key, value)
	if !ok || oddBreaks.Match(data) {
		return nil, inTheWay(file, keys)
	}
	out := append(append(make([]byte, 0, len(data)), data[:from]...), data[to:]...)
	if !onlyGone(data, out, keys) {
		return nil, inTheWay(file, keys)
	}
	return out, nil
}

// around is what goes with an entry: its lines, or inside of brackets the comma too.
func (x *text) around(parent, key, value *yaml.Node) (from, to int, ok bool) {
	first := value
	if key != nil {
		first = key
	}
	indent := blockIndent(parent)
	from, to = x.offset(first), max(x.end(first, indent), x.end(value, indent))
	if parent.Style&yaml.FlowStyle != 0 {
		return x.withComma(from, to)
	}
	line := bytes.LastIndexByte(x.data[:from], '\n') + 1
	before := bytes.TrimPrefix(x.data[line:from], []byte("\ufeff"))
	if key == nil { // a list's entry goes with its dash
		before = bytes.TrimLeft(before, " ")
		before = bytes.TrimPrefix(before, []byte("-"))
	}
	if len(bytes.TrimLeft(before, " ")) > 0 {
		return 0, 0, false
	}
	if bytes.HasPrefix(x.data[line:], []byte("\ufeff")) {
		line += len("\ufeff")
	}
	return line, x.nextLine(to), true
}

// withComma takes the comma behind and the blanks after it, or for the last entry the comma before.
func (x *text) withComma(from, to int) (int, int, bool) {
	next := to
	for next < len(x.data) && (x.data[next] == ' ' || x.data[next] == '\t') {
		next++
	}
	if next < len(x.data) && x.data[next] == ',' {
		for next++; next < len(x.data) && x.data[next] == ' '; {
			next++
		}
		return from, next, true
	}
	back := from
	for back > 0 && space(x.data[back-1]) {
		back--
	}
	if back > 0 && x.data[back-1] == ',' {
		return back - 1, to, true
	}
	return from, to, true
}

// onlyGone compares the documents: the key is gone, and nothing else is different. A group that has become empty is the
// same as none.
func onlyGone(before, after []byte, keys []string) bool {
	load := func(data []byte) (any, bool) {
		var docs []any
		if yaml.Load(data, &docs, yaml.WithAllDocuments()) != nil || len(docs) > 1 {
			return nil, false
		}
		if len(docs) == 0 {
			return nil, true
		}
		return docs[0], true
	}
	was, ok := load(before)
	is, ok2 := load(after)
	return ok && ok2 && same(compact(remove(was, keys)), compact(is))
}

// remove takes a key out of a tree of plain values.
func remove(tree any, keys []string) any {
	switch x := tree.(type) {
	case map[string]any:
		if len(keys) == 1 {
			delete(x, keys[0])
		} else {
			x[keys[0]] = remove(x[keys[0]], keys[1:])
		}
	case []any:
		i, err := strconv.Atoi(keys[0])
		if err != nil || i < 0 || i >= len(x) {
			return x
		}
		if len(keys) == 1 {
			return append(x[:i:i], x[i+1:]...)
		}
		x[i] = remove(x[i], keys[1:])
	}
	return tree
}

// compact makes nothing of what is empty.
func compact(tree any) any {
	switch x := tree.(type) {
	case map[string]any:
		for k, v := range x {
			if x[k] = compact(v); x[k] == nil {
				delete(x, k)
			}
		}
		if len(x) == 0 {
			return nil
		}
	case []any:
		for i := range x {
			x[i] = compact(x[i])
		}
		if len(x) == 0 {
			return nil
		}
	}
	return tree
}

// Unset takes one key out of the file, as Set changes one.
func Unset(file, path string, env Env) (Changed, error) {
	keys, err := ParsePath(path)
	if err != nil {
		return Changed{}, err
	}
	return Update(file, env, func(old []byte) ([]byte, error) { return UnsetText(file, old, keys) })
}
