package config

import "reflect"

// Leaf is one documented value of the file.
type Leaf struct {
	Path    string   // providers.NAME.api_key for the entries of a map
	Doc     string   // one sentence
	Kind    string   // what may stand there, for people
	Enum    []string // the values it may have, nil = any
	Restart bool     // a running daemon takes it up only after a restart
	Secret  bool
}

// Leaves lists every value that the file may have, in its order.
func Leaves() []Leaf {
	var out []Leaf
	root().walk(func(f field) {
		out = append(out, Leaf{Path: f.path, Doc: f.doc, Kind: f.kind(), Enum: f.enum, Restart: f.restart, Secret: f.secret()})
	})
	return out
}

// walk visits every leaf below f; entries of maps and lists stand for all of their kind.
func (f field) walk(visit func(field)) {
	switch {
	case f.leaf():
		visit(f)
	case f.t.Kind() == reflect.Struct:
		for _, s := range f.fields() {
			s.walk(visit)
		}
	case f.t.Kind() == reflect.Map:
		f.elem("NAME").walk(visit)
	default:
		if e := f.elem("N"); e.leaf() {
			visit(f)
		} else {
			e.walk(visit)
		}
	}
}
