package view

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/golden anew")

// TestGolden keeps the looks: every answer at four widths in colour (the escape character written as ␛) and once without.
func TestGolden(t *testing.T) {
	for name, src := range answers(t) {
		var b strings.Builder
		for _, width := range []int{40, 80, 120, 200} {
			fmt.Fprintf(&b, "=== %d columns, dark\n%s", width, shown(Render(src, Options{Width: width, Theme: Dark()})))
		}
		fmt.Fprintf(&b, "=== 60 columns, no colour\n%s", shown(Render(src, Options{Width: 60, Theme: Plain()})))
		file := filepath.Join("testdata", "golden", strings.TrimSuffix(name, ".md")+".txt")
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v; write it with: go test ./tui/view -run TestGolden -update", err)
		}
		if b.String() != string(want) {
			t.Errorf("%s looks different (go test ./tui/view -run TestGolden -update after a look at it)\n%s", name, firstDifference(b.String(), string(want)))
		}
	}
}

func shown(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.ReplaceAll(l.Text, "\x1b", "␛"))
		if l.Soft {
			b.WriteString("↩")
		}
		b.WriteByte('\n')
	}
	return b.String()
}
