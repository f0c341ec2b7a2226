package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

var (
	secretType   = reflect.TypeFor[Secret]()
	sizeType     = reflect.TypeFor[Size]()
	durationType = reflect.TypeFor[Duration]()
	tlsType      = reflect.TypeFor[TLS]()
)

// field is one place in the struct: what may stand at a path.
type field struct {
	path    string
	name    string
	t       reflect.Type
	doc     string
	enum    []string
	min     string
	restart bool
	later   bool // read, and without effect yet
}

func root() field { return field{t: reflect.TypeFor[Config]()} }

// leaf is a value without keys of its own.
func (f field) leaf() bool {
	if f.own() {
		return true
	}
	switch f.t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice:
		return false
	}
	return true
}

// own reports a type that reads itself.
func (f field) own() bool { return f.t == sizeType || f.t == durationType || f.t == tlsType }

func (f field) secret() bool { return f.t == secretType }

// kind is the type as people say it.
func (f field) kind() string {
	switch {
	case len(f.enum) > 0:
		return "one of " + strings.Join(f.enum, ", ")
	case f.secret():
		return "a key, ${ENV_NAME} or file:/path"
	case f.t == sizeType:
		return "a size such as 10MiB"
	case f.t == durationType:
		return "a duration such as 30s, 5m or 24h"
	case f.t == tlsType:
		return "off, auto or {cert: FILE, key: FILE}"
	}
	switch f.t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a group of key: value pairs"
	}
	return "text"
}

// fields are the fields of a struct, in the file's order.
func (f field) fields() []field {
	t := f.t
	if t.Kind() != reflect.Struct || f.leaf() {
		return nil
	}
	var out []field
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, _, _ := strings.Cut(sf.Tag.Get("yaml"), ",")
		if !sf.IsExported() || tag == "" {
			continue
		}
		out = append(out, f.sub(tag, sf.Type, sf.Tag))
	}
	return out
}

func (f field) sub(name string, t reflect.Type, tag reflect.StructTag) field {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := field{path: child(f.path, name), name: name, t: t, doc: tag.Get("doc"), min: tag.Get("min"), restart: f.restart || tag.Get("restart") == "true", later: f.later || tag.Get("later") == "true"}
	if e := tag.Get("enum"); e != "" {
		s.enum = strings.Split(e, ",")
	}
	return s
}

// elem is an entry of a map or list.
func (f field) elem(name string) field {
	s := f.sub(name, f.t.Elem(), "")
	s.doc = f.doc
	return s
}

// at is the field under a key.
func (f field) at(key string) (field, bool) {
	switch {
	case f.leaf():
		return field{}, false
	case f.t.Kind() == reflect.Map:
		return f.elem(key), key != ""
	case f.t.Kind() == reflect.Slice:
		n, err := strconv.Atoi(key)
		return f.elem(key), err == nil && n >= 0 && strconv.Itoa(n) == key
	}
	all := f.fields()
	i := slices.IndexFunc(all, func(s field) bool { return s.name == key })
	if i < 0 {
		return field{}, false
	}
	return all[i], true
}

func (f field) keys() []string {
	var out []string
	for _, s := range f.fields() {
		out = append(out, s.name)
	}
	return out
}

// valid checks a leaf's value against its tags; "" is fine.
func (f field) valid(v reflect.Value) string {
	if len(f.enum) > 0 && !slices.Contains(f.enum, v.String()) {
		msg := fmt.Sprintf("%s must be %s, not %q", f.path, f.kind(), cut(v.String()))
		if near := nearest(v.String(), f.enum); near != "" && v.String() != "" {
			msg += "; the nearest is " + near
		}
		return msg
	}
	if f.min == "" {
		return ""
	}
	least, err := strconv.ParseFloat(f.min, 64)
	if err != nil {
		return ""
	}
	got := 0.0
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		got = float64(v.Int())
	case reflect.Float64:
		got = v.Float()
	}
	switch {
	case got > mostNumber:
		return fmt.Sprintf("%s must be at most %g, not %s", f.path, mostNumber, cut(fmt.Sprint(v.Interface())))
	case !(got >= least): // NaN too
		return fmt.Sprintf("%s must be at least %s, not %s", f.path, f.min, cut(fmt.Sprint(v.Interface())))
	}
	return ""
}

// mostNumber is the largest that a number of the configuration may be: no sum of such overflows.
const mostNumber = 1e15
