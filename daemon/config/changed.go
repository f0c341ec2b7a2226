package config

import "reflect"

// ChangedKeys names the top-level values that differ between two configurations. The values themselves may be secrets.
func ChangedKeys(a, b *Config) []string {
	out := []string{}
	for _, f := range root().fields() {
		if !reflect.DeepEqual(value(a, f.name), value(b, f.name)) {
			out = append(out, f.path)
		}
	}
	return out
}
