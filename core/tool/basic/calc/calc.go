// Package calc reads and evaluates what people type into a calculator: exact arithmetic, percentages, units and
// conversions, in English and German. It is a leaf: no clock, no network, no state, and no input makes it run long.
package calc

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// Bounds that keep hostile input cheap.
const (
	MaxInput  = 1000   // bytes of an expression
	maxDepth  = 60     // nested parentheses, functions and signs
	maxBits   = 65_536 // of a numerator or denominator on the way
	maxDigits = 1000   // of an answer that is written out
	maxFact   = 2000   // largest n of n!
)

// ErrSyntax marks what is not an expression, as opposed to one that has no value.
var ErrSyntax = errors.New("not an expression")

// ErrLarge marks a value beyond the bounds.
var ErrLarge = errors.New("the number is too large to calculate")

// Expr is a parsed expression.
type Expr struct{ root *node }

// Parse reads an expression; lang ("en", "de") says how its numbers and number words are read: 2,400 is 2400 in English
// and 2.4 in German. The error wraps ErrSyntax, or ErrLarge for a number beyond the bounds.
func Parse(text, lang string) (*Expr, error) {
	if len(text) > MaxInput {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrSyntax, MaxInput)
	}
	toks, err := lex(strings.TrimRight(text, " \t\r\n=?"), isGerman(lang))
	if err != nil {
		return nil, err
	}
	p := &parser{toks: toks, german: isGerman(lang)}
	root, err := p.top()
	if err != nil {
		return nil, err
	}
	return &Expr{root: root}, nil
}

// Eval computes the value. Errors are sentences for people, in English.
func (e *Expr) Eval() (Value, error) { return e.root.eval() }

// Text writes the expression again. lang "" gives the form that Parse reads alike in every language.
func (e *Expr) Text(lang string) string { return printer{lang: lang}.print(e.root, 0) }

// Trivial reports whether there is nothing to calculate: a number or quantity alone.
func (e *Expr) Trivial() bool {
	n := e.root
	for n.op == opQuantity || n.op == opNeg || n.op == opPercent {
		n = n.args[0]
	}
	return n.op == opNumber
}

// Quantity reports whether the expression is one quantity ("5 km", "2 h 30 min"), which a conversion may start from.
func (e *Expr) Quantity() bool {
	n := e.root
	for n.op == opJoin || n.op == opNeg {
		n = n.args[0]
	}
	return n.op == opQuantity
}

// Converts reports whether the expression asks for a unit ("… in miles").
func (e *Expr) Converts() bool { return e.root.op == opConvert }

// Asked is the text of what is computed or converted, without the unit that it is asked in.
func (e *Expr) Asked(lang string) string {
	if e.root.op == opConvert {
		return printer{lang: lang}.print(e.root.args[0], levelSum)
	}
	return e.Text(lang)
}

// Percent reports whether the expression is a bare percentage ("17%").
func (e *Expr) Percent() bool { return e.root.op == opPercent }

// Plain reports whether the expression is a number without unit or percent sign.
func (e *Expr) Plain() bool { return e.root.op == opNumber }

// IsUnit reports whether text is the name of a unit.
func IsUnit(text, lang string) bool {
	if len(text) > 60 {
		return false
	}
	toks, err := lex(text, isGerman(lang))
	if err != nil {
		return false
	}
	p := &parser{toks: toks, german: isGerman(lang)}
	return p.unit() != nil && p.peek().kind == tokEnd
}

// Localize writes an answer of Calculate ("1234.5 km") as a language does ("1.234,5 km").
func Localize(answer, lang string) string {
	num, unit, _ := strings.Cut(answer, " ")
	tail := ""
	for _, t := range []string{"%", "°"} {
		if cut, ok := strings.CutSuffix(num, t); ok {
			num, tail = cut, t
		}
	}
	mant, exp, sci := strings.Cut(num, "e")
	if strings.Trim(mant, "-0123456789.") != "" || mant == "" {
		return answer
	}
	out := writeNumber(mant, lang)
	if sci {
		out += "e" + exp
	}
	if tail == "%" && isGerman(lang) {
		tail = " %"
	}
	out += tail
	if unit != "" {
		out += " " + spokenLabel(unit, lang, out)
	}
	return out
}

// Calculate parses and evaluates, and writes both: "17% of 2400 = 408", or with ≈ when the answer is rounded. The text is
// read alike in every language: no grouping, decimal points.
func Calculate(text, lang string) (string, error) {
	e, err := Parse(text, lang)
	if err != nil {
		return "", err
	}
	v, err := e.Eval()
	if err != nil {
		return "", err
	}
	sign, s := v.Format("")
	return e.Text("") + " " + sign + " " + s, nil
}

func isGerman(lang string) bool { return strings.HasPrefix(strings.ToLower(lang), "de") }

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }
