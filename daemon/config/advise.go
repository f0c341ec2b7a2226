package config

import (
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// advise gives what is odd but usable: an entry that `config set` has filled only half must not keep the rest from loading.
func (c *Config) advise(getenv func(string) string) []Warning {
	var out []Warning
	for _, name := range c.providerOrder() {
		if p := c.Providers[name]; kindOf(name, p) == TypeCompatible && p.BaseURL == "" {
			out = append(out, Warning{Message: "the provider " + name + " has no base_url and is not used", Hint: "jarvis config set " + child("providers", name) + ".base_url URL"})
		}
	}
	return slices.Concat(out, c.openKeys(getenv), c.idleBudgets(), c.withoutEffect())
}

// idleBudgets names the budgets of what there is none of yet: they limit nothing.
func (c *Config) idleBudgets() []Warning {
	var out []Warning
	for i, b := range c.Budgets {
		kind, name, _ := strings.Cut(b.For, ":")
		why := ""
		switch {
		case kind == "agent" || kind == "plugin":
			why = "there are no " + kind + "s yet in this version"
		case kind == "key":
			why = "there are no API keys yet in this version"
		case kind == "user" && name != "owner":
			why = "there is no user but owner"
		default:
			continue
		}
		out = append(out, Warning{Message: "the budget for " + b.For + " limits nothing: " + why, Hint: "jarvis config set --unset budgets." + strconv.Itoa(i)})
	}
	return out
}

// openKeys names the providers whose key anybody on the way can read. No key file is opened for that.
func (c *Config) openKeys(getenv func(string) string) []Warning {
	var out []Warning
	add := func(name, address, hint string) {
		if u, err := url.Parse(address); err == nil && u.Scheme == "http" && !loopback(u.Hostname()) {
			out = append(out, Warning{Message: "the key of the provider " + name + " is sent unencrypted to " + u.Host + ": its base_url is http://", Hint: hint})
		}
	}
	for _, name := range c.providerOrder() {
		p := c.Providers[name]
		keyed, address, hint := p.APIKey != "" || len(p.Headers) > 0, p.BaseURL, "jarvis config set "+child("providers", name)+".base_url https://…"
		if i := slices.IndexFunc(offers, func(o offer) bool { return o.name == name && o.name == kindOf(name, p) }); i >= 0 {
			env, _ := offers[i].service(getenv)
			keyed = keyed || env.Key != "" || env.Token != ""
			if address == "" {
				address, hint = env.BaseURL, "export "+offers[i].baseVar+"=https://…"
			}
		}
		if keyed {
			add(name, address, hint)
		}
	}
	for _, o := range offers {
		if _, ok := c.Providers[o.name]; ok {
			continue
		}
		if s, ok := o.service(getenv); ok && (s.Key != "" || s.Token != "") {
			add(o.name, s.BaseURL, "export "+o.baseVar+"=https://…")
		}
	}
	return out
}

// withoutEffect names what was set and is not used yet: nobody must believe in a limit that does not hold.
func (c *Config) withoutEffect() []Warning {
	var out []Warning
	var walk func(f field, v, def reflect.Value)
	walk = func(f field, v, def reflect.Value) {
		if f.t.Kind() == reflect.Struct && !f.leaf() {
			for _, s := range f.fields() {
				walk(s, part(v, s.name), part(def, s.name))
			}
			return
		}
		if !f.later || v.Kind() == reflect.Slice && v.Len() == 0 && def.Len() == 0 || reflect.DeepEqual(v.Interface(), def.Interface()) {
			return
		}
		hint := "jarvis config set --unset " + f.path
		if s := c.Source(f.path); strings.HasPrefix(s, prefix) {
			hint = "unset " + s
		}
		out = append(out, Warning{Message: f.path + " has no effect yet in this version", Hint: hint})
	}
	walk(root(), reflect.ValueOf(c).Elem(), reflect.ValueOf(Default()).Elem())
	return out
}

// part is the field of a struct that the file calls name.
func part(v reflect.Value, name string) reflect.Value {
	for i := range v.NumField() {
		if tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ","); tag == name {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}
