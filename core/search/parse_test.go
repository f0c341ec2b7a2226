package search

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jarvis/core"
	"jarvis/daemon/api"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestParse(t *testing.T) {
	day := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }
	for text, want := range map[string]Parsed{
		"mango":                             {Query: core.Query{Terms: []core.Term{{Text: "mango"}}}},
		`"to be" -or  not*`:                 {Query: core.Query{Terms: []core.Term{{Text: "to be", Phrase: true}, {Text: "or", Not: true}, {Text: "not", Prefix: true}}}},
		"from:me type:tool a":               {Query: core.Query{Roles: []string{"user"}, Types: []string{"tool_use", "tool_result"}, Terms: []core.Term{{Text: "a"}}}},
		"from:user a":                       {Query: core.Query{Roles: []string{"user"}, Types: []string{"text"}, Terms: []core.Term{{Text: "a"}}}},
		"FROM:jarvis agent:researcher":      {Query: core.Query{Roles: []string{"assistant"}, Agents: []core.AgentID{"researcher"}}},
		"after:2026-01-02 before:yesterday": {Query: core.Query{After: day(2026, 1, 2), Before: day(2026, 3, 13)}},
		"after:7d":                          {Query: core.Query{After: day(2026, 3, 7)}},
		"after:2h":                          {Query: core.Query{After: noon.Add(-2 * time.Hour)}},
		"session:abc12":                     {Typed: "abc12"},
		"is:marked":                         {Query: core.Query{Marked: true}},
		"http://x.example/y":                {Query: core.Query{Terms: []core.Term{{Text: "http://x.example/y"}}}},
		`agent:"two words"`:                 {Query: core.Query{Agents: []core.AgentID{"two words"}}},
		`"never closed`:                     {Query: core.Query{Terms: []core.Term{{Text: "never closed", Phrase: true}}}},
		"„in Deutsch“ ?!":                   {Query: core.Query{Terms: []core.Term{{Text: "in Deutsch", Phrase: true}}}},
		strings.Repeat("x ", 500):           {Query: core.Query{Terms: []core.Term{{Text: "x"}}}},
		"(a+)+$ .*":                         {Query: core.Query{Terms: []core.Term{{Text: "(a+)+$"}}}},
	} {
		got, err := Parse(text, noon, time.UTC)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

// TestOneBound: the command refuses what the parser would.
func TestOneBound(t *testing.T) {
	if MaxQuery != api.MaxQuery {
		t.Errorf("%d is not %d", MaxQuery, api.MaxQuery)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"":                                 "no word",
		" ?!… -- \"\" *":                   "no word",
		"-only":                            "no word",
		"from:nobody x":                    "from: does not know",
		"type:":                            "needs a value",
		"before:soon":                      "before: does not know",
		"before:d":                         "before: does not know",
		"is:nice":                          "is: does not know",
		"-from:me":                         "minus",
		"a*":                               "too short",
		strings.Repeat("x", 100<<10):       "at most 2000 bytes",
		words(41):                          "at most 40 words",
		"type:" + strings.Repeat("ä", 300): "…",
	} {
		_, err := Parse(text, noon, time.UTC)
		if core.CodeOf(err) != core.BadRequest || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// words are n different ones.
func words(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%d ", i)
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a", `-"b c" from:me`, "after:7d x*", "„", "type:\xff", "session:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Parse(s, noon, time.UTC)
		if err != nil && core.CodeOf(err) != core.BadRequest {
			t.Error(err)
		}
		if err == nil && (!p.asks() || len(p.Terms) > maxTerms) {
			t.Errorf("%q gives %+v", s, p)
		}
	})
}
