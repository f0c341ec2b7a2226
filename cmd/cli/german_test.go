package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestGermanFitsEnglish(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, f := range files {
		if f == "german.go" || strings.HasSuffix(f, "_test.go") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(b)
	}
	for _, m := range german.Mismatches() {
		t.Error(m)
	}
	joined := regexp.MustCompile(`" \+\s+"`).ReplaceAllString(source.String(), "")
	for en := range german {
		if !strings.Contains(joined, strconv.Quote(en)) && !strings.Contains(joined, "`"+en+"`") {
			t.Errorf("%q is translated and never said", en)
		}
	}
}
