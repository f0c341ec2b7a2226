package calc

import "strings"

// printer writes a tree with as few parentheses as it needs.
type printer struct{ lang string }

// How tightly an operator binds.
const (
	levelTop = iota
	levelSum
	levelProduct
	levelSign
	levelPower
	levelPostfix
)

func (pr printer) print(n *node, level int) string {
	own, s := levelPostfix, ""
	bin := func(l int, sign string) {
		own = l
		s = pr.print(n.args[0], l) + sign + pr.print(n.args[1], l+1)
	}
	switch n.op {
	case opNumber:
		s = pr.number(n)
		if strings.Contains(s, "/") {
			own = levelProduct
		}
	case opQuantity:
		s = pr.print(n.args[0], levelPostfix)
		if a := n.args[0]; a.op == opNumber && strings.Contains(s, "/") {
			s = a.num.RatString() // 1/3 km: without spaces it is a fraction
		}
		if !n.unit.tight {
			s += " "
		}
		if pr.lang == "" {
			s += n.unit.part()
		} else {
			s += spokenLabel(n.unit.label, pr.lang, strings.TrimSpace(s))
		}
	case opPercent:
		s = pr.print(n.args[0], levelPostfix) + "%"
	case opNeg:
		own, s = levelSign, "-"+pr.print(n.args[0], levelSign)
	case opAdd:
		bin(levelSum, " + ")
	case opSub:
		bin(levelSum, " - ")
	case opMul:
		bin(levelProduct, " * ")
	case opDiv:
		bin(levelProduct, " / ")
	case opMod:
		bin(levelProduct, " mod ")
	case opOf:
		bin(levelProduct, pr.word(" of ", " von "))
	case opOff:
		bin(levelProduct, " off ")
	case opPow:
		own = levelPower
		s = pr.print(n.args[0], levelPostfix) + "^" + pr.print(n.args[1], levelSign)
	case opFact:
		s = pr.print(n.args[0], levelPostfix) + "!"
	case opJoin:
		s = pr.print(n.args[0], levelPostfix) + " " + pr.print(n.args[1], levelPostfix)
	case opConvert:
		own = levelTop
		s = pr.print(n.args[0], levelSum) + " in " + pr.target(n)
	case opCall:
		s = pr.call(n)
	}
	if own < level {
		return "(" + s + ")"
	}
	return s
}

func (pr printer) word(en, de string) string {
	if isGerman(pr.lang) {
		return de
	}
	return en
}

func (pr printer) target(n *node) string {
	if n.unit == nil {
		return "%"
	}
	if n.unit.label == "in" {
		return "inches"
	}
	return n.unit.label
}

func (pr printer) number(n *node) string {
	if s, ok := decimal(n.num); ok {
		return writeNumber(s, pr.lang)
	}
	if !n.num.IsInt() && n.num.Num().BitLen() < 64 && n.num.Denom().BitLen() < 64 {
		return strings.Replace(n.num.RatString(), "/", " / ", 1) // a third
	}
	s := rounded(n.num)
	return s
}

func (pr printer) call(n *node) string {
	if len(n.args) == 0 {
		return n.name
	}
	args := make([]string, len(n.args))
	for i, a := range n.args {
		args[i] = pr.print(a, levelSum)
	}
	return n.name + "(" + strings.Join(args, "; ") + ")"
}
