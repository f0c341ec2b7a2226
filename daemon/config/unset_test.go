package config

import (
	"path/filepath"
	"testing"

	"jarvis/core"
)

func TestUnsetTextKeepsEverythingElse(t *testing.T) {
	tests := []struct{ name, in, path, want string }{
		{"a line", "# a\nmodel: x # m\n# b\nlisten: \"\"\n", "model", "# a\n# b\nlisten: \"\"\n"},
		{"the last line", "model: x\nlisten: \"\"", "listen", "model: x\n"},
		{"the only one", "model: x\n", "model", ""},
		{"a group", "model: x\nlog:\n  level: info\n\n  format: json # f\nlisten: \"\"\n", "log", "model: x\nlisten: \"\"\n"},
		{"in a group", "log:\n  level: info # l\n  format: json\n", "log.level", "log:\n  format: json\n"},
		{"the only one in a group", "log: # the log\n  level: info\nmodel: a\n", "log.level", "log: # the log\nmodel: a\n"},
		{"first in brackets", "log: {level: info, format: json} # c\n", "log.level", "log: {format: json} # c\n"},
		{"last in brackets", "log: {level: info, format: json} # c\n", "log.format", "log: {level: info} # c\n"},
		{"only in brackets", "log: { level: info }\n", "log.level", "log: {  }\n"},
		{"a provider", "providers:\n  a:\n    type: openai\n    models:\n    - id: x\n  b: {type: ollama}\n", "providers.a", "providers:\n  b: {type: ollama}\n"},
		{"a list's entry", "budgets:\n- for: all # a\n  daily_usd: 1\n- for: chain\n  daily_usd: 2\n", "budgets.0", "budgets:\n- for: chain\n  daily_usd: 2\n"},
		{"an entry in brackets", "permissions: {allow: [a, b, c]}\n", "permissions.allow.1", "permissions: {allow: [a, c]}\n"},
		{"a block scalar", "model: |\n  a\n\nlisten: \"\"\r\n", "model", "\nlisten: \"\"\r\n"},
		{"an unknown key", "modle: x\nmodel: y\n", "modle", "model: y\n"},
		{"CRLF", "model: x\r\nlisten: \"\"\r\n", "model", "listen: \"\"\r\n"},
		{"BOM", "\ufeffmodel: x\nlisten: \"\"\n", "model", "\ufefflisten: \"\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keys, err := ParsePath(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := UnsetText("c.yaml", []byte(tt.in), keys)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

func TestUnsetTextRefuses(t *testing.T) {
	tests := []struct {
		in, path string
		code     core.Code
	}{
		{"", "model", core.NotFound},
		{"model: a\n", "listen", core.NotFound},
		{"model: a\n", "model.x", core.NotFound},
		{"model: &m a\nembedder: *m\n", "model", core.Conflict},
		{"budgets:\n- for: all\n  daily_usd: 1\n", "budgets.0.for", core.Conflict},
		{"model: [\n", "model", core.BadRequest},
	}
	for _, tt := range tests {
		keys, err := ParsePath(tt.path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := UnsetText("c.yaml", []byte(tt.in), keys); core.CodeOf(err) != tt.code {
			t.Errorf("%q without %s: %q, %v", tt.in, tt.path, got, err)
		}
	}
}

func TestUnsetOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	if _, err := Set(file, "listen", "127.0.0.1:1", nil); err != nil {
		t.Fatal(err)
	}
	done, err := Unset(file, "listen", nil)
	if err != nil || done.Config.Listen != Default().Listen || len(done.Restart) != 1 {
		t.Errorf("%+v %v", done, err)
	}
}

// FuzzUnsetText: the edit is refused, or the key is gone and the rest is the same.
func FuzzUnsetText(f *testing.F) {
	for _, s := range []string{"model: a # b\nlog: {level: info,\n  format: json } # c\n", "log:\r\n  level: |\r\n   info\r\n", "- a\n- b: {c: d}\n", "? log\n: level: info\n", "log: &l {level: info}\nx: *l\n"} {
		f.Add([]byte(s), "log.level")
		f.Add([]byte(s), "model")
	}
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		keys, err := ParsePath(path)
		if err != nil {
			return
		}
		out, err := UnsetText("c.yaml", data, keys)
		if err != nil {
			if _, ok := err.(*core.Error); !ok { //nolint:errorlint // the type itself is the promise
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if !onlyGone(data, out, keys) {
			t.Errorf("%q without %s: %q", data, path, out)
		}
	})
}
