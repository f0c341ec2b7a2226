package cli

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestChartFits: whatever the width, no line is longer, figures stand under each other, and cost stays to the last.
func TestChartFits(t *testing.T) {
	lines := []chartLine{
		{"openrouter/some-vendor/some-model", []string{"123456 in", "7890 out", "$12.3456"}, 1},
		{"p/m", []string{"1 in", "2 out", "$0.0001"}, 0.00001},
		{"total", []string{"123457 in", "7892 out", "$12.3457"}, 0},
	}
	for _, tc := range []struct {
		width, bar int // of the longest line's bar
		tokens     bool
		whole      bool // the names
	}{{0, usualBar, true, true}, {200, mostBar, true, true}, {120, mostBar, true, true}, {80, 14, true, true}, {60, 15, false, true}, {45, 0, false, true}, {30, 0, false, false}, {10, 0, false, false}} {
		got := chart(lines, tc.width)
		text := strings.Join(got, "\n")
		for i, l := range got {
			if tc.width >= 20 && utf8.RuneCountInString(l) > tc.width {
				t.Errorf("%d: line %d is wider: %q", tc.width, i, l)
			}
			if cost := lines[i].figures[2]; !strings.Contains(l, cost) {
				t.Errorf("%d: no cost in %q", tc.width, l)
			}
		}
		if n := strings.Count(got[0], "▇"); n != tc.bar {
			t.Errorf("%d: a bar of %d, want %d\n%s", tc.width, n, tc.bar, text)
		}
		if small := strings.Count(got[1], "▇"); small != min(tc.bar, 1) {
			t.Errorf("%d: the smallest bar is %d", tc.width, small)
		}
		if strings.Contains(text, " in") != tc.tokens || strings.Contains(text, "some-model") != tc.whole {
			t.Errorf("%d:\n%s", tc.width, text)
		}
		at := func(l string) int {
			return utf8.RuneCountInString(strings.TrimRight(strings.ReplaceAll(l, "▇", ""), " "))
		}
		if at(got[0]) != at(got[1]) || at(got[0]) != at(got[2]) {
			t.Errorf("%d: costs do not end under each other:\n%s", tc.width, text)
		}
	}
	if chart(nil, 80) != nil {
		t.Error("nothing has lines")
	}
}
