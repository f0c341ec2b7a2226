package calc

// special reads words that multiply what follows: half of 30, three quarters of 80, double 15.
func (p *parser) special() (*node, error, bool) {
	if p.op("√") || p.words("square root of", "the square root of", "square root", "wurzel aus", "die wurzel aus", "quadratwurzel aus", "quadratwurzel von", "wurzel von") {
		n, err := p.sign()
		if err != nil {
			return nil, err, true
		}
		return &node{op: opCall, name: "sqrt", args: []*node{n}}, nil, true
	}
	if p.words("cube root of", "the cube root of", "cube root", "kubikwurzel aus", "kubikwurzel von", "dritte wurzel aus") {
		n, err := p.sign()
		if err != nil {
			return nil, err, true
		}
		return &node{op: opCall, name: "cbrt", args: []*node{n}}, nil, true
	}
	if p.words("factorial of", "fakultät von") {
		n, err := p.primary()
		if err != nil {
			return nil, err, true
		}
		return &node{op: opFact, args: []*node{n}}, nil, true
	}
	start := p.i
	p.words("the", "a", "das", "die", "der")
	if p.words("double of", "double", "twice", "doppelte von", "doppelte", "doppelt", "zweifache von") {
		return p.multiple(2)
	}
	if p.words("triple of", "triple", "dreifache von", "dreifache") {
		return p.multiple(3)
	}
	p.i = start
	return nil, nil, false
}

func (p *parser) multiple(k int64) (*node, error, bool) {
	n, err := p.sign()
	if err != nil {
		return nil, err, true
	}
	return &node{op: opMul, args: []*node{number(k), n}}, nil, true
}
