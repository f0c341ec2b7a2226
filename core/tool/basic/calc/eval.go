package calc

import (
	"errors"
	"fmt"
	"math/big"
)

var errZero = errors.New("division by zero has no result")

func (n *node) eval() (Value, error) {
	vals := make([]Value, len(n.args))
	for i, a := range n.args {
		v, err := a.eval()
		if err != nil {
			return Value{}, err
		}
		vals[i] = v
	}
	v, err := n.apply(vals)
	if err != nil {
		return Value{}, err
	}
	return v.bounded()
}

func (n *node) apply(a []Value) (Value, error) {
	switch n.op {
	case opNumber:
		return Value{num: n.num}, nil
	case opQuantity:
		if a[0].unit != nil {
			return Value{}, fmt.Errorf("%w: two units after one number", ErrSyntax)
		}
		return Value{num: a[0].scalar(), unit: n.unit, inexact: a[0].inexact}, nil
	case opPercent:
		if a[0].unit != nil || a[0].percent {
			return Value{}, fmt.Errorf("%w: percent of a unit", ErrSyntax)
		}
		return Value{num: a[0].num, percent: true, inexact: a[0].inexact}, nil
	case opNeg:
		a[0].num = new(big.Rat).Neg(a[0].num)
		return a[0], nil
	case opAdd, opJoin:
		return add(a[0], a[1], 1)
	case opSub:
		return add(a[0], a[1], -1)
	case opMul, opOf:
		return multiply(a[0], a[1])
	case opDiv:
		return divide(a[0], a[1])
	case opOff:
		return add(a[1], a[0], -1)
	case opMod:
		return modulo(a[0], a[1])
	case opPow:
		return power(a[0], a[1])
	case opFact:
		return factorial(a[0])
	case opConvert:
		return a[0].to(n.unit)
	case opCall:
		return n.call(a)
	}
	return Value{}, ErrSyntax
}

func (n *node) call(a []Value) (Value, error) {
	if c := constants[n.name]; c != nil {
		return Value{num: c.value, inexact: true}, nil
	}
	return functions[n.name].run(a)
}

// add adds sign times b. Percent of a plain value is a share of it: 80 + 5% is 84.
func add(a, b Value, sign int64) (Value, error) {
	out := Value{unit: a.unit, percent: a.percent, inexact: a.inexact || b.inexact}
	k := rat(sign, 1)
	switch {
	case b.percent && !a.percent:
		share := new(big.Rat).Mul(a.num, b.scalar())
		out.num = share.Add(a.num, share.Mul(share, k))
	case a.dim() != b.dim() || a.percent != b.percent:
		return Value{}, fmt.Errorf("%s and %s cannot be added", name(a), name(b))
	case a.unit != nil && (a.unit.offset != nil || b.unit.offset != nil):
		if a.unit != b.unit {
			return Value{}, errors.New("temperatures on different scales cannot be added")
		}
		out.num = new(big.Rat).Add(a.num, k.Mul(k, b.num))
	case a.unit == nil:
		out.num = new(big.Rat).Add(a.num, k.Mul(k, b.num))
	default:
		sum := new(big.Rat).Add(a.base(), k.Mul(k, b.base()))
		out.num = sum.Quo(sum, a.unit.factor)
	}
	return out, nil
}

func name(v Value) string {
	switch {
	case v.percent:
		return "percent"
	case v.unit == nil:
		return "a plain number"
	}
	return v.unit.label
}

func multiply(a, b Value) (Value, error) {
	out := Value{inexact: a.inexact || b.inexact, num: new(big.Rat).Mul(a.scalar(), b.scalar())}
	switch {
	case a.unit == nil:
		out.unit = b.unit
	case b.unit == nil:
		out.unit = a.unit
	default:
		return inPreferred(new(big.Rat).Mul(a.base(), b.base()), combine(a.dim(), b.dim(), 1), out.inexact, a, b)
	}
	return out, nil
}

func divide(a, b Value) (Value, error) {
	if b.num.Sign() == 0 {
		return Value{}, errZero
	}
	out := Value{inexact: a.inexact || b.inexact, num: new(big.Rat).Quo(a.scalar(), b.scalar())}
	switch {
	case b.unit == nil:
		out.unit = a.unit
	case a.unit == nil:
		return Value{}, fmt.Errorf("a plain number cannot be divided by %s", b.unit.label)
	case a.dim() == b.dim():
		if b.unit.offset != nil {
			return Value{}, errors.New("temperatures cannot be divided")
		}
		out.num = new(big.Rat).Quo(a.base(), b.base())
	case combine(a.dim(), b.dim(), -1) == speedDim:
		out.unit = ratio(a.unit, b.unit)
	default:
		return inPreferred(new(big.Rat).Quo(a.base(), b.base()), combine(a.dim(), b.dim(), -1), out.inexact, a, b)
	}
	return out, nil
}

// inPreferred writes a product of quantities in the unit that people use for it.
func inPreferred(base *big.Rat, d dim, inexact bool, a, b Value) (Value, error) {
	if d == (dim{}) {
		return Value{num: base, inexact: inexact}, nil
	}
	u := preferred(d, base)
	if u == nil || a.unit.offset != nil || b.unit.offset != nil {
		return Value{}, fmt.Errorf("there is no unit for %s combined with %s", a.unit.label, b.unit.label)
	}
	return Value{num: new(big.Rat).Quo(base, u.factor), unit: u, inexact: inexact}, nil
}

func modulo(a, b Value) (Value, error) {
	if a.unit != nil || b.unit != nil {
		return Value{}, errors.New("a remainder is of plain numbers")
	}
	x, y := a.scalar(), b.scalar()
	if y.Sign() == 0 {
		return Value{}, errZero
	}
	q := floor(new(big.Rat).Quo(x, y))
	m := new(big.Rat).Sub(x, q.Mul(q, y)) // the sign of y, as in a clock
	return Value{num: m, inexact: a.inexact || b.inexact}, nil
}

func floor(r *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom())) // Euclidean: the denominator is positive
}

func factorial(v Value) (Value, error) {
	if v.unit != nil || v.percent || !v.num.IsInt() || v.num.Sign() < 0 {
		return Value{}, errors.New("a factorial is of a whole number from 0")
	}
	if v.num.Cmp(rat(maxFact, 1)) > 0 {
		return Value{}, ErrLarge
	}
	return Value{num: new(big.Rat).SetInt(new(big.Int).MulRange(1, v.num.Num().Int64()))}, nil
}
