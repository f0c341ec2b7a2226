package llmtest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"jarvis/core/llm/llmtest"
)

func post(t *testing.T, url, path, key, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", key)
	req.Header.Set("Anthropic-Version", "2023-06-01")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // read only
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// TestRefusals holds that the scripted provider refuses what the real ones refuse: a test that passes against it means something.
func TestRefusals(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Key: "k"})
	const o, a, l = "/v1/chat/completions", "/v1/messages", "/api/chat"
	user := `{"role":"user","content":"hi"}`
	use := `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"x","input":{}}]}`
	for _, tc := range []struct {
		name, path, body string
		status           int
		text             string
	}{
		{"openai", o, `{"model":"echo","messages":[` + user + `]}`, 200, `"You said: hi"`},
		{"openai no messages", o, `{"model":"echo","messages":[]}`, 400, "empty array"},
		{"openai role", o, `{"model":"echo","messages":[{"role":"robot","content":"x"}]}`, 400, "Supported values"},
		{"openai unknown model", o, `{"model":"missing","messages":[` + user + `]}`, 404, "model_not_found"},
		{"openai not JSON", o, `{`, 400, "parse"},
		{"openai open call", o, `{"model":"echo","messages":[` + user + `,{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"x","arguments":"{}"}}]},` + user + `]}`, 400, "must be followed by tool messages"},
		{"openai stray result", o, `{"model":"echo","messages":[` + user + `,{"role":"tool","tool_call_id":"1","content":"x"}]}`, 400, "must be a response"},
		{"openai choice", o, `{"model":"echo","messages":[` + user + `],"tools":[{"type":"function","function":{"name":"x"}}],"tool_choice":"always"}`, 400, "Supported values"},
		{"openai tool schema", o, `{"model":"echo","messages":[` + user + `],"tools":[{"type":"function","function":{"name":"x","parameters":{"type":"array"}}}]}`, 400, "Invalid schema"},
		{"openai format", o, `{"model":"echo","messages":[` + user + `],"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object","properties":7}}}}`, 400, "Invalid schema"},
		{"openai script", o, `{"model":"status-529","messages":[` + user + `]}`, 529, "server_error"},
		{"anthropic", a, `{"model":"echo","max_tokens":9,"messages":[` + user + `]}`, 200, `"You said: hi"`},
		{"anthropic max_tokens", a, `{"model":"echo","messages":[` + user + `]}`, 400, "max_tokens: Field required"},
		{"anthropic roles", a, `{"model":"echo","max_tokens":9,"messages":[` + user + `,` + user + `]}`, 400, "roles must alternate"},
		{"anthropic empty text", a, `{"model":"echo","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":" "}]}]}`, 400, "non-whitespace"},
		{"anthropic open call", a, `{"model":"echo","max_tokens":9,"messages":[` + user + `,` + use + `,` + user + `]}`, 400, "without `tool_result`"},
		{"anthropic stray result", a, `{"model":"echo","max_tokens":9,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}]}`, 400, "does not contain any `tool_use`"},
		{"anthropic choice", a, `{"model":"echo","max_tokens":9,"messages":[` + user + `],"tools":[{"name":"x","input_schema":{"type":"object"}}],"tool_choice":{"type":"always"}}`, 400, "does not match"},
		{"anthropic no schema", a, `{"model":"echo","max_tokens":9,"messages":[` + user + `],"tools":[{"name":"x"}]}`, 400, "Field required"},
		{"anthropic unknown model", a, `{"model":"missing","max_tokens":9,"messages":[` + user + `]}`, 404, "not_found_error"},
		{"anthropic budget", a, `{"model":"echo","max_tokens":9,"messages":[` + user + `],"thinking":{"type":"enabled","budget_tokens":2000}}`, 400, "budget_tokens"},
		{"anthropic unsigned thought", a, `{"model":"echo","max_tokens":9,"messages":[` + user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x"}]},` + user + `]}`, 400, "signature"},
		{"ollama unknown model", l, `{"model":"missing","messages":[` + user + `]}`, 404, "not found"},
		{"ollama format", l, `{"model":"echo","messages":[` + user + `],"format":{"type":7}}`, 400, "schema"},
	} {
		status, body := post(t, s.URL, tc.path, "k", tc.body)
		if status != tc.status || !strings.Contains(body, tc.text) {
			t.Errorf("%s: %d %s", tc.name, status, body)
		}
		if !json.Valid([]byte(body)) {
			t.Errorf("%s: not JSON: %s", tc.name, body)
		}
	}
	if status, body := post(t, s.URL, a, "", "{}"); status != 401 || !strings.Contains(body, "authentication_error") {
		t.Errorf("no key: %d %s", status, body)
	}
	if status, body := post(t, s.URL, o, "wrong", "{}"); status != 401 || !strings.Contains(body, "invalid_api_key") {
		t.Errorf("wrong key: %d %s", status, body)
	}
}

func TestNamed(t *testing.T) {
	for name, ok := range map[string]bool{
		"echo": true, "echo:latest": true, "text-5": true, "text-5-100": true, "text-x": false, "status-429": true, "status-429-after-2": true,
		"flaky-500": true, "call-time": true, "call-": false, "hang": true, "hang-mid": true, "gpt-5": false, "": false,
	} {
		if _, got := llmtest.Named(name); got != ok {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	addr := make(chan string, 1)
	done := make(chan error, 1)
	go func() { done <- llmtest.Serve(ctx, "127.0.0.1:0", llmtest.Options{}, func(a string) { addr <- a }) }()
	status, body := post(t, "http://"+<-addr, "/v1/chat/completions", "k", `{"model":"flaky-500","messages":[{"role":"user","content":"x"}]}`)
	if status != 500 {
		t.Errorf("%d %s", status, body)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
