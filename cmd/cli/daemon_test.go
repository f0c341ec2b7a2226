package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLastLines(t *testing.T) {
	var all strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&all, "line %d %s\n", i, strings.Repeat("x", i%200))
	}
	lines := strings.SplitAfter(strings.TrimSuffix(all.String(), "\n"), "\n")
	path := filepath.Join(t.TempDir(), "log")
	for _, tt := range []struct {
		content string
		n       int
		want    string
	}{
		{all.String(), 1, lines[4999] + "\n"},
		{all.String(), 3, strings.Join(lines[4997:], "") + "\n"},
		{all.String(), 2000, strings.Join(lines[3000:], "") + "\n"},
		{all.String(), 9999, all.String()},
		{"no end", 5, "no end"},
		{"a\nb\nhalf", 2, "b\nhalf"},
		{"", 5, ""},
	} {
		if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		app, out, _ := testApp(t, nil)
		if err := app.tail(t.Context(), path, tt.n, false); err != nil {
			t.Fatal(err)
		}
		if out.String() != tt.want {
			t.Errorf("last %d of %d bytes: got %d bytes %.80q, want %d bytes %.80q", tt.n, len(tt.content), out.Len(), out, len(tt.want), tt.want)
		}
	}
}
