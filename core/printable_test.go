package core

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain text\n\twith a tab": "plain text\n\twith a tab",
		"Grüße 👨‍👩‍👧 한글":           "Grüße 👨‍👩‍👧 한글",
		"\x1b[31mred\x1b]0;t\a":    `\x1b[31mred\x1b]0;t\x07`,
		"a\u202eb\u200bc":          `a\u202eb\u200bc`,
		"line\r\nnext\rover":       "line\nnext" + `\x0dover`,
		"\x9b31m \x7f \u009b":      `\x9b31m \x7f \x9b`,
	} {
		if got := Printable(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func FuzzPrintableJSON(f *testing.F) {
	f.Add("a\u202eb\u009bc\x7f\U000e0041 Grüße")
	f.Add("plain")
	f.Fuzz(func(t *testing.T, s string) {
		b, err := json.Marshal(s)
		if err != nil {
			t.Skip()
		}
		out := PrintableJSON(b)
		var was, is string
		if json.Unmarshal(b, &was) != nil || json.Unmarshal(out, &is) != nil || was != is {
			t.Fatalf("%q became %q", was, is)
		}
		for _, r := range string(out) {
			if hidden(r) || r != utf8.RuneError && r >= 0x7f && r < 0xa0 {
				t.Fatalf("%q still has %U", out, r)
			}
		}
	})
}
