package calc

import (
	"errors"
	"fmt"
	"math"
	"math/big"
)

// power raises a to b. Whole exponents and perfect roots are exact, all else has about 15 digits.
func power(a, b Value) (Value, error) {
	if b.unit != nil {
		return Value{}, errors.New("an exponent has no unit")
	}
	x, y := a.scalar(), b.scalar()
	if a.unit != nil {
		return unitPower(a, y)
	}
	inexact := a.inexact || b.inexact
	if y.IsInt() {
		r, err := intPower(x, y.Num())
		return Value{num: r, inexact: inexact}, err
	}
	if x.Sign() < 0 {
		return Value{}, errors.New("a root of a negative number is not a real number")
	}
	if q := y.Denom(); q.IsInt64() && q.Int64() <= 64 {
		if root, ok := exactRoot(x, int(q.Int64())); ok {
			r, err := intPower(root, y.Num())
			return Value{num: r, inexact: inexact}, err
		}
	}
	xf, _ := x.Float64()
	yf, _ := y.Float64()
	return fromFloat(math.Pow(xf, yf))
}

func unitPower(a Value, y *big.Rat) (Value, error) {
	if !y.IsInt() || a.unit.offset != nil || y.Cmp(rat(2, 1)) < 0 || y.Cmp(rat(3, 1)) > 0 {
		return Value{}, fmt.Errorf("%s cannot be raised to that power", a.unit.label)
	}
	d, base := a.dim(), new(big.Rat).Set(a.base())
	for range y.Num().Int64() - 1 {
		d = combine(d, a.dim(), 1)
		base.Mul(base, a.base())
	}
	return inPreferred(base, d, a.inexact, a, a)
}

func intPower(x *big.Rat, n *big.Int) (*big.Rat, error) {
	one := rat(1, 1)
	abs := new(big.Int).Abs(n)
	if x.Sign() == 0 && n.Sign() < 0 {
		return nil, errZero
	}
	if x.Sign() == 0 && n.Sign() > 0 || x.Cmp(one) == 0 {
		return x, nil
	}
	if new(big.Rat).Abs(x).Cmp(one) == 0 { // -1
		if abs.Bit(0) == 0 {
			return one, nil
		}
		return x, nil
	}
	bits := int64(max(x.Num().BitLen(), x.Denom().BitLen()))
	if !abs.IsInt64() || abs.Int64() > maxBits || (bits-1)*abs.Int64() > maxBits {
		return nil, ErrLarge
	}
	num := new(big.Int).Exp(x.Num(), abs, nil)
	den := new(big.Int).Exp(x.Denom(), abs, nil)
	if n.Sign() < 0 {
		num, den = den, num
	}
	return new(big.Rat).SetFrac(num, den), nil
}

// exactRoot finds the k-th root when it is rational.
func exactRoot(x *big.Rat, k int) (*big.Rat, bool) {
	num, ok := intRoot(x.Num(), k)
	if !ok {
		return nil, false
	}
	den, ok := intRoot(x.Denom(), k)
	if !ok {
		return nil, false
	}
	return new(big.Rat).SetFrac(num, den), true
}

func intRoot(x *big.Int, k int) (*big.Int, bool) {
	if x.Sign() < 0 || x.BitLen() > 4096 {
		return nil, false
	}
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(x.BitLen()/k+1))
	for lo.Cmp(hi) < 0 { // the smallest r with r^k >= x
		mid := new(big.Int).Add(lo, hi)
		mid.Rsh(mid, 1)
		if new(big.Int).Exp(mid, big.NewInt(int64(k)), nil).Cmp(x) >= 0 {
			hi = mid
		} else {
			lo = mid.Add(mid, big.NewInt(1))
		}
	}
	return lo, new(big.Int).Exp(lo, big.NewInt(int64(k)), nil).Cmp(x) == 0
}

func squareRoot(v Value) (Value, error) {
	if v.unit != nil {
		return Value{}, errors.New("a root is of a plain number")
	}
	x := v.scalar()
	if x.Sign() < 0 {
		return Value{}, errors.New("a root of a negative number is not a real number")
	}
	if r, ok := exactRoot(x, 2); ok {
		return Value{num: r, inexact: v.inexact}, nil
	}
	f := new(big.Float).SetPrec(256).SetRat(x)
	r, _ := f.Sqrt(f).Rat(nil)
	return Value{num: r, inexact: true}, nil
}

func cubeRoot(v Value) (Value, error) {
	if v.unit != nil {
		return Value{}, errors.New("a root is of a plain number")
	}
	x := v.scalar()
	if r, ok := exactRoot(new(big.Rat).Abs(x), 3); ok {
		if x.Sign() < 0 {
			r.Neg(r)
		}
		return Value{num: r, inexact: v.inexact}, nil
	}
	f, _ := x.Float64()
	return fromFloat(math.Cbrt(f))
}

func fromFloat(f float64) (Value, error) {
	if math.IsInf(f, 0) {
		return Value{}, ErrLarge
	}
	r := new(big.Rat).SetFloat64(f)
	if r == nil {
		return Value{}, errors.New("that has no real result")
	}
	return Value{num: r, inexact: true}, nil
}
