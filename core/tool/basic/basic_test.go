package basic

import (
	"encoding/json"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/tool"
)

var now = time.Date(2026, 12, 2, 13, 5, 0, 0, time.UTC)

func run(t *testing.T, name, args string, env tool.Env) (string, error) {
	t.Helper()
	for _, tl := range Tools() {
		if tl.Spec().Name != name {
			continue
		}
		env.Now = now
		c := tool.Call{Args: json.RawMessage(args), Env: env}
		p, err := tl.Plan(t.Context(), c)
		if err != nil {
			return "", err
		}
		if len(p.Effects) > 0 {
			t.Errorf("%s has effects %v", name, p.Effects)
		}
		r, err := tl.Run(t.Context(), c, p)
		return r.Text, err
	}
	t.Fatalf("no tool %q", name)
	return "", nil
}

func TestTools(t *testing.T) {
	for _, c := range []struct{ name, args, tz, lang, want string }{
		{"time", `{}`, "Europe/Berlin", "", "date: 2026-12-02\nweekday: Wednesday\ntime: 14:05\nzone: Europe/Berlin (UTC+01:00)\nweek: 49"},
		{"time", ``, "", "", "date: 2026-12-02\nweekday: Wednesday\ntime: 13:05\nzone: UTC (UTC+00:00)\nweek: 49"},
		{"time", `{"zone":"Auckland"}`, "Europe/Berlin", "", "date: 2026-12-03\nweekday: Thursday\ntime: 02:05\nzone: Pacific/Auckland (UTC+13:00)\nweek: 49"},
		{"time", `{"zone":"UTC+5:30"}`, "", "", "date: 2026-12-02\nweekday: Wednesday\ntime: 18:35\nzone: UTC+05:30 (UTC+05:30)\nweek: 49"},
		{"calculate", `{"expression":"17% of 2,400"}`, "", "en", "17% of 2400 = 408"},
		{"calculate", `{"expression":"17% of 2,400"}`, "", "de", "17% of 2.4 = 0.408"},
		{"calculate", `{"expression":"5 km in miles"}`, "", "", "5 km in mi ≈ 3.10685596119 mi"},
	} {
		got, err := run(t, c.name, c.args, tool.Env{TZ: c.tz, Lang: c.lang})
		if err != nil || got != c.want {
			t.Errorf("%s %s = %q, %v, want %q", c.name, c.args, got, err, c.want)
		}
	}
}

func TestToolsRefuse(t *testing.T) {
	for _, c := range []struct {
		name, args string
		code       core.Code
	}{
		{"time", `{"zone":"Atlantis"}`, core.BadRequest},
		{"time", `{"zone":"../../etc/passwd"}`, core.BadRequest},
		{"time", `{"city":"Berlin"}`, core.BadRequest},
		{"calculate", `{}`, core.BadRequest},
		{"calculate", `{"expression":"9^9^9"}`, core.TooLarge},
		{"calculate", `{"expression":"1/0"}`, core.BadRequest},
		{"calculate", `{"expression":7}`, core.BadRequest},
	} {
		if got, err := run(t, c.name, c.args, tool.Env{}); core.CodeOf(err) != c.code {
			t.Errorf("%s %s = %q, %v, want %s", c.name, c.args, got, err, c.code)
		}
	}
}

func TestSchemasAreJSON(t *testing.T) {
	for _, tl := range Tools() {
		var v map[string]any
		if err := json.Unmarshal(tl.Spec().Schema, &v); err != nil || v["additionalProperties"] != false {
			t.Errorf("%s: %v, %v", tl.Spec().Name, v, err)
		}
	}
}
