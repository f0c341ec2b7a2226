package offline

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"jarvis/core/tool/basic/calc"
	"jarvis/core/tool/basic/zone"
)

// The kinds of slots in patterns; a number behind the name tells two of one kind apart.
//
//	x     a number, quantity or calculation, without a conversion
//	p     a percentage
//	e     something to calculate or convert
//	q     a quantity: a number with a unit
//	u     a unit
//	list  several values: 3, 4 and 5
//	n     a whole number, in digits or words
//	ord   an ordinal: 16th, zweite
//	zone  a time zone, city or country
//	when  a day: tomorrow, 24 December, in 3 weeks
//	text  any words
//	ref   which todo: 3, #3, the first one, or words of its text
//	num   which todo, by its number or place only
func maxSlot(kind string) int {
	switch kind {
	case "text", "ref", "num", "list", "e":
		return maxTokens
	case "x":
		return 20
	}
	return 8
}

// slotValue is what a slot's text means. text is a canonical expression for x, p, e, q, and the text itself otherwise.
type slotValue struct {
	ok   bool
	text string
	n    int
	day  day
}

func (m *matcher) value(kind string, from, to int) slotValue {
	k := slotKey{kind, from, to, m.fuzzy, m.lang}
	if v, ok := m.memo[k]; ok {
		return v
	}
	v := m.read(kind, from, to)
	m.memo[k] = v
	return v
}

func (m *matcher) read(kind string, from, to int) slotValue {
	text := raw(m.s, m.toks, from, to, m.fuzzy)
	switch kind {
	case "text":
		return readText(m.s[m.toks[from].start:m.toks[to-1].end])
	case "ref":
		return readRef(m.s[m.toks[from].start:m.toks[to-1].end], m.toks[from:to])
	case "num":
		v := readRef(m.s[m.toks[from].start:m.toks[to-1].end], m.toks[from:to])
		v.ok = v.ok && v.n != 0
		return v
	case "x", "p", "e", "q":
		return readExpression(kind, text, m.lang)
	case "u":
		text = strings.Trim(text, " ?.!,;:\"")
		return slotValue{ok: calc.IsUnit(text, m.lang), text: text}
	case "list":
		return readList(text, m.lang)
	case "n":
		return readWhole(text, m.lang)
	case "ord":
		return readOrdinal(m.toks[from:to])
	case "zone":
		text = strings.Trim(text, " ?.!,;:\"'()")
		text = strings.TrimPrefix(text, "the ")
		_, err := zone.Find(text)
		return slotValue{ok: err == nil, text: text}
	case "when":
		d, ok := readDay(m.toks[from:to], m.fuzzy)
		return slotValue{ok: ok, day: d}
	}
	return slotValue{}
}

// dateLike are digits that people mean as a date, not as arithmetic.
var dateLike = regexp.MustCompile(`\d{4}-\d{1,2}-\d{1,2}|\d{1,2}/\d{1,2}/\d{4}|^\s*\d{3,}-\d{3,}\s*$`)

func readExpression(kind, text, lang string) slotValue {
	text = strings.Trim(strings.TrimRight(text, " ?.,;:=…"), " \"")
	if text == "" || len(text) > 300 || dateLike.MatchString(text) {
		return slotValue{}
	}
	if strings.HasSuffix(strings.ToLower(text), " in") && (kind == "x" || lang == "de") { // the "in" of "60 in prozent" is no inch
		return slotValue{}
	}
	if t := strings.TrimRight(text, "!"); kind != "e" || !endsInDigit(t) {
		text = t
	}
	e, err := calc.Parse(text, lang)
	if err != nil {
		return slotValue{}
	}
	ok := false
	switch kind {
	case "x":
		ok = !e.Converts()
	case "p":
		ok = e.Percent()
	case "e":
		ok = !e.Trivial()
	case "q":
		ok = e.Quantity()
	}
	return slotValue{ok: ok, text: e.Text("")}
}

func endsInDigit(s string) bool { return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' }

var listMark = regexp.MustCompile(`\s*(?:,\s+|;|\s&\s|\s(?:and|und|sowie|plus)\s)\s*(?:(?:and|und)\s)?`)

// readList reads values joined by commas and "and" as arguments of a function.
func readList(text, lang string) slotValue {
	parts := listMark.Split(strings.Trim(text, " ?.!"), 40)
	if len(parts) < 2 {
		return slotValue{}
	}
	for i, p := range parts {
		v := readExpression("x", p, lang)
		if !v.ok {
			return slotValue{}
		}
		parts[i] = v.text
	}
	return slotValue{ok: true, text: strings.Join(parts, "; ")}
}

func readWhole(text, lang string) slotValue {
	e, err := calc.Parse(strings.Trim(text, " ?.,#\"'"), lang)
	if err != nil || !e.Plain() {
		return slotValue{}
	}
	n, err := strconv.Atoi(e.Text(""))
	if err != nil || n < 0 || n > 1_000_000 {
		return slotValue{}
	}
	return slotValue{ok: true, n: n, text: strconv.Itoa(n)}
}

var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "last": -1,
	"erst": 1, "zweit": 2, "dritt": 3, "viert": 4, "fuenft": 5, "sechst": 6, "siebt": 7, "siebent": 7, "acht": 8, "neunt": 9, "zehnt": 10, "letzt": -1,
}

// readOrdinal reads 16th, 3., third, zweite; -1 is the last.
func readOrdinal(toks []token) slotValue {
	if len(toks) != 1 {
		return slotValue{}
	}
	w := toks[0].norm
	n, ok := ordinals[w]
	if !ok {
		for _, end := range []string{"en", "er", "es", "em", "e"} {
			if stem, cut := strings.CutSuffix(w, end); cut {
				if n, ok = ordinals[stem]; ok {
					break
				}
			}
		}
	}
	if !ok {
		digits := strings.TrimRightFunc(w, unicode.IsLetter)
		switch strings.TrimPrefix(w, digits) {
		case "", "st", "nd", "rd", "th", "te", "ten", "ter", "tes":
			v, err := strconv.Atoi(digits)
			n, ok = v, err == nil && v > 0 && v < 1000
		}
	}
	return slotValue{ok: ok, n: n, text: strconv.Itoa(n)}
}

// readText takes any words, without quotation marks around them and marks at the end.
func readText(s string) slotValue {
	s = strings.TrimSpace(strings.TrimLeft(s, " :,;-–—."))
	s = strings.TrimRight(s, " ,;:-–—")
	if len(s) > 1 && !strings.HasSuffix(s, "...") {
		s = strings.TrimSuffix(s, ".")
	}
	for _, q := range []string{`""`, "''", "“”", "„“", "„”", "«»", "»«", "‘’", "`'"} {
		open, size := []rune(q)[0], []rune(q)[1]
		if r := []rune(s); len(r) > 2 && r[0] == open && r[len(r)-1] == size {
			s = string(r[1 : len(r)-1])
		}
	}
	has := strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	return slotValue{ok: has, text: strings.TrimSpace(s)}
}

// refWords stand before a number or ordinal that names an entry.
var refWords = map[string]bool{
	"todo": true, "task": true, "item": true, "number": true, "no": true, "nr": true, "entry": true, "the": true, "my": true, "one": true, "todos": true, "tasks": true,
	"aufgabe": true, "punkt": true, "nummer": true, "eintrag": true, "das": true, "den": true, "die": true, "der": true, "meine": true, "meinen": true, "to": true, "do": true, "position": true,
}

// readRef reads which todo is meant. n is its number, or its place when ordinal ("#1" in text); -1 is the last.
func readRef(s string, toks []token) slotValue {
	var rest []token
	for _, t := range toks {
		if t.norm != "" && !refWords[t.norm] {
			rest = append(rest, t)
		}
	}
	if len(rest) == 1 {
		if v := readWhole(rest[0].norm, "en"); v.ok && v.n > 0 && v.n < 100_000 && rest[0].norm != "ein" && rest[0].norm != "eine" {
			return v
		}
		if v := readWhole(rest[0].norm, "de"); v.ok && v.n > 0 && len(rest[0].norm) > 3 {
			return v
		}
		if v := readOrdinal(rest); v.ok {
			return slotValue{ok: true, n: v.n, text: "place"}
		}
	}
	v := readText(s)
	v.ok = v.ok && len(rest) > 0
	return v
}
