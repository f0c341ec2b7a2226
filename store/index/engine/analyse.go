package engine

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	tokens "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"
	"golang.org/x/text/unicode/norm"
)

const (
	maxWord = 96 // bytes of a word that count; what is longer is no word but data
	maxStem = 40 // bytes of a word that is inflected
	// maxSame is how often one word of a message counts: looking for a phrase takes the square of it.
	maxSame = 1000
)

// words is the analyser of a message's text: each word as it stands without case and accents, and at the same place its
// German and its English stem. So one field answers phrases, beginnings and inflections of both languages.
type words struct{ t analysis.Tokenizer }

func newWords() words { return words{tokens.NewUnicodeTokenizer()} }

// Analyze implements analysis.Analyzer.
func (w words) Analyze(text []byte) analysis.TokenStream {
	in := w.t.Tokenize(text)
	out := make(analysis.TokenStream, 0, len(in)*3/2)
	seen := map[string]int{}
	for _, tok := range in {
		for _, f := range forms(tok.Term) {
			if seen[f]++; seen[f] > maxSame {
				continue
			}
			out = append(out, &analysis.Token{Start: tok.Start, End: tok.End, Position: tok.Position, Type: tok.Type, Term: []byte(f)})
		}
	}
	return out
}

// plain gives the words of a text as they stand, without case and accents.
func (w words) plain(text string) []string {
	var out []string
	for _, tok := range w.t.Tokenize([]byte(text)) {
		out = append(out, forms(tok.Term)[0])
	}
	return out
}

// forms are what a word is found by: itself first, then the stems that differ from it.
func forms(word []byte) []string {
	if len(word) > maxWord {
		word = word[:maxWord]
		for len(word) > 0 && !utf8.Valid(word) {
			word = word[:len(word)-1]
		}
	}
	lower := string(bytes.ToLower(word))
	all := []string{fold(lower)}
	if len(lower) > maxStem {
		return all
	}
	for _, stem := range []func(*snowballstem.Env) bool{german.Stem, english.Stem} {
		env := snowballstem.NewEnv(lower)
		stem(env)
		f := fold(env.Current())
		known := f == ""
		for _, a := range all {
			known = known || a == f
		}
		if !known {
			all = append(all, f)
		}
	}
	return all
}

// fold takes accents off and writes ß as ss.
func fold(s string) string {
	ascii := true
	for i := range len(s) {
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if ascii {
		return s
	}
	var b bytes.Buffer
	for _, r := range norm.NFKD.String(s) {
		switch {
		case r == 'ß':
			b.WriteString("ss")
		case unicode.Is(unicode.Mn, r):
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	if b.Len() == 0 {
		return s
	}
	return b.String()
}

// whole is the analyser of a field that is one value.
type whole struct{}

// Analyze implements analysis.Analyzer.
func (whole) Analyze(text []byte) analysis.TokenStream {
	return analysis.TokenStream{{Start: 0, End: len(text), Term: text, Position: 1}}
}
