package calc

// special reads words that multiply what follows: half of 30, three quarters of 80, double 15.
func (p *parser) special() (*node, bool, error) {
	if p.op("√") || p.words("square root of", "the square root of", "square root", "wurzel aus", "die wurzel aus", "quadratwurzel aus", "quadratwurzel von", "wurzel von") {
		n, err := p.sign()
		if err != nil {
			return nil, true, err
		}
		return &node{op: opCall, name: "sqrt", args: []*node{n}}, true, nil
	}
	if p.words("cube root of", "the cube root of", "cube root", "kubikwurzel aus", "kubikwurzel von", "dritte wurzel aus") {
		n, err := p.sign()
		if err != nil {
			return nil, true, err
		}
		return &node{op: opCall, name: "cbrt", args: []*node{n}}, true, nil
	}
	if p.words("factorial of", "fakultät von") {
		n, err := p.primary()
		if err != nil {
			return nil, true, err
		}
		return &node{op: opFact, args: []*node{n}}, true, nil
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
	return nil, false, nil
}

func (p *parser) multiple(k int64) (*node, bool, error) {
	n, err := p.sign()
	if err != nil {
		return nil, true, err
	}
	return &node{op: opMul, args: []*node{number(k), n}}, true, nil
}
