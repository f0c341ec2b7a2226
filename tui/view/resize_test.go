package view

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

var number = regexp.MustCompile(`n(\d+)e`)

// TestResizeLosesNothing streams numbered words through a window that keeps changing its width and is always too small: every
// number must be shown, in order, and only a table may repeat the row that was cut in two.
func TestResizeLosesNothing(t *testing.T) {
	texts := map[string]func(i int) string{
		"paragraph": func(i int) string { return fmt.Sprintf("n%de *some* text ", i) },
		"lines":     func(i int) string { return fmt.Sprintf("n%de some text\n", i) },
		"list":      func(i int) string { return fmt.Sprintf("- n%de some **text** here\n", i) },
		"quote":     func(i int) string { return fmt.Sprintf("> n%de [text](http://x.org/%d)\n", i, i) },
		"fence":     func(i int) string { return fmt.Sprintf("n%de := \"text\"\n", i) },
		"table":     func(i int) string { return fmt.Sprintf("| n%de | some text %s |\n", i, strings.Repeat("x", i%17)) },
		"html":      func(i int) string { return fmt.Sprintf("n%de <b>some text</b>\n", i) },
	}
	heads := map[string]string{"fence": "```go\n", "table": "| n0e | b |\n|---|---|\n", "html": "<div>\n"}
	r := rand.New(rand.NewPCG(21, 22))
	for name, text := range texts {
		for range 8 {
			src := heads[name]
			for i := 1; i <= 60; i++ {
				src += text(i)
			}
			got := resized(r, src)
			last := 0
			for _, m := range number.FindAllStringSubmatch(got, -1) {
				var n int
				_, _ = fmt.Sscan(m[1], &n)
				if n == last+1 || n == 0 || name == "table" && n == last {
					last = n
					continue
				}
				t.Errorf("%s: %d follows %d in\n%s", name, n, last, got)
				break
			}
			if last != 60 && !t.Failed() {
				t.Errorf("%s: ends at %d\n%s", name, last, got)
			}
		}
	}
}

// resized gives what a window of seven rows has shown of src for good.
func resized(r *rand.Rand, src string) string {
	const room = 6
	s := NewStream(Options{Width: 50, Theme: Plain()})
	var shown []Line
	for _, c := range cut(r, src, 30) {
		s.Write(c)
		open := s.Open()
		shown = append(shown, s.Take()...)
		if over := len(open) - room; over > 0 && s.Freeze(over) {
			shown = append(shown, open[:over]...)
			open = open[over:]
		}
		if r.IntN(6) > 0 {
			continue
		}
		if gone := r.IntN(3); gone < len(open) && s.Freeze(gone) {
			shown = append(shown, open[:gone]...)
		}
		s.SetWidth(20 + r.IntN(60))
	}
	var b strings.Builder
	for _, l := range append(shown, s.Close()...) {
		b.WriteString(strings.Trim(l.Text, "│ "))
		if l.Width < 20 || strings.HasSuffix(l.Text, "e") {
			b.WriteByte(' ')
		}
	}
	return b.String()
}
