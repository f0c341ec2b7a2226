package calc

import (
	"math/big"
	"strings"
	"sync"
)

var englishWords = map[string]int64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
	"nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	"dozen": 12,
}

var germanUnits = []string{"null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"}

var germanWords = sync.OnceValue(buildGerman)

// buildGerman lists 0 to 99; hundreds and thousands are composed when they are read.
func buildGerman() map[string]int64 {
	m := map[string]int64{
		"zehn": 10, "elf": 11, "zwölf": 12, "dreizehn": 13, "vierzehn": 14, "fünfzehn": 15, "sechzehn": 16, "siebzehn": 17,
		"achtzehn": 18, "neunzehn": 19, "zwo": 2, "eins": 1, "dutzend": 12,
	}
	for i, u := range germanUnits {
		m[u] = int64(i)
	}
	for i, t := range []string{"zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"} {
		tens := int64(i+2) * 10
		m[t] = tens
		for k, u := range germanUnits[1:] {
			m[u+"und"+t] = tens + int64(k+1)
		}
	}
	for k, v := range m {
		if strings.Contains(k, "ß") {
			m[strings.ReplaceAll(k, "ß", "ss")] = v
		}
		m[strings.NewReplacer("ü", "ue", "ö", "oe", "ß", "ss").Replace(k)] = v
	}
	return m
}

// germanNumber reads one German number word up to 999,999.
func germanNumber(w string) (int64, bool) {
	if head, tail, ok := strings.Cut(w, "tausend"); ok {
		a, okA := germanHundreds(head, 1)
		b, okB := germanHundreds(strings.TrimPrefix(tail, "und"), 0)
		return a*1000 + b, okA && okB
	}
	if w == "" {
		return 0, false
	}
	return germanHundreds(w, 0)
}

func germanHundreds(w string, empty int64) (int64, bool) {
	if w == "" {
		return empty, true
	}
	if head, tail, ok := strings.Cut(w, "hundert"); ok {
		a := int64(1)
		if head != "" {
			if a, ok = germanWords()[head]; !ok || a > 9 {
				return 0, false
			}
		}
		tail = strings.TrimPrefix(tail, "und")
		if tail == "" {
			return a * 100, true
		}
		b, ok := germanWords()[tail]
		return a*100 + b, ok
	}
	v, ok := germanWords()[w]
	return v, ok
}

// scaleWord gives the factor of million and the like; a German Billion is an English trillion.
func scaleWord(w string, german bool) *big.Rat {
	exp := int64(-1)
	switch strings.ToLower(w) {
	case "hundred":
		exp = 2
	case "thousand", "tausend":
		exp = 3
	case "million", "millions", "millionen", "mio":
		exp = 6
	case "milliarde", "milliarden", "mrd":
		exp = 9
	case "billion", "billions":
		exp = 9
		if german {
			exp = 12
		}
	case "billionen", "trillion", "trillions":
		exp = 12
		if german && !strings.EqualFold(w, "billionen") {
			exp = 18
		}
	}
	if exp < 0 {
		return nil
	}
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(exp), nil))
}

// fractionWords are parts as nouns: a third, drei Viertel.
var fractionWords = map[string]int64{
	"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "fifth": 5, "fifths": 5,
	"sixth": 6, "sixths": 6, "eighth": 8, "eighths": 8, "tenth": 10, "tenths": 10, "hundredth": 100,
	"hälfte": 2, "drittel": 3, "viertel": 4, "fünftel": 5, "sechstel": 6, "siebtel": 7, "achtel": 8, "neuntel": 9, "zehntel": 10, "hundertstel": 100,
}

// wholeWords are German words that hold a number of their own.
var wholeWords = map[string]*big.Rat{
	"anderthalb": rat(3, 2), "eineinhalb": rat(3, 2), "zweieinhalb": rat(5, 2), "dreieinhalb": rat(7, 2), "viereinhalb": rat(9, 2),
	"halbe": rat(1, 2), "halber": rat(1, 2), "halbes": rat(1, 2), "halben": rat(1, 2), "halb": rat(1, 2), "dreiviertel": rat(3, 4),
}

var articles = map[string]bool{"a": true, "an": true, "the": true, "ein": true, "eine": true, "einer": true, "einem": true, "einen": true, "eines": true, "die": true, "der": true, "das": true}

// readWords reads a number in words and says how many tokens it took, 0 for none. An article counts as one before a unit,
// a fraction or a scale word only.
func readWords(toks []token, german bool) (*big.Rat, int) {
	w := wordAt(toks, 0)
	if w == "" {
		return nil, 0
	}
	if r := wholeWords[w]; r != nil {
		return r, 1
	}
	if articles[w] {
		return readAfterArticle(toks, german)
	}
	if d := fractionWords[w]; d > 0 {
		n := 1
		if next := wordAt(toks, n); next == "a" || next == "an" { // half an hour
			if _, k := findUnit(toks[n+1:]); k > 0 {
				n++
			}
		}
		return rat(1, d), n
	}
	r, n := cardinal(toks, german)
	if n == 0 {
		return nil, 0
	}
	next := wordAt(toks, n)
	if d := fractionWords[next]; d > 0 && (next != "half" || r.Cmp(rat(1, 1)) == 0) && r.Cmp(rat(100, 1)) < 0 {
		return r.Quo(r, rat(d, 1)), n + 1
	}
	if next == "and" && articles[wordAt(toks, n+1)] && wordAt(toks, n+2) == "half" {
		return r.Add(r, rat(1, 2)), n + 3
	}
	return r, n
}

func readAfterArticle(toks []token, german bool) (*big.Rat, int) {
	next := wordAt(toks, 1)
	if articles[next] {
		return nil, 0
	}
	if d := fractionWords[next]; d > 0 {
		return rat(1, d), 2
	}
	if r := wholeWords[next]; r != nil {
		return r, 2
	}
	if next == "dozen" || next == "dutzend" {
		return rat(12, 1), 2
	}
	if s := scaleWord(next, german); s != nil {
		r, n := cardinal(append([]token{{kind: tokWord, text: "one"}}, toks[1:min(len(toks), 12)]...), german)
		return r, n
	}
	w := wordAt(toks, 0)
	if w == "the" || w == "die" || w == "der" || w == "das" {
		return nil, 0
	}
	if _, n := findUnit(toks[1:]); n > 0 {
		return rat(1, 1), 1
	}
	if w := wordAt(toks, 1); w == "square" || w == "cubic" {
		return rat(1, 1), 1
	}
	return nil, 0
}

func wordAt(toks []token, i int) string {
	if i >= len(toks) || toks[i].kind != tokWord {
		return ""
	}
	return strings.ToLower(toks[i].text)
}

// cardinal reads "two hundred and five", "twenty-five", "zweihundertfünfzig Millionen".
func cardinal(toks []token, german bool) (*big.Rat, int) {
	total, part, n := new(big.Rat), new(big.Rat), 0
	last := int64(-1)
	for n < len(toks) && n < 20 {
		w := wordAt(toks, n)
		if w == "and" && n > 0 && last >= 100 {
			if _, ok := smallWord(wordAt(toks, n+1)); ok {
				n++
				continue
			}
			break
		}
		if v, ok := smallWord(w); ok {
			if last >= 0 && last < 100 && (last < 20 || last%10 != 0 || v >= 10 || v == 0) {
				break
			}
			part.Add(part, rat(v, 1))
			last, n = v, n+1
			continue
		}
		s := scaleWord(w, german)
		if s == nil || n == 0 {
			break
		}
		if s.Cmp(rat(100, 1)) == 0 {
			part.Mul(part, s)
			last = 100
		} else {
			total.Add(total, part.Mul(part, s))
			part = new(big.Rat)
			last = 1000
		}
		n++
	}
	if n == 0 {
		return nil, 0
	}
	return total.Add(total, part), n
}

// smallWord reads one word: twelve, twenty-five, zweihundertfünfzig.
func smallWord(w string) (int64, bool) {
	if v, ok := englishWords[w]; ok {
		return v, true
	}
	if tens, ones, ok := strings.Cut(w, "-"); ok {
		a, okA := englishWords[tens]
		b, okB := englishWords[ones]
		if okA && okB && a >= 20 && a%10 == 0 && b > 0 && b < 10 {
			return a + b, true
		}
		return 0, false
	}
	return germanNumber(w)
}
