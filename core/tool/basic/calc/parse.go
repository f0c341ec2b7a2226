package calc

import (
	"fmt"
	"math/big"
	"strings"
)

type op int

const (
	opNumber   op = iota
	opQuantity    // args[0] in unit
	opPercent     // args[0] %
	opNeg
	opAdd
	opSub
	opMul
	opDiv
	opMod
	opPow
	opOf      // a share of something: 17% of 2400
	opOff     // something less a share: 20% off 80
	opFact    // args[0]!
	opJoin    // 2 h 30 min
	opCall    // name(args…)
	opConvert // args[0] in unit; unit nil = percent
)

type node struct {
	op   op
	num  *big.Rat
	unit *Unit
	name string
	args []*node
}

type parser struct {
	toks   []token
	i      int
	depth  int
	german bool
}

func (p *parser) peek() token { return p.toks[p.i] }

func (p *parser) at(k int) token {
	if p.i+k >= len(p.toks) {
		return token{kind: tokEnd}
	}
	return p.toks[p.i+k]
}

// op takes an operator sign when it is next.
func (p *parser) op(s string) bool {
	if t := p.peek(); t.kind == tokOp && t.text == s {
		p.i++
		return true
	}
	return false
}

// words takes one of several phrases ("divided by") when it is next.
func (p *parser) words(phrases ...string) bool {
	for _, ph := range phrases {
		n := 0
		for w := range strings.FieldsSeq(ph) {
			t := p.at(n)
			if t.kind != tokWord || !strings.EqualFold(t.text, w) {
				n = -1
				break
			}
			n++
		}
		if n > 0 {
			p.i += n
			return true
		}
	}
	return false
}

func (p *parser) fail() error {
	t := p.peek()
	switch t.kind {
	case tokEnd:
		return fmt.Errorf("%w: it ends too early", ErrSyntax)
	case tokNumber:
		return fmt.Errorf("%w: a number stands where none is expected", ErrSyntax)
	}
	return fmt.Errorf("%w: %q stands where it is not expected", ErrSyntax, t.text)
}

func (p *parser) deeper() error {
	if p.depth++; p.depth > maxDepth {
		return fmt.Errorf("%w: nested too deeply", ErrSyntax)
	}
	return nil
}

// top is an expression and an optional conversion, to the end of the input.
func (p *parser) top() (*node, error) {
	n, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.op("→") || p.words("in", "into", "to", "as", "nach", "zu", "als") {
		if p.op("%") || p.words("percent", "prozent") {
			n = &node{op: opConvert, args: []*node{n}}
		} else {
			u := p.unit()
			if u == nil {
				return nil, p.fail()
			}
			n = &node{op: opConvert, unit: u, args: []*node{n}}
		}
	}
	if p.peek().kind != tokEnd {
		return nil, p.fail()
	}
	return n, nil
}

// binary parses left-associative operators: next reads an operand, which finds the operator, done when there is none.
func (p *parser) binary(next func() (*node, error), which func() (op, bool)) (*node, error) {
	n, err := next()
	if err != nil {
		return nil, err
	}
	for {
		o, ok := which()
		if !ok {
			return n, nil
		}
		right, err := next()
		if err != nil {
			return nil, err
		}
		n = &node{op: o, args: []*node{n, right}}
	}
}

func (p *parser) sum() (*node, error) {
	return p.binary(p.product, func() (op, bool) {
		switch {
		case p.op("+"), p.words("plus"):
			return opAdd, true
		case p.op("-"), p.words("minus", "less", "weniger"):
			return opSub, true
		}
		return 0, false
	})
}

func (p *parser) product() (*node, error) {
	return p.binary(p.sign, func() (op, bool) {
		switch {
		case p.op("*"), p.words("times", "multiplied by", "mal", "multipliziert mit", "x"):
			return opMul, true
		case p.op("/"), p.words("divided by", "over", "geteilt durch", "dividiert durch", "durch"):
			return opDiv, true
		case p.words("modulo", "mod"):
			return opMod, true
		case p.op("%"): // what follows is a number, or postfix had taken it as percent
			return opMod, true
		case p.words("of", "von", "vom"):
			return opOf, true
		case p.words("off"):
			p.words("of")
			return opOff, true
		}
		return 0, false
	})
}

func (p *parser) sign() (*node, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	switch {
	case p.op("-"), p.words("minus", "negative"):
		n, err := p.sign()
		if err != nil {
			return nil, err
		}
		return &node{op: opNeg, args: []*node{n}}, nil
	case p.op("+"), p.words("plus"):
		return p.sign()
	}
	return p.power()
}

func (p *parser) power() (*node, error) {
	n, err := p.postfix()
	if err != nil {
		return nil, err
	}
	if p.op("^") || p.words("to the power of", "raised to the power of", "raised to", "hoch", "to the") {
		exp, err := p.sign()
		if err != nil {
			return nil, err
		}
		p.words("power")
		n = &node{op: opPow, args: []*node{n, exp}}
	}
	return n, nil
}

// postfix reads a primary and what follows it: a unit, %, !, ², squared.
func (p *parser) postfix() (*node, error) {
	n, err := p.primary()
	if err != nil {
		return nil, err
	}
	for range maxDepth {
		switch {
		case p.op("!"), p.words("factorial", "fakultät"):
			n = &node{op: opFact, args: []*node{n}}
		case p.percentNext():
			n = &node{op: opPercent, args: []*node{n}}
		case p.op("²"), p.words("squared", "quadriert", "zum quadrat", "im quadrat"):
			n = &node{op: opPow, args: []*node{n, number(2)}}
		case p.op("³"), p.words("cubed"):
			n = &node{op: opPow, args: []*node{n, number(3)}}
		default:
			if u := p.unitAfter(n); u != nil {
				return p.join(&node{op: opQuantity, unit: u, args: []*node{n}})
			}
			return n, nil
		}
	}
	return nil, p.fail()
}

// percentNext takes a percent sign or word; "17 % 5" is a remainder.
func (p *parser) percentNext() bool {
	if p.words("percent", "prozent", "per cent", "pct") {
		return true
	}
	if t := p.peek(); t.kind != tokOp || t.text != "%" {
		return false
	}
	if next := p.at(1); next.kind == tokNumber || next.kind == tokOp && next.text == "(" {
		return false
	}
	p.i++
	return true
}

// join adds the quantities that follow directly: 2 h 30 min, 5 ft 11 in.
func (p *parser) join(n *node) (*node, error) {
	for {
		start := p.i
		p.words("and", "und")
		next, ok := p.plainNumber()
		if !ok {
			p.i = start
			return n, nil
		}
		u := p.unitAfter(next)
		if u == nil && n.unit.label == "ft" && next.num.Cmp(rat(12, 1)) < 0 && p.endsQuantity() { // 5 foot 8
			u = names().exact["inch"]
		}
		if u == nil || u.dim != n.unit.dim || u.offset != nil {
			p.i = start
			return n, nil
		}
		n = &node{op: opJoin, unit: n.unit, args: []*node{n, {op: opQuantity, unit: u, args: []*node{next}}}}
	}
}

// endsQuantity reports whether nothing or a conversion follows.
func (p *parser) endsQuantity() bool {
	t := p.peek()
	return t.kind == tokEnd || t.kind == tokWord && (strings.EqualFold(t.text, "in") || strings.EqualFold(t.text, "to") || strings.EqualFold(t.text, "into"))
}

func (p *parser) plainNumber() (*node, bool) {
	if t := p.peek(); t.kind == tokNumber {
		if r, n := p.fraction(); n > 0 {
			p.i += n
			return &node{op: opNumber, num: r}, true
		}
		p.i++
		return &node{op: opNumber, num: t.num}, true
	}
	if r, n := readWords(p.toks[p.i:], p.german); n > 0 {
		p.i += n
		return &node{op: opNumber, num: r}, true
	}
	return nil, false
}

// fraction reads 1/2 or 2 1/2 where a unit follows: half a cup, not one divided by two cups.
func (p *parser) fraction() (*big.Rat, int) {
	whole, n := new(big.Rat), 0
	if p.at(1).kind == tokNumber {
		whole, n = p.at(0).num, 1
	}
	a, op, b := p.at(n), p.at(n+1), p.at(n+2)
	if a.kind != tokNumber || op.kind != tokOp || op.text != "/" || op.space || b.kind != tokNumber || b.space || b.num.Sign() == 0 || !b.num.IsInt() {
		return nil, 0
	}
	if _, k := findUnit(p.toks[p.i+n+3:]); k == 0 || strings.EqualFold(p.at(n+3).text, "in") {
		return nil, 0
	}
	return new(big.Rat).Add(whole, new(big.Rat).Quo(a.num, b.num)), n + 3
}

func (p *parser) primary() (*node, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if n, ok, err := p.special(); ok {
		return n, err
	}
	if n, ok := p.plainNumber(); ok {
		return p.scaled(n), nil
	}
	if p.op("(") {
		n, err := p.sum()
		if err != nil {
			return nil, err
		}
		if !p.op(")") {
			return nil, p.fail()
		}
		return n, nil
	}
	if t := p.peek(); t.kind == tokWord && strings.Contains("$€£", t.text) { // $80
		if u, n := findUnit(p.toks[p.i:]); n > 0 && p.at(n).kind == tokNumber {
			p.i += n
			num, _ := p.plainNumber()
			return &node{op: opQuantity, unit: u, args: []*node{p.scaled(num)}}, nil
		}
	}
	return p.call()
}

// scaled reads a scale word after digits: 2.5 million.
func (p *parser) scaled(n *node) *node {
	t := p.peek()
	if t.kind != tokWord {
		return n
	}
	if p.words("and a half") {
		return &node{op: opNumber, num: new(big.Rat).Add(n.num, rat(1, 2))}
	}
	if s := scaleWord(t.text, p.german); s != nil {
		p.i++
		return &node{op: opNumber, num: new(big.Rat).Mul(n.num, s)}
	}
	return n
}

func number(k int64) *node { return &node{op: opNumber, num: rat(k, 1)} }

// call reads a constant or a function with arguments in parentheses: sqrt(16), round(3.14159; 2).
func (p *parser) call() (*node, error) {
	t := p.peek()
	if t.kind != tokWord {
		return nil, p.fail()
	}
	name := strings.ToLower(t.text)
	if c := constants[name]; c != nil {
		p.i++
		return &node{op: opCall, name: c.name}, nil
	}
	f := functions[name]
	if f == nil {
		return nil, p.fail()
	}
	p.i++
	n := &node{op: opCall, name: f.name}
	if !p.op("(") {
		p.words("of", "von", "aus")
		arg, err := p.sign()
		if err != nil {
			return nil, err
		}
		n.args = []*node{arg}
		return n, f.check(n)
	}
	for len(n.args) < 50 {
		arg, err := p.sum()
		if err != nil {
			return nil, err
		}
		n.args = append(n.args, arg)
		if p.op(")") {
			return n, f.check(n)
		}
		if !p.op(";") && !p.words("and", "und") {
			return nil, p.fail()
		}
	}
	return nil, p.fail()
}
