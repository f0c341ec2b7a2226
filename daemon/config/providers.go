package config

import (
	"net"
	"slices"
	"strings"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Provider is a service as a request needs it: the file's entry merged over what the environment offers, secrets resolved.
// It prints without its secrets.
type Provider struct {
	Name    string
	Type    string // one of the Type… constants
	BaseURL string // "" for local and builtin
	Key     Secret
	Token   Secret // OAuth token (ANTHROPIC_AUTH_TOKEN); used instead of Key
	Headers map[string]Secret
	Models  []ModelConfig
	From    string // "file", the name of the variable that offers it, or "" for what is always tried
	Problem error  // why it cannot be used (a key file that cannot be read); whoever uses the provider reports it
}

// offer is what the environment can make available.
type offer struct {
	name    string
	keys    []string // the first that is set
	token   string
	baseVar string
	base    string
	open    bool // usable without a key when baseVar names a server
	always  bool
}

var offers = []offer{
	{name: TypeAnthropic, keys: []string{api.VarAnthropicKey}, token: api.VarAnthropicToken, baseVar: api.VarAnthropicURL, base: "https://api.anthropic.com"},
	{name: TypeOpenAI, keys: []string{api.VarOpenAIKey}, baseVar: api.VarOpenAIURL, base: "https://api.openai.com/v1", open: true},
	{name: TypeGoogle, keys: []string{api.VarGeminiKey, api.VarGoogleKey}, base: "https://generativelanguage.googleapis.com/v1beta/openai"},
	{name: TypeOpenRouter, keys: []string{api.VarOpenRouterKey}, base: "https://openrouter.ai/api/v1"},
	{name: TypeOllama, baseVar: api.VarOllamaHost, base: "http://127.0.0.1:11434", always: true},
	{name: TypeLocal, always: true},
	{name: TypeBuiltin, always: true},
}

// ProviderList gives the services in the order in which a bare model name is looked up: those of the file in its order,
// then what the environment offers, then Ollama, local and builtin.
func (c *Config) ProviderList(getenv func(string) string) []Provider {
	var out []Provider
	for _, name := range c.providerOrder() {
		out = append(out, c.service(name, getenv))
	}
	for _, o := range offers {
		if _, ok := c.Providers[o.name]; ok {
			continue
		}
		if s, ok := o.service(getenv); ok {
			out = append(out, s)
		}
	}
	return out
}

// providerOrder is the file's order; entries that came otherwise follow by name.
func (c *Config) providerOrder() []string {
	var out []string
	for _, name := range append(slices.Clone(c.order), sortedKeys(c.Providers)...) {
		if _, ok := c.Providers[name]; ok && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// kindOf is an entry's type: said, or meant by its name.
func kindOf(name string, p ProviderConfig) string {
	if p.Type != "" {
		return p.Type
	}
	if slices.ContainsFunc(offers, func(o offer) bool { return o.name == name }) {
		return name
	}
	return TypeCompatible
}

func (c *Config) service(name string, getenv func(string) string) Provider {
	p := c.Providers[name]
	s := Provider{Name: name, Type: kindOf(name, p), BaseURL: p.BaseURL, Models: slices.Clone(p.Models), From: "file"}
	if s.Type == TypeCompatible && s.BaseURL == "" {
		s.Problem = core.E(core.BadRequest, "the provider "+name+" has no base_url", "jarvis config set "+child("providers", name)+".base_url URL", nil)
		return s
	}
	i := slices.IndexFunc(offers, func(o offer) bool { return o.name == s.Type })
	if i >= 0 {
		// The variables belong to the service of that name; a second one of its kind (another account) gets its own key.
		if env, _ := offers[i].service(getenv); name == s.Type {
			s.Key, s.Token = env.Key, env.Token
			if s.BaseURL == "" {
				s.BaseURL = env.BaseURL
			}
		}
		if s.BaseURL == "" {
			s.BaseURL = offers[i].base
		}
	}
	if p.APIKey != "" {
		key, err := p.APIKey.Resolve(getenv, c.dir())
		s.Problem = err
		if key != "" || !p.APIKey.reference() || err != nil {
			s.Key, s.Token = key, ""
		}
	}
	for h, v := range p.Headers {
		value, err := v.Resolve(getenv, c.dir())
		if err != nil {
			s.Problem = err
			continue
		}
		if value == "" {
			continue
		}
		if s.Headers == nil {
			s.Headers = map[string]Secret{}
		}
		s.Headers[h] = value
	}
	return s
}

// service reports what the environment offers; false when nothing.
func (o offer) service(getenv func(string) string) (Provider, bool) {
	s := Provider{Name: o.name, Type: o.name, BaseURL: o.base}
	for _, k := range o.keys {
		if v := strings.TrimSpace(getenv(k)); v != "" {
			s.Key, s.From = Secret(v), k
			break
		}
	}
	if v := envOf(o.token, getenv); v != "" && s.Key == "" {
		s.Token, s.From = Secret(v), o.token
	}
	if v := envOf(o.baseVar, getenv); v != "" {
		if o.name == TypeOllama {
			v = ollamaAddress(v)
		}
		if webAddress(v) {
			s.BaseURL = strings.TrimRight(v, "/")
			if s.From == "" && (o.open || o.always) {
				s.From = o.baseVar
			}
		}
	}
	return s, s.From != "" || o.always
}

func envOf(name string, getenv func(string) string) string {
	if name == "" {
		return ""
	}
	return strings.TrimSpace(getenv(name))
}

// ollamaAddress makes an address of OLLAMA_HOST, which may be a host, host:port or an address, and is also what the server
// listens on (0.0.0.0).
func ollamaAddress(v string) string {
	scheme, rest, ok := strings.Cut(v, "://")
	if !ok {
		scheme, rest = "http", v
	}
	hostport, path, _ := strings.Cut(rest, "/")
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		host, port = strings.Trim(hostport, "[]"), "11434"
		if ok && scheme == "https" {
			port = "443"
		} else if ok {
			port = "80"
		}
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	out := scheme + "://" + net.JoinHostPort(host, port)
	if path = strings.Trim(path, "/"); path != "" {
		out += "/" + path
	}
	return out
}

// Known reports a provider that needs no base_url.
func Known(name string) bool {
	return slices.ContainsFunc(offers, func(o offer) bool { return o.name == name })
}

// Keyed names the known providers that want a key.
func Keyed() []string {
	var out []string
	for _, o := range offers {
		if len(o.keys) > 0 {
			out = append(out, o.name)
		}
	}
	return out
}

// KeyVar is the variable that has the key of a known provider now, "" when none has.
func KeyVar(name string, getenv func(string) string) string {
	for _, o := range offers {
		for _, k := range o.keys {
			if o.name == name && strings.TrimSpace(getenv(k)) != "" {
				return k
			}
		}
	}
	return ""
}

// Public reports a provider at its publisher's own address, where nobody is answered without a key.
func Public(p Provider) bool {
	i := slices.IndexFunc(offers, func(o offer) bool { return o.name == p.Type })
	return i >= 0 && len(offers[i].keys) > 0 && strings.TrimRight(p.BaseURL, "/") == offers[i].base
}
