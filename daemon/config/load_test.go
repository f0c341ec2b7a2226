package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"jarvis/core"
)

func TestDefaultsAreTheDocumentedOnes(t *testing.T) {
	c, w, err := Load(filepath.Join(t.TempDir(), "none.yaml"), nil)
	if err != nil || len(w) != 0 {
		t.Fatal(w, err)
	}
	// The file of the design, as far as it shows defaults.
	doc := `
model: auto
language: auto
listen: 127.0.0.1:8088
tls: off
public_url: ""
max_iterations: 100
max_tokens: 4096
limits: {prompt: 10MiB, attachment: 32MiB, request: 64MiB, model_line: 16MiB, tool_arguments: 1MiB}
idle_exit: 0
backup: {every: "", keep: 7}
model_mirror: ""
store: ""
log: {level: info, format: auto, payloads: false, payloads_gzip: false}
budgets: []
permissions: {mode: ask, allow: [], deny: []}
sandbox: {mode: on, read_only: []}
network: {allow_private: [], proxy: env, ca_file: ""}
web_search: {provider: "", api_key: ""}
concurrency: {per_model: 0, per_provider: 0}
embedder: auto
vision_model: auto
gateway: {cors_origins: ["*"], rate_per_second: 10, burst: 20, autonomous_tool_blacklist: [], autonomous_mcp_blacklist: []}
speech: {language: de, stt: auto, tts: auto}
`
	d, w, err := Parse("c.yaml", []byte(doc), nil)
	if err != nil || len(w) != 0 {
		t.Fatal(w, err)
	}
	for _, f := range root().fields() {
		if got, want := value(c, f.name), value(d, f.name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: default %#v, documented %#v", f.name, got, want)
		}
	}
	if c.Limits.Prompt != 10<<20 || c.Source("model") != "default" || d.Source("log.level") != "line 14" {
		t.Errorf("%v, %s, %s", c.Limits, c.Source("model"), d.Source("log.level"))
	}
}

func TestEveryFieldIsDocumented(t *testing.T) {
	var walk func(f field)
	walk = func(f field) {
		if f.path != "" && (f.doc == "" || !strings.HasSuffix(f.doc, ".")) {
			t.Errorf("%s has no sentence: %q", f.path, f.doc)
		}
		switch {
		case f.leaf():
		case f.t.Kind() == reflect.Struct:
			for _, s := range f.fields() {
				walk(s)
			}
		default:
			walk(f.elem("0"))
		}
	}
	walk(root())
}

func TestErrorsNameTheirPlace(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"unknown key", "model: a\nmodle: b\n", `c.yaml:2:1: unknown key "modle"; the nearest is "model"`},
		{"unknown key below", "log:\n  # c\n  levl: info\n", `c.yaml:3:3: unknown key "levl" in log; the nearest is "level"`},
		{"swapped letters", "lgo: {}\n", `c.yaml:1:1: unknown key "lgo"; the nearest is "log"`},
		{"a part of the key", "tokens: 5\n", `c.yaml:1:1: unknown key "tokens"; the nearest is "max_tokens"`},
		{"nothing near", "xyzzy: 5\n", `c.yaml:1:1: unknown key "xyzzy"; see jarvis config show for those there are`},
		{"nothing near below", "backup: {xyzzyx: 5}\n", `c.yaml:1:10: unknown key "xyzzyx" in backup; there are every, keep`},
		{"in a provider", "providers:\n  work:\n    base: x\n", `c.yaml:3:5: unknown key "base" in providers.work; the nearest is "base_url"`},
		{"in a provider's model", "providers: {w: {models: [{idd: x}]}}\n", `c.yaml:1:27: unknown key "idd" in providers.w.models.0; the nearest is "id"`},
		{"twice", "model: a\nmodel: b\n", `c.yaml:2:1: `},
		{"not a map", "- a\n", `c.yaml:1:1: the file must be a list of key: value lines`},
		{"just text", "hello\n", `c.yaml:1:1: the file must be a list of key: value lines`},
		{"map wanted", "log: info\n", `c.yaml:1:6: log must be a group of key: value pairs`},
		{"list wanted", "budgets: all\n", `c.yaml:1:10: budgets must be a list`},
		{"text wanted", "model: [a]\n", `c.yaml:1:8: model must be text`},
		{"number wanted", "max_tokens: many\n", `c.yaml:1:13: max_tokens must be a whole number, not "many"`},
		{"whole number wanted", "max_tokens: 1.5\n", `c.yaml:1:13: max_tokens must be a whole number, not "1.5"`},
		{"bool wanted", "log: {payloads: maybe}\n", `c.yaml:1:17: log.payloads must be true or false, not "maybe"`},
		{"enum", "log:\n  level: warning\n", `c.yaml:2:10: log.level must be one of debug, info, warn, error, not "warning"; the nearest is warn`},
		{"size", "limits:\n  prompt: 10 miles\n", `c.yaml:2:11: limits.prompt: "10 miles" is not a size such as 10MiB`},
		{"size of nothing", "limits: {prompt: 0}\n", `c.yaml:1:18: limits.prompt must be at least 1, not 0`},
		{"prompt over request", "limits: {prompt: 65MiB}\n", `c.yaml:1:18: limits.prompt (65MiB) must not be larger than limits.request (64MiB)`},
		{"duration", "idle_exit: soon\n", `c.yaml:1:12: idle_exit: "soon" is not a duration such as 30s, 5m or 24h`},
		{"negative duration", "idle_exit: -5s\n", `c.yaml:1:12: idle_exit: "-5s" is not a duration`},
		{"negative number", "concurrency: {per_model: -1}\n", `c.yaml:1:26: concurrency.per_model must be at least 0, not -1`},
		{"negative budget", "budgets:\n- {for: all, daily_usd: -1}\n", `c.yaml:2:25: budgets.0.daily_usd must be at least 0, not -1`},
		{"budget that is no number", "budgets: [{for: all, daily_usd: .nan}]\n", `c.yaml:1:33: budgets.0.daily_usd must be at least 0, not NaN`},
		{"budget that is too large", "budgets: [{for: all, daily_usd: 1e300}]\n", `budgets.0.daily_usd must be at most 1e+15, not 1e+300`},
		{"budget in another unit", "budgets: [{for: all, daily_usd: 5 EUR}]\n", `budgets.0.daily_usd must be a number, not "5 EUR"`},
		{"budget in another currency", "budgets: [{for: all, daily_eur: 5}]\n", `unknown key "daily_eur" in budgets.0`},
		{"budget of another session", "budgets: [{for: 'session:my chat', daily_usd: 1}]\n", `budgets.0.for: "my chat" is not the id of a session`},
		{"budget of half a session", "budgets: [{for: 'session:abc', daily_usd: 1}]\n", `budgets.0.for: "abc" is not the id of a session`},
		{"budget without a limit", "budgets:\n- {for: all}\n", `budgets.0 limits nothing: give it daily_usd or monthly_usd above 0`},
		{"budget of nothing", "budgets:\n- {for: all, daily_usd: 0}\n", `budgets.0 limits nothing`},
		{"budget for nobody", "budgets:\n- {for: agent, daily_usd: 1}\n", `c.yaml:2:9: budgets.0.for must be all, chain, or one of`},
		{"provider type", "providers: {w: {type: openia}}\n", `c.yaml:1:23: providers.w.type must be one of anthropic, openai, google, openrouter, openai-compatible, ollama, local, builtin, not "openia"; the nearest is openai`},
		{"provider name", "providers:\n  My Work: {}\n", `the provider name "My Work" must be lower-case`},
		{"base_url", "providers: {w: {base_url: h/v1}}\n", `c.yaml:1:27: providers.w.base_url must be an address such as`},
		{"model without id", "providers: {w: {base_url: http://h, models: [{context_window: 5}]}}\n", `c.yaml:1:46: providers.w.models.0 needs an id`},
		{"header", "providers: {w: {headers: {\"a b\": c}}}\n", `"a b" is not the name of a header`},
		{"alias of nothing", "aliases:\n  s: ''\n", `c.yaml:2:6: aliases.s names no model`},
		{"listen for everybody", "model: a\nlisten: 0.0.0.0:8088\n", `c.yaml:2:9: listen 0.0.0.0:8088 is reachable from other machines and needs tls`},
		{"listen on every address", "listen: :8088\n", `c.yaml:1:9: listen :8088 is reachable from other machines`},
		{"listen on a name", "listen: box:8088\n", `c.yaml:1:9: listen box:8088 is reachable from other machines`},
		{"listen without port", "listen: 127.0.0.1\n", `c.yaml:1:9: listen must be host:port such as 127.0.0.1:8088`},
		{"listen with a large port", "listen: 127.0.0.1:99999\n", `c.yaml:1:9: listen must be host:port`},
		{"tls word", "tls: yes please\n", `c.yaml:1:6: tls: "yes please" is none of off, auto`},
		{"tls on", "tls: on\n", `c.yaml:1:6: tls: "on" is none of off, auto`},
		{"half a tls", "tls: {cert: /a}\n", `c.yaml:1:6: tls needs both cert and key`},
		{"wrong tls key", "tls: {cret: /a}\n", `c.yaml:1:7: unknown key "cret" in tls; the nearest is "cert"`},
		{"public_url", "public_url: example\n", `c.yaml:1:13: public_url must be an address`},
		{"proxy", "network: {proxy: squid}\n", `c.yaml:1:18: network.proxy must be env, off or an address`},
		{"private network", "network:\n  allow_private: [10.0.0.0/99]\n", `c.yaml:2:19: network.allow_private: "10.0.0.0/99"`},
		{"sandbox folder", "sandbox: {read_only: [opt]}\n", `c.yaml:1:23: sandbox.read_only: "opt" must be an absolute path`},
		{"several", "a: 1\nmodle: b\nmax_tokens: x\n", "(and 2 more problems)"},
		{"two", "modle: b\nmax_tokens: x\n", "(and one more problem)"},
		{"not YAML", "model: [\n", `c.yaml:2:1: not valid YAML: `},
		{"a tab", "log:\n\tlevel: info\n", `c.yaml:2:1: not valid YAML: `},
		{"two documents", "model: a\n---\nmodel: b\n", `the file may hold one document only`},
		{"unknown alias", "model: *a\n", `not valid YAML`},
		{"NUL", "model: \x00\n", `not valid YAML`},
		{"not UTF-8", "model: \xff\n", `not valid YAML`},
		{"key that is a list", "? [a]\n: b\n", `c.yaml:1:3: a key must be plain text`},
		{"from a merge", "aliases: &a {s: x}\nlog: {<<: *a}\n", `unknown key "s" in log`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := Parse("c.yaml", []byte(tt.in), nil)
			e, ok := err.(*core.Error) //nolint:errorlint // the type itself is the promise
			if !ok {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(e.Message, tt.want) || !strings.HasPrefix(e.Message, "c.yaml:") || strings.Contains(e.Message, "\n") {
				t.Errorf("got  %s\nwant %s", e.Message, tt.want)
			}
			if e.Hint != "jarvis config edit" || e.Code != core.BadRequest {
				t.Errorf("hint %q, code %s", e.Hint, e.Code)
			}
		})
	}
}

func TestNoSecretInAnError(t *testing.T) {
	for _, in := range []string{
		"providers: {w: {api_key: [hush-hush]}}\n",
		"providers: {w: {headers: {X: {hush-hush: 1}}}}\n",
		"web_search: {api_key: {a: hush-hush}}\n",
	} {
		_, _, err := Parse("c.yaml", []byte(in), nil)
		if err == nil || strings.Contains(err.Error(), "hush-hush") {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestGoodFiles(t *testing.T) {
	tests := []struct {
		name, in string
		check    func(c *Config) bool
	}{
		{"only comments", "# a\n\n# b\n", func(c *Config) bool { return c.Model == "auto" }},
		{"sections left empty", "log:\nproviders: ~\nmodel: a\n", func(c *Config) bool { return c.Log.Level == "info" && c.Model == "a" && c.Providers != nil }},
		{"a part of a section", "log: {format: json}\n", func(c *Config) bool { return c.Log.Level == "info" && c.Log.Format == "json" }},
		{"sizes", "limits: {prompt: 2MB, attachment: 4096, request: 1 GiB}\n", func(c *Config) bool {
			return c.Limits.Prompt == 2e6 && c.Limits.Attachment == 4096 && c.Limits.Request == 1<<30 && c.Limits.ModelLine == 16<<20
		}},
		{"durations", "idle_exit: 1h30m\n", func(c *Config) bool {
			return time.Duration(c.IdleExit) == 90*time.Minute && c.IdleExit.String() == "1h30m"
		}},
		{"tls off as YAML 1.1 reads it", "tls: false\n", func(c *Config) bool { return !c.TLS.On() }},
		{"tls files, open", "tls: {cert: /c, key: /k}\nlisten: 0.0.0.0:1\n", func(c *Config) bool { return c.TLS == TLS{"files", "/c", "/k"} }},
		{"tls auto, open", "tls: auto\nlisten: \":8088\"\n", func(c *Config) bool { return c.TLS.On() }},
		{"loopbacks", "listen: \"[::1]:0\"\n", func(c *Config) bool { return c.Listen == "[::1]:0" }},
		{"sandbox words", "sandbox: {mode: off}   # later\n", func(c *Config) bool { return c.Sandbox.Mode == "off" }},
		{"merge and alias", "providers:\n  a: &a {type: openai, base_url: https://h}\n  b:\n    <<: *a\n    api_key: k\n  c: *a\n", func(c *Config) bool {
			return c.Providers["b"].BaseURL == "https://h" && c.Providers["b"].APIKey == "k" && c.Providers["c"].Type == "openai"
		}},
		{"prices", "providers: {w: {base_url: http://h, models: [{id: m, usd_per_mtok: {in: 1, out: 0.5}}, {id: n}]}}\n", func(c *Config) bool {
			m := c.Providers["w"].Models
			return m[0].USDPerMTok.Out == 0.5 && m[1].USDPerMTok == nil
		}},
		{"a number as model", "model: 7\n", func(c *Config) bool { return c.Model == "7" }},
		{"BOM and CRLF", "\ufeffmodel: a\r\nlog:\r\n  level: warn\r\n", func(c *Config) bool { return c.Model == "a" && c.Log.Level == "warn" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, w, err := Parse("c.yaml", []byte(tt.in), nil)
			if err != nil || len(w) != 0 && !strings.Contains(tt.in, "# later") {
				t.Fatal(w, err)
			}
			if !tt.check(c) {
				t.Errorf("got %+v", c)
			}
		})
	}
}

func TestReadingTheFileFails(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := Load(dir, nil); core.CodeOf(err) != core.Internal || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("a folder: %v", err)
	}
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, []byte(strings.Repeat("# x\n", maxFile/4+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(large, nil); core.CodeOf(err) != core.TooLarge {
		t.Errorf("a large file: %v", err)
	}
}

func TestEnvironmentGoesOverTheFile(t *testing.T) {
	file := "log: {level: warn}\nproviders:\n  My: {}\n"
	file = strings.Replace(file, "My", "my-own", 1)
	c, w, err := Parse("c.yaml", []byte(file), Env{
		"PATH=/bin", "JARVIS_HOME=/x", "JARVIS_NO_AUTOSTART=1", "JARVIS_LIBEXEC=/y",
		"JARVIS_LOG_LEVEL=debug", "JARVIS_LOG_PAYLOADS_GZIP=true", "JARVIS_LISTEN=", "JARVIS_MAX_TOKENS=12",
		"JARVIS_LIMITS_PROMPT=1MiB", "JARVIS_IDLE_EXIT=5m", "JARVIS_TLS={cert: /c, key: /k}",
		"JARVIS_NETWORK_ALLOW_PRIVATE=10.0.0.0/8, nas", "JARVIS_PERMISSIONS_DENY=[\"execute(rm *)\", x]",
		"JARVIS_BUDGETS=[{for: all, daily_usd: 2}]",
		"JARVIS_ALIASES_SONNET=anthropic/s", "JARVIS_PROVIDERS_MY_OWN_BASE_URL=http://h/v1", "JARVIS_PROVIDERS_MY_OWN_API_KEY=k: {v",
		"JARVIS_PROVIDERS_NEW_TYPE=openai", "JARVIS_MODEL=a", "JARVIS_MODEL=b: c",
		"JARVIS_LOG_LEVLE=x", "JARVIS_TEST_THING=1",
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(w) < 2 || !strings.Contains(w[0].Message, "JARVIS_LOG_LEVLE") || !strings.Contains(w[0].Message, "JARVIS_LOG_LEVEL") || !strings.Contains(w[1].Message, "JARVIS_TEST_THING") {
		t.Errorf("warnings %v", w)
	}
	own := c.Providers["my-own"]
	switch {
	case c.Log.Level != "debug" || !c.Log.PayloadsGzip || c.Listen != "" || c.MaxTokens != 12 || c.Limits.Prompt != 1<<20:
		t.Errorf("scalars %+v", c)
	case time.Duration(c.IdleExit) != 5*time.Minute || c.TLS.Cert != "/c" || c.Model != "b: c":
		t.Errorf("own types %v %v %q", c.IdleExit, c.TLS, c.Model)
	case !reflect.DeepEqual(c.Network.AllowPrivate, []string{"10.0.0.0/8", "nas"}) || !reflect.DeepEqual(c.Permissions.Deny, []string{"execute(rm *)", "x"}):
		t.Errorf("lists %v %v", c.Network.AllowPrivate, c.Permissions.Deny)
	case len(c.Budgets) != 1 || c.Budgets[0].DailyUSD != 2:
		t.Errorf("budgets %v", c.Budgets)
	case c.Aliases["sonnet"] != "anthropic/s" || own.BaseURL != "http://h/v1" || own.APIKey != "k: {v" || c.Providers["new"].Type != "openai":
		t.Errorf("maps %v %v", c.Aliases, c.Providers)
	case c.Source("log.level") != "JARVIS_LOG_LEVEL":
		t.Errorf("source %s", c.Source("log.level"))
	}
}

func TestBadVariables(t *testing.T) {
	for _, kv := range []string{
		"JARVIS_MAX_TOKENS=many", "JARVIS_LOG_LEVEL=loud", "JARVIS_LISTEN=0.0.0.0:80", "JARVIS_TLS={cert", "JARVIS_TLS={cert: x}",
		"JARVIS_BUDGETS=[{four: all}]", "JARVIS_LIMITS=5", "JARVIS_PROVIDERS_WORK_BASE_URL=h",
	} {
		name, _, _ := strings.Cut(kv, "=")
		_, _, err := Parse("c.yaml", []byte("model: a\n"), Env{kv})
		if err == nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s: %v", kv, err)
			continue
		}
		if e := err.(*core.Error); e.Hint != "unset "+name { //nolint:errorlint // seen above
			t.Errorf("%s: hint %q", kv, e.Hint)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "model: a\n", "log: {level: info}\n", "a: &a [*a]\n", "providers:\n  a: &x {type: openai}\n  b: {<<: *x}\n", "tls: {cert: a, key: b}\n", "? [a]\n: b\n", "<<: [{model: a}, {model: b}]\n", "budgets: [{for: all}]\n", "\ufeff---\nmodel: |+\n  a\n\n...\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, _, err := Parse("c.yaml", data, nil)
		if err != nil {
			if _, ok := err.(*core.Error); !ok { //nolint:errorlint // the type itself is the promise
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		rows, err := c.Rows()
		if err != nil || len(rows) == 0 {
			t.Fatal(rows, err)
		}
		c.ProviderList(func(string) string { return "" })
	})
}
