package calc

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

type function struct {
	name     string
	min, max int // arguments
	run      func([]Value) (Value, error)
}

func (f *function) check(n *node) error {
	if len(n.args) < f.min || len(n.args) > f.max {
		return fmt.Errorf("%w: %s takes %d to %d values", ErrSyntax, f.name, f.min, f.max)
	}
	return nil
}

type constant struct {
	name  string
	value *big.Rat
}

// constants are rational to 50 digits; what they touch is marked as rounded.
var constants = map[string]*constant{
	"pi": {"pi", fromText("3.14159265358979323846264338327950288419716939937510")},
	"π":  {"pi", fromText("3.14159265358979323846264338327950288419716939937510")},
	"e":  {"e", fromText("2.71828182845904523536028747135266249775724709369995")},
}

func fromText(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return new(big.Rat)
	}
	return r
}

// functions by every name they are called by; the name inside is the canonical one.
var functions = map[string]*function{
	"sqrt": sqrtFunc, "wurzel": sqrtFunc, "cbrt": {"cbrt", 1, 1, one(cubeRoot)},
	"abs": absFunc, "betrag": absFunc,
	"round": roundFunc, "runde": roundFunc, "runden": roundFunc,
	"floor": {"floor", 1, 1, one(keepUnit(floor))}, "ceil": {"ceil", 1, 1, one(keepUnit(ceil))},
	"min": {"min", 1, 50, pick(-1)}, "max": {"max", 1, 50, pick(1)},
	"sum": {"sum", 1, 50, sumOf}, "avg": {"avg", 1, 50, average}, "average": {"avg", 1, 50, average}, "mittelwert": {"avg", 1, 50, average},
	"gcd": {"gcd", 2, 2, gcd}, "ggt": {"gcd", 2, 2, gcd}, "lcm": {"lcm", 2, 2, lcm}, "kgv": {"lcm", 2, 2, lcm},
	"sin": {"sin", 1, 1, trig(math.Sin)}, "cos": {"cos", 1, 1, trig(math.Cos)}, "tan": {"tan", 1, 1, trig(math.Tan)},
	"ln": {"ln", 1, 1, float(math.Log)}, "log": {"log", 1, 1, float(math.Log10)}, "log10": {"log", 1, 1, float(math.Log10)},
	"exp": {"exp", 1, 1, float(math.Exp)},
}

var (
	sqrtFunc  = &function{"sqrt", 1, 1, one(squareRoot)}
	absFunc   = &function{"abs", 1, 1, one(keepUnit(func(r *big.Rat) *big.Rat { return new(big.Rat).Abs(r) }))}
	roundFunc = &function{"round", 1, 2, round}
)

func one(f func(Value) (Value, error)) func([]Value) (Value, error) {
	return func(a []Value) (Value, error) { return f(a[0]) }
}

func keepUnit(f func(*big.Rat) *big.Rat) func(Value) (Value, error) {
	return func(v Value) (Value, error) {
		v.num = f(v.num)
		return v, nil
	}
}

func ceil(r *big.Rat) *big.Rat {
	return new(big.Rat).Neg(floor(new(big.Rat).Neg(r)))
}

// round rounds half away from zero, to places after the decimal mark (default none).
func round(a []Value) (Value, error) {
	places := int64(0)
	if len(a) == 2 {
		if !a[1].num.IsInt() || a[1].unit != nil || a[1].num.Cmp(rat(30, 1)) > 0 || a[1].num.Cmp(rat(-30, 1)) < 0 {
			return Value{}, errors.New("round to between -30 and 30 places")
		}
		places = a[1].num.Num().Int64()
	}
	v := a[0]
	scale, err := intPower(rat(10, 1), big.NewInt(places))
	if err != nil {
		return Value{}, err
	}
	r := new(big.Rat).Mul(new(big.Rat).Abs(v.num), scale)
	r = floor(r.Add(r, rat(1, 2)))
	r.Quo(r, scale)
	if v.num.Sign() < 0 {
		r.Neg(r)
	}
	v.num, v.inexact = r, false
	return v, nil
}

func pick(sign int) func([]Value) (Value, error) {
	return func(a []Value) (Value, error) {
		best := a[0]
		for _, v := range a[1:] {
			if v.dim() != best.dim() {
				return Value{}, errors.New("these are not of one kind")
			}
			if v.base().Cmp(best.base()) == sign {
				best = v
			}
		}
		return best, nil
	}
}

func sumOf(a []Value) (Value, error) {
	s := a[0]
	for _, v := range a[1:] {
		var err error
		if s, err = add(s, v, 1); err != nil {
			return Value{}, err
		}
	}
	return s, nil
}

func average(a []Value) (Value, error) {
	s, err := sumOf(a)
	if err != nil {
		return Value{}, err
	}
	return divide(s, Value{num: rat(int64(len(a)), 1)})
}

func gcd(a []Value) (Value, error) {
	if slices.ContainsFunc(a, func(v Value) bool { return v.unit != nil || !v.num.IsInt() || v.num.Sign() <= 0 }) {
		return Value{}, errors.New("common divisors are of positive whole numbers")
	}
	return Value{num: new(big.Rat).SetInt(new(big.Int).GCD(nil, nil, a[0].num.Num(), a[1].num.Num()))}, nil
}

func lcm(a []Value) (Value, error) {
	g, err := gcd(a)
	if err != nil {
		return Value{}, err
	}
	p := new(big.Rat).Mul(a[0].num, a[1].num)
	return Value{num: p.Quo(p, g.num)}, nil
}

func float(f func(float64) float64) func([]Value) (Value, error) {
	return func(a []Value) (Value, error) {
		if a[0].unit != nil {
			return Value{}, errors.New("that function takes a plain number")
		}
		x, _ := a[0].scalar().Float64()
		v, err := fromFloat(f(x))
		if err == nil && v.num.IsInt() && v.num.Num().BitLen() < 40 {
			v.inexact = a[0].inexact // log 1000 is 3
		}
		return v, err
	}
}

// trig takes an angle, or a plain number as radians.
func trig(f func(float64) float64) func([]Value) (Value, error) {
	return func(a []Value) (Value, error) {
		x, _ := a[0].scalar().Float64()
		if a[0].unit != nil {
			if a[0].dim() != angleDim {
				return Value{}, errors.New("that function takes an angle")
			}
			deg, _ := a[0].base().Float64()
			x = deg * math.Pi / 180
		}
		y := f(x)
		if math.Abs(y) > 1e15 {
			return Value{}, errors.New("that has no real result")
		}
		return fromFloat(math.Round(y*1e14) / 1e14)
	}
}
