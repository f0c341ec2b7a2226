package view

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// ownOnly reports the first byte that is neither text nor one of our colours.
func ownOnly(lines []Line, o Options) error {
	for i, l := range lines {
		rest := l.Text
		for len(rest) > 0 {
			if strings.HasPrefix(rest, "\x1b[") {
				end := strings.IndexByte(rest, 'm')
				if end < 0 || strings.Trim(rest[2:end], "0123456789;") != "" {
					return fmt.Errorf("line %d: a foreign sequence in %q", i, l.Text)
				}
				rest = rest[end+1:]
				continue
			}
			r, n := utf8.DecodeRuneInString(rest)
			if r == utf8.RuneError && n == 1 || r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x200b {
				return fmt.Errorf("line %d: %U in %q", i, r, l.Text)
			}
			rest = rest[n:]
		}
		if w := ansi.StringWidth(l.Text); l.Width > max(o.Width, 20) {
			return fmt.Errorf("line %d is %d columns wide (%d): %q", i, l.Width, w, l.Text)
		}
	}
	return nil
}

// hostile are texts that have broken renderers.
func hostile() map[string]string {
	wide := strings.Repeat("| cell ", 200) + "|\n" + strings.Repeat("|---", 200) + "|\n" + strings.Repeat("| x ", 200) + "|\n"
	return map[string]string{
		"a line of 1 MB":         strings.Repeat("word ", 200_000),
		"a word of 300 KB":       strings.Repeat("x", 300_000) + "\n\nafter",
		"CJK of 300 KB":          strings.Repeat("漢", 100_000),
		"300 KB in a fence":      "```\n" + strings.Repeat("y", 300_000) + "\n```\nafter",
		"a table of 200 columns": wide,
		"1,000 quotes":           strings.Repeat(">", 1000) + " deep\n\nafter",
		"1,000 quotes apart":     strings.Repeat("> ", 1000) + "deep\n\nafter",
		"1,000 lists":            strings.Repeat("- ", 1000) + "deep\n",
		"deeper each line":       deeper(300),
		"brackets":               strings.Repeat("[", 15_000) + "\n",
		"brackets in lines":      strings.Repeat(strings.Repeat("[a](", 100)+"\n", 150),
		"stars":                  strings.Repeat("*a **b ", 2_000) + "\n",
		"underscores":            strings.Repeat("_a __b ", 2_000) + "\n",
		"backticks":              ticks(120),
		"html":                   strings.Repeat("<a", 7_000) + "\n",
		"combining":              "e" + strings.Repeat("\u0301", 100_000),
		"joiners":                strings.Repeat("👨\u200d", 50_000),
		"escapes":                strings.Repeat("\x1b]0;title\x07\x1b[2J\x9b1m", 1000),
		"entities":               strings.Repeat("&#x1b;]52;c;aGk=&#7; &#x202e;x &#0; ", 500),
		"definitions":            strings.Repeat("[a]: <x\x1b>\n", 3000),
		"huge block":             strings.Repeat("- item of one list with some words\n  and a second line\n", 4000),
		"one paragraph":          strings.Repeat("line of a paragraph\n", 20_000),
		"invalid":                strings.Repeat("\xff\xfe\xc3", 10_000),
		"nulls":                  strings.Repeat("a\x00b\r", 5_000),
		"many tables":            strings.Repeat("| a | b |\n|---|---|\n| 1 | 2 |\n\n", 2_000),
	}
}

func deeper(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	return b.String()
}

func ticks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("`", i+1) + " ")
	}
	return b.String() + "\n"
}

func TestHostileTextIsBounded(t *testing.T) {
	for name, src := range hostile() {
		t.Run(name, func(t *testing.T) {
			o := Options{Width: 80, Theme: Dark()}
			begin := time.Now()
			lines := Render(src, o)
			// It takes milliseconds; what this is for would take minutes.
			if d := time.Since(begin); d > 15*time.Second {
				t.Errorf("took %v", d)
			} else {
				t.Logf("%d bytes, %d lines, %v", len(src), len(lines), d)
			}
			if err := ownOnly(lines, o); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHostileTextInPiecesIsTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for name, src := range hostile() {
		if len(src) > 50_000 && name != "300 KB in a fence" {
			continue // the same paths as shorter ones, for a second each
		}
		o := Options{Width: 60, Theme: Plain()}
		if got, want := join(stream(cut(r, src, 4000), o, false)), join(Render(src, o)); got != want {
			t.Errorf("%s: %s", name, firstDifference(got, want))
		}
	}
}

func FuzzStream(f *testing.F) {
	for _, src := range answers(f) {
		f.Add([]byte(src[:min(len(src), 1_500)]), uint64(7), uint8(3))
	}
	for _, s := range []string{"[a]: /x\n\"ti\ntle\"\n\n[a]", "a\n| b |\n|---|\n===\n", "- a\n\n\n- b\n1. c\n2) d", "```\n~~~\n````\n", "> a\nb\n> - c\nd\n\n    e", "\r\r\n\x1b[31m", "* * *\n-\n- \n  x", "<!--\n\n-->\n<div>\n\n", "\t- a\n \t- b\n", "1. a\n1. b\n\n   c\n10. d"} {
		f.Add([]byte(s), uint64(1), uint8(0))
	}
	f.Fuzz(func(t *testing.T, src []byte, seed uint64, size uint8) {
		if len(src) > 1_500 {
			return
		}
		o := Options{Width: 30, Theme: Dark()}
		r := rand.New(rand.NewPCG(seed, 0))
		once := Render(string(src), o)
		if err := ownOnly(once, o); err != nil {
			t.Fatal(err)
		}
		if got, want := join(stream(cut(r, string(src), 1+int(size)), o, false)), join(once); got != want {
			t.Fatalf("in pieces it differs: %s", firstDifference(got, want))
		}
		// With frames and a window that is too small nothing may panic either, and no control character come through.
		s := NewStream(o)
		for _, c := range cut(r, string(src), 1+int(size)) {
			s.Write(c)
			open := s.Open()
			if err := ownOnly(append(s.Take(), open...), o); err != nil {
				t.Fatal(err)
			}
			if len(open) > 4 {
				s.Freeze(len(open) - 4)
			}
		}
		if err := ownOnly(s.Close(), o); err != nil {
			t.Fatal(err)
		}
	})
}
