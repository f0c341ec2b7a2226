package calc

import (
	"fmt"
	"math/big"
	"strings"
)

// dim counts base dimensions: length, mass, time, temperature, data, angle, and four currencies that nothing converts.
type dim [10]int8

// Unit is a unit of measure: 1 of it is factor base units, plus offset for temperatures.
type Unit struct {
	label  string
	dim    dim
	factor *big.Rat
	offset *big.Rat // base units at zero of it; nil but for temperatures
	tight  bool     // the label follows the number without a space
}

// Value is a result: a number, in a unit or not.
type Value struct {
	num     *big.Rat
	unit    *Unit
	percent bool // num is in percent
	inexact bool // it went through an irrational number
}

// Format writes the value. The sign is "=" when it is exact and "≈" when it is rounded to 12 digits. lang "" writes plain
// digits with a decimal point.
func (v Value) Format(lang string) (sign, text string) {
	s, exact := decimal(v.num)
	sign = "="
	if !exact || v.inexact {
		sign = "≈"
		s = rounded(v.num)
	}
	mant, exp, sci := strings.Cut(s, "e")
	text = mant
	if lang != "" {
		text = writeNumber(mant, lang)
	}
	if sci {
		text += "e" + exp
	}
	switch {
	case v.percent && isGerman(lang):
		text += " %"
	case v.percent:
		text += "%"
	case v.unit != nil && v.unit.tight:
		text += v.unit.label
	case v.unit != nil:
		text += " " + v.unit.label
	}
	return sign, text
}

// decimal writes a finite decimal exactly; false when it has no end or is too long to read.
func decimal(r *big.Rat) (string, bool) {
	n, finite := r.FloatPrec()
	if !finite || n > 40 || digits(r) > maxDigits {
		return "", false
	}
	return r.FloatString(n), true
}

// digits estimates the digits before the decimal mark.
func digits(r *big.Rat) int {
	bits := r.Num().BitLen() - r.Denom().BitLen()
	if bits < 0 {
		return 0
	}
	return bits*30103/100000 + 1
}

// rounded writes 12 significant digits.
func rounded(r *big.Rat) string {
	f := new(big.Float).SetPrec(256).SetRat(r)
	s := f.Text('g', 12)
	mant, exp, sci := strings.Cut(s, "e")
	if !sci {
		return s
	}
	var e int
	if _, err := fmt.Sscanf(exp, "%d", &e); err == nil && e > -8 && e < 21 {
		s = f.Text('f', max(0, 11-e))
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	if strings.Contains(mant, ".") {
		mant = strings.TrimRight(strings.TrimRight(mant, "0"), ".")
	}
	return mant + "e" + strings.TrimPrefix(exp, "+")
}

// base is the value in base units.
func (v Value) base() *big.Rat {
	if v.unit == nil {
		return v.num
	}
	b := new(big.Rat).Mul(v.num, v.unit.factor)
	if v.unit.offset != nil {
		b.Add(b, v.unit.offset)
	}
	return b
}

// scalar is the value as a plain number, percent resolved.
func (v Value) scalar() *big.Rat {
	if v.percent {
		return new(big.Rat).Mul(v.num, rat(1, 100))
	}
	return v.num
}

func (v Value) dim() dim {
	if v.unit == nil {
		return dim{}
	}
	return v.unit.dim
}

// to converts; u nil means percent.
func (v Value) to(u *Unit) (Value, error) {
	if u == nil {
		if v.unit != nil {
			return Value{}, fmt.Errorf("%s is not a share", v.unit.label)
		}
		return Value{num: new(big.Rat).Mul(v.scalar(), rat(100, 1)), percent: true, inexact: v.inexact}, nil
	}
	if u.offset != nil && v.unit != nil && v.unit.label == "°" { // 20 degrees in Fahrenheit
		v.unit = names().exact["°C"]
		if u == v.unit {
			v.unit = names().exact["°F"]
		}
	}
	if v.dim() != u.dim {
		from := "a plain number"
		if v.unit != nil {
			from = v.unit.label
		}
		if isMoney(v.dim()) && isMoney(u.dim) {
			return Value{}, fmt.Errorf("converting %s to %s needs today's exchange rate", from, u.label)
		}
		return Value{}, fmt.Errorf("%s cannot be converted to %s", from, u.label)
	}
	b := new(big.Rat).Set(v.base())
	if u.offset != nil {
		b.Sub(b, u.offset)
	}
	return Value{num: b.Quo(b, u.factor), unit: u, inexact: v.inexact || irrational(v.unit) || irrational(u)}, nil
}

func (v Value) bounded() (Value, error) {
	if v.num.Num().BitLen() > maxBits || v.num.Denom().BitLen() > maxBits {
		return Value{}, ErrLarge
	}
	return v, nil
}
