package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jarvis/core"
)

const settingsFile = "# mine\nlanguage: en # words\nmax_tokens: 100\nproviders:\n  anthropic: {api_key: sk-very-secret}\n"

func changeFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(settingsFile), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func changes(t *testing.T, body string) map[string]json.RawMessage {
	t.Helper()
	var set map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &set); err != nil {
		t.Fatal(err)
	}
	return set
}

func TestChangeKeepsTheRest(t *testing.T) {
	file := changeFile(t)
	digest := Digest([]byte(settingsFile))
	body := `{"language":"de","max_tokens":null,"limits.prompt":"2MiB","budgets":[{"for":"all","daily_usd":2}]}`
	if _, err := Change(file, nil, digest, changes(t, body)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# mine\nlanguage: de # words\nproviders:\n  anthropic: {api_key: sk-very-secret}\n", "prompt: 2MiB", "daily_usd: 2"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	// A second screen that knows the old text does not write over the first one's.
	if _, err := Change(file, nil, digest, changes(t, `{"language":"auto"}`)); core.CodeOf(err) != core.Conflict {
		t.Errorf("an old digest: %v", err)
	}
}

func TestChangeRefuses(t *testing.T) {
	file := changeFile(t)
	digest := Digest([]byte(settingsFile))
	for body, want := range map[string]core.Code{
		`{}`:                            core.BadRequest,
		`{"langage":"de"}`:              core.BadRequest,
		`{"language":"fr"}`:             core.BadRequest,
		`{"language":5}`:                core.BadRequest,
		`{"model":true}`:                core.BadRequest,
		`{"max_tokens":"5"}`:            core.BadRequest,
		`{"max_tokens":0}`:              core.BadRequest,
		`{"max_tokens":[1]}`:            core.BadRequest,
		`{"limits.prompt":"10 parsec"}`: core.BadRequest,
		`{"idle_exit":"-5m"}`:           core.BadRequest,
		`{"budgets":[{"for":"all","daily_usd":-1}]}`:      core.BadRequest,
		`{"budgets":[{"for":"all","daily_usd":"5 EUR"}]}`: core.BadRequest,
		`{"budgets":"all"}`:                               core.BadRequest,
		`{"providers.anthropic.api_key":"x"}`:             core.ScopeDenied,
		`{"providers":{}}`:                                core.ScopeDenied,
		`{"listen":"0.0.0.0:80"}`:                         core.ScopeDenied,
		`{"permissions.mode":"full"}`:                     core.ScopeDenied,
		`{"language":"de","listen":""}`:                   core.ScopeDenied, // all or nothing
	} {
		_, err := Change(file, nil, digest, changes(t, body))
		if core.CodeOf(err) != want {
			t.Errorf("%s: %v", body, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s tells a secret: %v", body, err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != settingsFile {
		t.Errorf("the file is now %v\n%s", err, text)
	}
}
