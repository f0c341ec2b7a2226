package config

import (
	"strings"
	"testing"
)

func TestRedactKeepsNoKey(t *testing.T) {
	text := `# api_key: sk-old-secret
model: a/b
providers:
  a: # sk-old-secret
    type: openai-compatible
    api_key: sk-live-secret
    base_url: http://me:pass-secret@host.example/v1
    headers: {X-Key: header-secret, X-Ref: "${NAMED}"}
  b:
    api_key: ${B_KEY}
  c:
    api_key: file:secrets/c
`
	out, err := Redact("config.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "secret\n") || strings.Contains(string(out), "-secret") {
		t.Errorf("a key is left:\n%s", out)
	}
	for _, want := range []string{"${NAMED}", "${B_KEY}", "file:secrets/c", "http://host.example/v1", "a/b"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is gone:\n%s", want, out)
		}
	}
	if _, _, err := Parse("config.yaml", out, nil); err != nil {
		t.Errorf("it is no configuration any more: %v\n%s", err, out)
	}
}

func TestRedactRefusesWhatItCannotJudge(t *testing.T) {
	for _, text := range []string{
		"provider: {a: {api_key: sk-live}}", "a: [", "a: 1\n---\nb: 2",
		"model: sk-live\nproviders: {a: {api_key: sk-live}}",
	} {
		if out, err := Redact("config.yaml", []byte(text)); err == nil {
			t.Errorf("%q became %q", text, out)
		}
	}
	if out, err := Redact("config.yaml", []byte("# nothing: sk-old\n")); err != nil || len(out) != 0 {
		t.Errorf("comments only: %q, %v", out, err)
	}
}
