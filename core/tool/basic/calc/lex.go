package calc

import (
	"fmt"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind int

const (
	tokNumber kind = iota
	tokWord        // letters, or a sign that names a unit (° ' " €)
	tokOp          // one of + - * / ^ % ( ) ! ; → √ ² ³
	tokEnd
)

type token struct {
	kind  kind
	text  string
	num   *big.Rat
	space bool // white space stands before it
}

const maxTokens = 400

// ops maps signs to operators; the sign itself when it is one.
var ops = map[rune]string{
	'+': "+", '-': "-", '−': "-", '–': "-", '*': "*", '×': "*", '·': "*", '⋅': "*", '∙': "*", '/': "/", '÷': "/", ':': "/", '^': "^", '%': "%",
	'(': "(", ')': ")", '[': "(", ']': ")", '!': "!", ';': ";", ',': ";", '→': "→", '√': "√", '²': "²", '³': "³", '|': "|",
}

var fractions = map[rune]*big.Rat{'½': rat(1, 2), '⅓': rat(1, 3), '⅔': rat(2, 3), '¼': rat(1, 4), '¾': rat(3, 4), '⅕': rat(1, 5), '⅛': rat(1, 8)}

func lex(s string, german bool) ([]token, error) {
	var out []token
	space := false
	for i := 0; i < len(s); {
		if len(out) > maxTokens {
			return nil, fmt.Errorf("%w: too long", ErrSyntax)
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			space, i = true, i+n
			continue
		}
		t := token{space: space}
		space = false
		switch {
		case isDigit(r) || (r == '.' || r == ',') && startsNumber(s[i+n:], out, t.space):
			n = numberLen(s[i:])
			num, err := readNumber(s[i:i+n], german)
			if err != nil {
				return nil, err
			}
			t.kind, t.num = tokNumber, num
		case fractions[r] != nil:
			t.kind, t.num = tokNumber, fractions[r]
			if len(out) > 0 && out[len(out)-1].kind == tokNumber { // 2½
				out[len(out)-1].num = new(big.Rat).Add(out[len(out)-1].num, t.num)
				i += n
				continue
			}
		case strings.HasPrefix(s[i:], "**"):
			t.kind, t.text, n = tokOp, "^", 2
		case strings.HasPrefix(s[i:], "->"):
			t.kind, t.text, n = tokOp, "→", 2
		case r == ':' && clockLike(s[:i], s[i+n:]):
			return nil, fmt.Errorf("%w: that looks like a time of day", ErrSyntax)
		case ops[r] != "":
			t.kind, t.text = tokOp, ops[r]
		case unicode.IsLetter(r):
			n = wordLen(s[i:])
			t.kind, t.text = tokWord, s[i:i+n]
		case strings.ContainsRune("°'\"′″€$£¥µ", r):
			t.kind, t.text = tokWord, string(r)
			if r == '°' && i+n < len(s) && strings.ContainsRune("CFKcfk", rune(s[i+n])) {
				n += 1
				t.text = s[i : i+n]
			}
		default:
			return nil, fmt.Errorf("%w: %q", ErrSyntax, r)
		}
		out = append(out, t)
		i += n
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: it is empty", ErrSyntax)
	}
	return append(out, token{kind: tokEnd}), nil
}

// clockLike reports whether the colon between the two stands in a time of day.
func clockLike(before, after string) bool {
	return len(after) >= 2 && isDigit(rune(after[0])) && isDigit(rune(after[1])) && after[0] < '6' && before != "" && isDigit(rune(before[len(before)-1]))
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// startsNumber tells ".5" from a comma between arguments: a digit follows, and no number stands directly before.
func startsNumber(rest string, before []token, space bool) bool {
	if rest == "" || !isDigit(rune(rest[0])) {
		return false
	}
	return len(before) == 0 || space || before[len(before)-1].kind == tokOp
}

// numberLen measures digits with marks between digits, and an exponent.
func numberLen(s string) int {
	i := 0
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		next := i + n
		switch {
		case isDigit(r):
		case strings.ContainsRune(".,_", r) && next < len(s) && isDigit(rune(s[next])):
		case strings.ContainsRune("'’\u00a0\u202f", r) && threeDigits(s[next:]):
		case (r == 'e' || r == 'E') && i > 0 && exponentLen(s[next:]) > 0:
			return next + exponentLen(s[next:])
		default:
			return i
		}
		i = next
	}
	return i
}

func threeDigits(s string) bool {
	return len(s) >= 3 && isDigit(rune(s[0])) && isDigit(rune(s[1])) && isDigit(rune(s[2])) && (len(s) == 3 || !isDigit(rune(s[3])))
}

func exponentLen(s string) int {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	start := i
	for i < len(s) && isDigit(rune(s[i])) {
		i++
	}
	if i == start {
		return 0
	}
	return i
}

// wordLen measures letters; a hyphen between letters stays inside, as in twenty-five, and so does a point after a letter of
// an abbreviation that more letters follow.
func wordLen(s string) int {
	i := 0
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsLetter(r) {
			i += n
			continue
		}
		if r == '-' && i+n < len(s) {
			if next, _ := utf8.DecodeRuneInString(s[i+n:]); unicode.IsLetter(next) {
				i += n
				continue
			}
		}
		break
	}
	return i
}
