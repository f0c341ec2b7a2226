package locale

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Table holds a program's sentences in German; the English one is the key.
type Table map[string]string

// Of is the sentence in a language, English where there is no other. What the table lacks is looked up in Common. With args
// it is a format.
func (t Table) Of(lang, sentence string, args ...any) string {
	if lang == "de" {
		if g, ok := t[sentence]; ok {
			sentence = g
		} else if g, ok := Common[sentence]; ok {
			sentence = g
		}
	}
	if len(args) == 0 {
		return sentence
	}
	return fmt.Sprintf(sentence, args...)
}

// Mismatches lists the sentences whose translation has other verbs, or the same ones in another order. It is for tests.
func (t Table) Mismatches() []string {
	verb := regexp.MustCompile(`%[-+# 0]*[0-9.]*[a-zA-Z%]`)
	var bad []string
	for en, de := range t {
		if got, want := verb.FindAllString(de, -1), verb.FindAllString(en, -1); !slices.Equal(got, want) {
			bad = append(bad, fmt.Sprintf("%q has the verbs %v, its translation %v", en, want, got))
		}
	}
	sort.Strings(bad)
	return bad
}

// Try gives the lines that end an error: the label and the next command to type. Further lines of the hint stand below its
// first one.
func Try(label, hint string) []string {
	lines := strings.Split(hint, "\n")
	for i, l := range lines {
		if i > 0 {
			label = strings.Repeat(" ", utf8.RuneCountInString(label))
		}
		lines[i] = strings.TrimRight(label+" "+l, " ")
	}
	return lines
}
