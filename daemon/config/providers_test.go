package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jarvis/daemon/api"

	"go.yaml.in/yaml/v4"
)

// describe writes a provider list as one string, with the secrets.
func describe(list []Provider) string {
	var out []string
	for _, p := range list {
		s := p.Name
		if p.Type != p.Name {
			s += "(" + p.Type + ")"
		}
		for _, part := range []string{p.BaseURL, p.Key.Reveal(), p.Token.Reveal(), p.From} {
			s += " " + part
		}
		if p.Problem != nil {
			s += " !" + p.Problem.Error()
		}
		out = append(out, strings.TrimRight(s, " "))
	}
	return strings.Join(out, "\n")
}

const always = "ollama http://127.0.0.1:11434\nlocal\nbuiltin"

func TestProviderList(t *testing.T) {
	tests := []struct {
		name, file string
		env        Env
		want       string
	}{
		{"nothing", "", nil, always},
		{
			"every variable", "",
			Env{"ANTHROPIC_API_KEY=a", "OPENAI_API_KEY=o", "GOOGLE_API_KEY=g2", "GEMINI_API_KEY=g", "OPENROUTER_API_KEY=r", "OLLAMA_HOST=box"},
			"anthropic https://api.anthropic.com a  ANTHROPIC_API_KEY\nopenai https://api.openai.com/v1 o  OPENAI_API_KEY\n" +
				"google https://generativelanguage.googleapis.com/v1beta/openai g  GEMINI_API_KEY\nopenrouter https://openrouter.ai/api/v1 r  OPENROUTER_API_KEY\n" +
				"ollama http://box:11434   OLLAMA_HOST\nlocal\nbuiltin",
		},
		{"base URLs", "", Env{"ANTHROPIC_AUTH_TOKEN=tok", "ANTHROPIC_BASE_URL=http://p/", "OPENAI_BASE_URL=http://q/v1"}, "anthropic http://p  tok ANTHROPIC_AUTH_TOKEN\nopenai http://q/v1   OPENAI_BASE_URL\n" + always},
		{"a base URL alone offers no Anthropic", "", Env{"ANTHROPIC_BASE_URL=http://p"}, always},
		{"blank variables", "", Env{"ANTHROPIC_API_KEY= ", "OPENAI_BASE_URL=nonsense"}, always},
		{
			"the file's order, then the environment's",
			"providers:\n  zeta: {base_url: http://z}\n  openai: {}\n  alpha: {base_url: http://a, api_key: k}\n",
			Env{"ANTHROPIC_API_KEY=a", "OPENAI_API_KEY=o"},
			"zeta(openai-compatible) http://z   file\nopenai https://api.openai.com/v1 o  file\nalpha(openai-compatible) http://a k  file\nanthropic https://api.anthropic.com a  ANTHROPIC_API_KEY\n" + always,
		},
		{"the file's key goes first", "providers: {openai: {api_key: mine}}\n", Env{"OPENAI_API_KEY=o"}, "openai https://api.openai.com/v1 mine  file\n" + always},
		{"a reference", "providers: {openai: {api_key: \"${MY_KEY}\"}}\n", Env{"MY_KEY=m"}, "openai https://api.openai.com/v1 m  file\n" + always},
		{"a reference to nothing", "providers: {openai: {api_key: \"${MY_KEY}\"}}\n", Env{"OPENAI_API_KEY=o"}, "openai https://api.openai.com/v1 o  file\n" + always},
		{"a second account", "providers: {work: {type: anthropic, api_key: w}}\n", Env{"ANTHROPIC_API_KEY=a", "ANTHROPIC_BASE_URL=http://p"}, "work(anthropic) https://api.anthropic.com w  file\nanthropic http://p a  ANTHROPIC_API_KEY\n" + always},
		{"a second account gets no one else's key", "providers: {work: {type: anthropic}}\n", Env{"ANTHROPIC_API_KEY=a"}, "work(anthropic) https://api.anthropic.com   file\nanthropic https://api.anthropic.com a  ANTHROPIC_API_KEY\n" + always},
		{"half filled", "providers: {work: {type: openai-compatible}}\n", nil, "work(openai-compatible)    file !the provider work has no base_url\n" + always},
		{"no such key file", "providers: {openai: {api_key: \"file:/nowhere/k\"}}\n", nil, "openai https://api.openai.com/v1   file !the key file /nowhere/k cannot be read\n" + always},
		{"ollama elsewhere", "providers: {ollama: {base_url: http://o:1}}\n", Env{"OLLAMA_HOST=x"}, "ollama http://o:1   file\nlocal\nbuiltin"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, _, err := Parse("c.yaml", []byte(tt.file), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(c.ProviderList(tt.env.Get)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestOllamaAddress(t *testing.T) {
	for in, want := range map[string]string{
		"box": "http://box:11434", "0.0.0.0": "http://127.0.0.1:11434", "0.0.0.0:99": "http://127.0.0.1:99", ":99": "http://127.0.0.1:99",
		"http://box": "http://box:80", "https://box/": "https://box:443", "https://box:1/p/": "https://box:1/p", "[::]:5": "http://127.0.0.1:5", "[::1]": "http://[::1]:11434",
	} {
		if got := ollamaAddress(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestSecretsResolve(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("k", " sk-1\r\n")
	write("empty", "\n")
	write("two", "a\nb\n")
	write("large", strings.Repeat("x", maxSecret+1))
	env := Env{"A=va", "B=vb"}
	tests := []struct{ in, want, fails string }{
		{"plain", "plain", ""},
		{"${A}", "va", ""},
		{"Bearer ${A}-${B}", "Bearer va-vb", ""},
		{"Bearer ${NONE}", "", ""},
		{"$A", "$A", ""},
		{"file:k", "sk-1", ""},
		{"file:" + dir + "/k", "sk-1", ""},
		{"file:none", "", "cannot be read"},
		{"file:.", "", "is not a file"},
		{"file:empty", "", "is empty"},
		{"file:two", "", "more than one line"},
		{"file:large", "", "too large"},
	}
	for _, tt := range tests {
		got, err := Secret(tt.in).Resolve(env.Get, dir)
		if got.Reveal() != tt.want || (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%s: got %q, %v", tt.in, got.Reveal(), err)
		}
	}
}

func TestSecretsArePrintedNowhere(t *testing.T) {
	c, _, err := Parse("c.yaml", []byte("providers: {w: {base_url: http://h, api_key: hush, headers: {X: hush}}}\nweb_search: {api_key: hush}\nnetwork: {proxy: \"http://me:hush@p:1\"}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := c.ProviderList(func(string) string { return "" })[0]
	if p.Key.Reveal() != "hush" {
		t.Fatalf("key %q", p.Key.Reveal())
	}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("Test", "key", p.Key, "provider", p, "headers", p.Headers)
	}
	y, err := yaml.Dump(c)
	if err != nil {
		t.Fatal(err)
	}
	j, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := c.Rows()
	if err != nil {
		t.Fatal(err)
	}
	tree, err := c.Get("network")
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := Plain(tree)
	if err != nil {
		t.Fatal(err)
	}
	// The whole configuration as a Go value has the proxy's password; what is printed of it goes through Tree.
	all := log.String() + string(j) + fmt.Sprint(rows) + proxy + strings.ReplaceAll(string(y), "me:hush@", "") +
		fmt.Sprintf("%v %+v %#v %s %q", p, p, p, p.Key, p.Key) + fmt.Sprintf("%#v", c.Providers)
	if i := strings.Index(all, "hush"); i >= 0 {
		t.Errorf("printed: %s", all[max(0, i-80):i+4])
	}
}

// TestEveryVariableThatOffersAProviderIsCompared: the client says when its shell has one that the daemon has not.
func TestEveryVariableThatOffersAProviderIsCompared(t *testing.T) {
	used := map[string]bool{"": true}
	for _, o := range offers {
		for _, v := range append([]string{o.token, o.baseVar}, o.keys...) {
			used[v] = true
			if v != "" && !slices.Contains(api.ProviderVars(), v) {
				t.Errorf("daemon/api does not know %s", v)
			}
		}
	}
	for _, v := range api.ProviderVars() {
		if !used[v] {
			t.Errorf("%s offers nothing", v)
		}
	}
}
