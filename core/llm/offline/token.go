package offline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one word of an utterance. norm is what patterns compare: lower case, umlauts written out, without the signs
// around it; "" when it is only signs.
type token struct {
	norm       string
	alts       []string // what it may be a misspelling of
	fix        string   // the word that a value slot reads instead; "" = as written
	start, end int      // bytes in the utterance, signs included
}

// maxTokens bounds the work of matching.
const maxTokens = 60

var contractions = map[string]string{
	"what's": "what is", "whats": "what is", "what're": "what are", "who's": "who is", "whos": "who is", "how's": "how is", "where's": "where is", "when's": "when is",
	"i'm": "i am", "i've": "i have", "i'd": "i would", "i'll": "i will", "it's": "it is", "there's": "there is", "you're": "you are", "don't": "do not", "dont": "do not",
	"wie's": "wie es", "geht's": "geht es", "gehts": "geht es", "gibt's": "gibt es", "gibts": "gibt es", "isses": "ist es", "ist's": "ist es", "haben's": "haben es", "is'": "ist",
	"utczeit": "utc zeit", "gmtzeit": "gmt zeit",
	"wiviel": "wie viel", "wievel": "wie viel", "wievile": "wie viel", "wieveil": "wie viel", "wievil": "wie viel", "wieviehl": "wie viel", "wievielt": "wievielte",
	"wieviel": "wie viel", "wieviele": "wie viele", "was's": "was ist", "how'd": "how would", "let's": "let us",
}

// tokenize cuts an utterance into at most maxTokens words; false when it has more.
func tokenize(s string) ([]token, bool) {
	var out []token
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			i += n
			continue
		}
		start := i
		for i < len(s) {
			r, n := utf8.DecodeRuneInString(s[i:])
			if unicode.IsSpace(r) {
				break
			}
			i += n
		}
		word := s[start:i]
		norm := normalize(word)
		if c, ok := contractions[norm]; ok {
			for w := range strings.FieldsSeq(c) {
				out = append(out, token{norm: w, start: start, end: i})
			}
		} else {
			out = append(out, token{norm: strings.ReplaceAll(norm, "'", ""), start: start, end: i})
		}
		if len(out) > maxTokens {
			return nil, false
		}
	}
	return out, len(out) > 0
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "’", "'", "‘", "'", "´", "'", "`", "'")

func normalize(w string) string {
	w = umlauts.Replace(strings.ToLower(w))
	if w == "%" {
		return w
	}
	w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	letters := strings.IndexFunc(w, unicode.IsDigit) < 0
	if letters {
		w = strings.ReplaceAll(w, "-", "") // to-do, todo-liste
	}
	return w
}

// raw is the text that tokens from, to cover. fixed reads misspelt words as what they may be.
func raw(s string, toks []token, from, to int, fixed bool) string {
	if !fixed {
		return s[toks[from].start:toks[to-1].end]
	}
	var b strings.Builder
	for i := from; i < to; i++ {
		t := toks[i]
		if i > from {
			if t.start == toks[i-1].start { // the second half of a contraction
				continue
			}
			b.WriteByte(' ')
		}
		if t.fix != "" {
			b.WriteString(strings.Replace(umlauts.Replace(strings.ToLower(s[t.start:t.end])), t.norm, t.fix, 1))
		} else {
			b.WriteString(s[t.start:t.end])
		}
	}
	return b.String()
}
