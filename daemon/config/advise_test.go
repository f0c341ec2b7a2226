package config

import (
	"strings"
	"testing"
)

// advice gives the warnings of a text, one a line.
func advice(t *testing.T, text string, env Env) string {
	t.Helper()
	_, ws, err := Parse("c.yaml", []byte(text), env)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, w := range ws {
		b.WriteString(w.Message + " | " + w.Hint + "\n")
	}
	return b.String()
}

// TestWhatHasNoEffectYetIsSaid: a person with a rule must not believe in it.
func TestWhatHasNoEffectYetIsSaid(t *testing.T) {
	for text, want := range map[string]string{
		"budgets: [{for: all, daily_usd: 2}]\n":          "",
		"permissions: {mode: full}\n":                    "permissions.mode",
		"permissions: {deny: [execute]}\n":               "permissions.deny",
		"sandbox: {mode: off}\n":                         "sandbox.mode",
		"sandbox: {read_only: [/x]}\n":                   "sandbox.read_only",
		"store: postgres://h/x\n":                        "store",
		"web_search: {provider: x}\n":                    "web_search.provider",
		"network: {allow_private: [10.0.0.0/8]}\n":       "network.allow_private",
		"gateway: {burst: 1}\n":                          "gateway.burst",
		"speech: {language: en}\n":                       "speech.language",
		"embedder: x\n":                                  "embedder",
		"vision_model: x\n":                              "vision_model",
		"public_url: https://h\n":                        "public_url",
		"log: {format: text, level: debug}\n":            "",
		"budgets: []\nsandbox: {mode: on}\nspeech: {}\n": "",
		"idle_exit: 5m\nconcurrency: {per_model: 1}\n":   "",
	} {
		if want != "" {
			want += " has no effect yet in this version | jarvis config set --unset " + want + "\n"
		}
		if got := advice(t, text, nil); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := advice(t, "", Env{"JARVIS_EMBEDDER=x"}); got != "embedder has no effect yet in this version | unset JARVIS_EMBEDDER\n" {
		t.Errorf("by a variable: %q", got)
	}
}

// TestABudgetThatLimitsNothingIsSaid: nobody must believe in a limit that does not hold.
func TestABudgetThatLimitsNothingIsSaid(t *testing.T) {
	for of, want := range map[string]string{
		"all": "", "chain": "", "user:owner": "", "session:abc123": "",
		"user:eve": "there is no user but owner", "agent:x": "there are no agents yet", "plugin:x": "there are no plugins yet", "key:x": "there are no API keys yet",
	} {
		got := advice(t, "budgets:\n- {for: all, daily_usd: 1}\n- {for: \""+of+"\", daily_usd: 1}\n", nil)
		if want != "" && (!strings.Contains(got, "the budget for "+of+" limits nothing: "+want) || !strings.HasSuffix(got, "--unset budgets.1\n")) || want == "" && got != "" {
			t.Errorf("%s: %q", of, got)
		}
	}
}

func TestAKeyOverPlainHTTPIsSaid(t *testing.T) {
	tests := []struct {
		text string
		env  Env
		want string // what the warning has, "" = none
	}{
		{text: "providers: {w: {base_url: \"http://llm.example/v1\", api_key: k}}\n", want: "of the provider w is sent unencrypted to llm.example"},
		{text: "providers: {w: {base_url: \"http://10.0.0.2:80/v1\", api_key: \"file:/not/read\"}}\n", want: "10.0.0.2:80"},
		{text: "providers: {w: {base_url: \"http://llm.example/v1\", headers: {X-Key: k}}}\n", want: "w"},
		{text: "providers: {openai: {base_url: \"http://llm.example/v1\"}}\n", env: Env{"OPENAI_API_KEY=k"}, want: "openai"},
		{env: Env{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=http://llm.example/v1"}, want: "export OPENAI_BASE_URL=https"},
		{text: "providers: {openai: {}}\n", env: Env{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=http://llm.example/v1"}, want: "export OPENAI_BASE_URL=https"},
		{text: "providers: {w: {base_url: \"http://llm.example/v1\"}}\n"},
		{text: "providers: {w: {base_url: \"https://llm.example/v1\", api_key: k}}\n"},
		{text: "providers: {w: {base_url: \"http://localhost:1/v1\", api_key: k}, v: {base_url: \"http://[::1]/v1\", api_key: k}}\n"},
		{env: Env{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=http://127.0.0.1:9/v1", "OLLAMA_HOST=http://nas:1"}},
	}
	for _, tt := range tests {
		got := advice(t, tt.text, tt.env)
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) || strings.Count(got, "\n") > 1 {
			t.Errorf("%q %v: got %q, want %q", tt.text, tt.env, got, tt.want)
		}
	}
}
