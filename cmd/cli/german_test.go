package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var verbs = regexp.MustCompile(`%[-+# 0]*[0-9.]*[a-zA-Z%]`)

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
	joined := regexp.MustCompile(`" \+\s+"`).ReplaceAllString(source.String(), "")
	for en, de := range german {
		if got, want := verbs.FindAllString(de, -1), verbs.FindAllString(en, -1); !slices.Equal(got, want) {
			t.Errorf("%q: verbs %v, want %v", de, got, want)
		}
		if !strings.Contains(joined, strconv.Quote(en)) && !strings.Contains(joined, "`"+en+"`") {
			t.Errorf("%q is translated and never said", en)
		}
	}
}
