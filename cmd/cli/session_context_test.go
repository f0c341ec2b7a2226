package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"jarvis/core"
)

func TestWindowLine(t *testing.T) {
	part := func(kind string, n int) core.WindowPart { return core.WindowPart{Kind: kind, Tokens: n} }
	for _, tc := range []struct {
		name string
		win  core.Window
		want string
	}{
		{"empty", core.Window{Size: 1000, Free: 1000}, "[" + strings.Repeat("░", 40) + "]"},
		{"no size", core.Window{Parts: []core.WindowPart{part(core.WindowSystem, 5)}}, "[" + strings.Repeat("░", 40) + "]"},
		{
			"some",
			core.Window{Size: 1000, Answer: 200, Reserve: 50, Parts: []core.WindowPart{
				part(core.WindowSystem, 100), part(core.WindowTool, 25), part(core.WindowSummary, 1), part(core.WindowChain, 250), part(core.WindowContext, 25),
			}},
			"[█████▓▒▒▒▒▒▒▒▒▒▒+░░░░░░░░░░░░░          ]",
		},
		{"overfull", core.Window{Size: 100, Answer: 90, Parts: []core.WindowPart{part(core.WindowChain, 1<<40)}}, "[" + strings.Repeat("▒", 40) + "]"},
	} {
		got := windowLine(tc.win)
		if n := utf8.RuneCountInString(got); n != windowBar+2 {
			t.Errorf("%s: %d characters", tc.name, n)
		}
		if got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.name, got, tc.want)
		}
	}
}

func TestOlderChains(t *testing.T) {
	parts := []core.WindowPart{{Kind: core.WindowSystem, Tokens: 1000}}
	for range windowChains + 3 {
		parts = append(parts, core.WindowPart{Kind: core.WindowChain, Tokens: 7})
	}
	if n, tokens := olderChains(parts); n != 3 || tokens != 21 {
		t.Errorf("%d chains of %d tokens", n, tokens)
	}
	if n, tokens := olderChains(parts[:windowChains]); n != 0 || tokens != 0 {
		t.Errorf("%d chains of %d tokens", n, tokens)
	}
}
