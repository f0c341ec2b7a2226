package view

import (
	"math/rand/v2"
	"strings"
	"testing"

	"jarvis/core"
)

// scraps are lines that decide where blocks begin and end.
var scraps = []string{
	"", "", "", "text", "more *text* and `code`", "- item", "- ", "* star", "+ plus", "1. one", "2) two", "10. ten", "  - inner", "    - deeper",
	"   continued", "      far", "    code", "\tcode", "> quote", "> > deeper", ">", "> - list", "# Head", "## Head ##", "===", "---", "***", "- - -",
	"```", "```go", "````", "~~~", "  ```", "   ~~~~", "| a | b |", "|---|:-:|", "| 1 | **2** | 3 |", "a | b", "--|--",
	"[a]: /x", "[b]: <y> \"title\"", "[c]:", "  '/z", "\"title\"", "see [a] and [b][a]", "<div>", "</div>", "<!-- c", "-->", "<pre>", "</pre>", "<br>",
	"**open", "close**", "back\\", "two  ", "漢字の行", "👨‍👩‍👧 family", "&amp; &#27;", "- [ ] task", "- [x] done", "1. a\r", "\x1b[31m", "https://example.org/a",
}

// TestRandomBlocks builds texts of such lines and cuts them anywhere: the stream must give what one parse gives.
func TestRandomBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 13))
	rounds := 1500
	if testing.Short() {
		rounds = 300
	}
	for round := range rounds {
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(scraps[r.IntN(len(scraps))])
			if r.IntN(12) > 0 {
				b.WriteByte('\n')
			}
		}
		src := b.String()
		o := Options{Width: 24, Theme: Plain()}
		want := join(Render(src, o))
		if got := join(oracle(core.Printable(src), o)); got != want {
			t.Fatalf("%q in one parse: %s", src, firstDifference(got, want))
		}
		if got := join(stream(cut(r, src, 1+r.IntN(9)), o, round%4 == 0)); got != want {
			t.Fatalf("%q in pieces: %s", src, firstDifference(got, want))
		}
	}
}
