package config

import (
	"testing"
)

func TestSetTextKeepsEverythingElse(t *testing.T) {
	tests := []struct{ name, in, path, value, want string }{
		{"empty file", "", "log.level", "debug", "log:\n  level: debug\n"},
		{"comments only", "# nothing yet\n", "model", "work/big", "# nothing yet\nmodel: work/big\n"},
		{"no line end", "model: a", "listen", "", "model: a\nlisten: \"\"\n"},
		{"scalar with comment", "# head\nmodel:   auto   # which\nlisten: 127.0.0.1:1\n", "model", "openai/gpt-5", "# head\nmodel:   openai/gpt-5   # which\nlisten: 127.0.0.1:1\n"},
		{"quotes stay double", "model: \"a\\\"b\" # c\n", "model", "x y", "model: \"x y\" # c\n"},
		{"quotes stay single", "model: 'it''s' # c\n", "model", "x", "model: 'x' # c\n"},
		{"CRLF", "model: a # c\r\nlog:\r\n  level: info\r\n# end\r\n", "log.format", "json", "model: a # c\r\nlog:\r\n  level: info\r\n  format: json\r\n# end\r\n"},
		{"odd indentation", "log:\n     level: info  # l\n\n     # f\nmodel: a\n", "log.payloads", "true", "log:\n     level: info  # l\n     payloads: true\n\n     # f\nmodel: a\n"},
		{"flow map", "log: {level: info, payloads: true} # x\n", "log.level", "warn", "log: {level: warn, payloads: true} # x\n"},
		{"into flow map", "log: { level: info }\n", "log.format", "json", "log: { level: info, format: json }\n"},
		{"into empty flow map", "providers: {} # p\n", "providers.work.base_url", "https://h/v1", "providers: {work: {base_url: https://h/v1}} # p\n"},
		{"flow map over lines", "log: {\n  level: info, # l\n  format: json,\n}\nmodel: a\n", "log.payloads", "true", "log: {\n  level: info, # l\n  format: json, payloads: true,\n}\nmodel: a\n"},
		{"empty section", "log: # the log\n  # level: debug\nmodel: a\n", "log.level", "debug", "log: # the log\n  level: debug\n  # level: debug\nmodel: a\n"},
		{"null section", "log: ~ # c\n", "log.level", "debug", "log: {level: debug} # c\n"},
		{"empty value", "model:\nlisten: \"\"\n", "model", "a", "model: a\nlisten: \"\"\n"},
		{"block list", "permissions:\n  allow: # what\n  - a\n  - b # b\n  # after\n  deny: []\n", "permissions.allow", "[x]", "permissions:\n  allow: [x] # what # b\n  # after\n  deny: []\n"},
		{"list entry", "budgets:\n- for: all\n  daily_usd: 1 # one\n- {for: chain, daily_usd: 2}\n", "budgets.0.daily_usd", "3", "budgets:\n- for: all\n  daily_usd: 3 # one\n- {for: chain, daily_usd: 2}\n"},
		{"list entry insert", "budgets:\n- for: all\n  daily_usd: 1 # one\n- {for: chain, daily_usd: 2}\n", "budgets.0.monthly_usd", "3", "budgets:\n- for: all\n  daily_usd: 1 # one\n  monthly_usd: 3\n- {for: chain, daily_usd: 2}\n"},
		{"words for a list", "model: a\n", "network.allow_private", "10.0.0.0/8, nas", "model: a\nnetwork:\n  allow_private: [10.0.0.0/8, nas]\n"},
		{"anchor elsewhere", "model: &m a/b # m\nvision_model: *m\nembedder: c\n", "embedder", "d", "model: &m a/b # m\nvision_model: *m\nembedder: d\n"},
		{"alias value", "model: &m a/b\nvision_model: *m # v\n", "vision_model", "c/d", "model: &m a/b\nvision_model: c/d # v\n"},
		{"anchor nobody uses", "model: &m a/b # m\n", "model", "c", "model: &m c # m\n"},
		{"block scalar", "model: |-\n  a\n\n# c\nlisten: \"\"\n", "model", "b", "model: b\n\n# c\nlisten: \"\"\n"},
		{"plain over lines", "model: a\n  b\nlisten: \"\"\n", "model", "c", "model: c\nlisten: \"\"\n"},
		{"umlauts", "aliases: {ä: öü, b: c}\n", "aliases.b", "x", "aliases: {ä: öü, b: x}\n"},
		{"dotted key", "aliases:\n  \"m.1\": a\n", `aliases."m.1"`, "b", "aliases:\n  \"m.1\": b\n"},
		{"document marks", "---\nmodel: a\n...\n", "listen", "", "---\nmodel: a\nlisten: \"\"\n...\n"},
		{"BOM", "\ufeffmodel: a\n", "model", "b", "\ufeffmodel: b\n"},
		{"a new provider", "providers:\n    a: {type: openai}\n\n# rest\n", "providers.b", "{base_url: 'http://h', models: [{id: x}]}", "providers:\n    a: {type: openai}\n    b: {base_url: http://h, models: [{id: x}]}\n\n# rest\n"},
		{"tls map", "tls: off\n", "tls", "{cert: /c, key: /k}", "tls: {cert: /c, key: /k}\n"},
		{"number as text", "model: a\n", "model", "007", "model: \"007\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keys, err := ParsePath(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := SetText("c.yaml", []byte(tt.in), keys, tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got\n%q\nwant\n%q", got, tt.want)
			}
		})
	}
}
