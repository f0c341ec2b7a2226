package calc

import (
	"fmt"
	"math/big"
	"strings"
)

// readNumber turns digits with separators into a number. A mark that the language groups by (comma in English, point in
// German) groups when three digits follow each one; everything else that is unambiguous is taken as what it must be.
func readNumber(s string, german bool) (*big.Rat, error) {
	s = strings.NewReplacer("'", "", "’", "", "_", "", "\u00a0", "", "\u202f", "").Replace(s)
	mant, exp, hasExp := strings.Cut(strings.ToLower(s), "e")
	dec, ok := decimalMark(mant, german)
	if !ok {
		return nil, fmt.Errorf("%w: %q is not a number", ErrSyntax, s)
	}
	whole, frac, _ := mant, "", false
	if dec != 0 {
		i := strings.LastIndexByte(mant, dec)
		whole, frac = mant[:i], mant[i+1:]
	}
	whole = strings.NewReplacer(".", "", ",", "").Replace(whole)
	text := whole + "." + frac
	if whole == "" {
		text = "0" + text
	}
	if hasExp {
		if len(strings.TrimLeft(exp, "+-0")) > 3 {
			return nil, ErrLarge
		}
		text += "e" + exp
	}
	r, ok := new(big.Rat).SetString(strings.Replace(text, ".e", ".0e", 1))
	if !ok {
		return nil, fmt.Errorf("%w: %q is not a number", ErrSyntax, s)
	}
	return r, nil
}

// decimalMark finds which byte is the decimal mark, 0 for none. false: no reading makes sense.
func decimalMark(s string, german bool) (byte, bool) {
	points, commas := strings.Count(s, "."), strings.Count(s, ",")
	group := byte(',')
	if german {
		group = '.'
	}
	switch {
	case points+commas == 0:
		return 0, true
	case points > 0 && commas > 0:
		last, other := byte('.'), ","
		if strings.LastIndexByte(s, ',') > strings.LastIndexByte(s, '.') {
			last, other = ',', "."
		}
		i := strings.IndexByte(s, last)
		return last, strings.Count(s, string(last)) == 1 && grouped(s[:i], other)
	case points+commas > 1:
		mark := ","
		if points > 0 {
			mark = "."
		}
		return 0, grouped(s, mark)
	}
	mark := byte('.')
	if commas == 1 {
		mark = ','
	}
	if mark == group && grouped(s, string(mark)) {
		return 0, true
	}
	return mark, true
}

// grouped reports whether mark cuts s into one to three digits and then groups of exactly three.
func grouped(s, mark string) bool {
	parts := strings.Split(s, mark)
	if len(parts[0]) == 0 || len(parts[0]) > 3 || parts[0][0] == '0' {
		return false
	}
	for _, p := range parts[1:] {
		if len(p) != 3 {
			return false
		}
	}
	return true
}

// writeNumber writes a decimal text ("-1234.5") in a language. lang "" gives the form without grouping that readNumber
// reads alike in every language: a fraction of exactly three digits gets a zero, because it could be a group.
func writeNumber(s, lang string) string {
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	whole, frac, has := strings.Cut(s, ".")
	if lang == "" {
		if has && len(frac) == 3 && len(whole) <= 3 && whole[0] != '0' {
			frac += "0"
		}
	} else {
		whole = group(whole, map[bool]string{false: ",", true: "."}[isGerman(lang)])
	}
	if has {
		mark := "."
		if isGerman(lang) {
			mark = ","
		}
		whole += mark + frac
	}
	if neg {
		return "-" + whole
	}
	return whole
}

func group(digits, mark string) string {
	if len(digits) <= 3 {
		return digits
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString(mark)
		}
		b.WriteRune(d)
	}
	return b.String()
}
