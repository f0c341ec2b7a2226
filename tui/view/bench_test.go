package view

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// long is an answer of about 20 KB.
func long(t testing.TB) string {
	var b strings.Builder
	m := answers(t)
	for b.Len() < 20_000 {
		for _, name := range []string{"01-prose.md", "02-code-go.md", "03-table.md", "04-list-nested.md", "06-cjk.md", "11-german.md", "15-mixed.md"} {
			b.WriteString(m[name] + "\n")
		}
	}
	return b.String()
}

func deltas(src string) []string {
	return cut(rand.New(rand.NewPCG(1, 1)), src, 2*len(src)/5000)
}

func BenchmarkOnce(b *testing.B) {
	src := long(b)
	for b.Loop() {
		Render(src, Options{Width: 80, Theme: Dark()})
	}
}

// BenchmarkStream is 20 KB in 5,000 deltas without frames: what committing costs.
func BenchmarkStream(b *testing.B) {
	d := deltas(long(b))
	for b.Loop() {
		stream(d, Options{Width: 80, Theme: Dark()}, false)
	}
}

// BenchmarkFrames renders the open block at every tenth delta, which is 20 frames a second at 200 deltas a second.
func BenchmarkFrames(b *testing.B) {
	d := deltas(long(b))
	for b.Loop() {
		s := NewStream(Options{Width: 80, Theme: Dark()})
		for i, c := range d {
			s.Write(c)
			s.Take()
			if i%10 == 0 {
				s.Open()
			}
		}
		s.Close()
	}
}

// TestStreamingCostsLittle holds the promise that an answer's cost grows with its length, not with its square: eight times
// the text in deltas of one size may take at most sixteen times the allocations, in one block as in many. (Allocations,
// because a busy machine's clock says little.)
func TestStreamingCostsLittle(t *testing.T) {
	for name, unit := range map[string]string{
		"one list": "- an item of a long list with **bold** text\n", "one quote": "> a line of a long quotation\n",
		"one paragraph": "a line of a long paragraph\n", "one fence": "", "blocks": "A paragraph.\n\n",
	} {
		cost := func(n int) float64 {
			src := strings.Repeat(unit, n)
			if unit == "" {
				src = "```go\n" + strings.Repeat("x := f(1, \"two\") // three\n", n)
			}
			d := cut(rand.New(rand.NewPCG(1, 1)), src, 8)
			return testing.AllocsPerRun(1, func() { stream(d, Options{Width: 80, Theme: Dark()}, false) })
		}
		small, large := cost(100), cost(800)
		if large > 16*small {
			t.Errorf("%s: %.0f allocations, eight times the text %.0f", name, small, large)
		}
		t.Logf("%s: %.0f allocations, eight times the text %.0f", name, small, large)
	}
}
