package calc

import (
	"math/big"
	"strings"
	"sync"
)

// unitNames finds units by name; folded holds the same names in lower case.
type unitNames struct{ exact, folded map[string]*Unit }

// names is made of the table on first use: no start of a program waits for it.
var names = sync.OnceValue(buildUnits)

func buildUnits() unitNames {
	exact, lower := map[string]*Unit{}, map[string]*Unit{}
	for _, k := range table {
		for _, r := range k.rows {
			u := &Unit{label: r.label, dim: k.dim, factor: fromText2(r.factor), tight: r.label == "°"}
			switch r.label {
			case "°C":
				u.offset = rat(27315, 100)
			case "°F":
				u.offset = fromText2("45967/180")
			case "K":
				u.offset = new(big.Rat)
			case "rad":
				u.factor = new(big.Rat).Quo(rat(180, 1), constants["pi"].value)
			}
			exact[r.label] = u // what the printer writes must be read again
			for n := range strings.SplitSeq(r.names, ",") {
				exact[n] = u
			}
		}
	}
	for _, k := range table { // in the table's order, so that the first of two names that differ in case wins
		for _, r := range k.rows {
			for n := range strings.SplitSeq(r.names, ",") {
				if l := strings.ToLower(n); lower[l] == nil {
					lower[l] = exact[n]
				}
			}
		}
	}
	lower["mb"], lower["gb"], lower["kb"], lower["b"] = exact["MB"], exact["GB"], exact["kB"], exact["B"] // people mean bytes
	for n := range exact {
		if l := strings.ToLower(n); l == n {
			lower[l] = exact[n]
		}
	}
	return unitNames{exact, lower}
}

// fromText2 reads "a", "a/b" with decimals.
func fromText2(s string) *big.Rat {
	a, b, ok := strings.Cut(s, "/")
	r := fromText(a)
	if ok {
		r.Quo(r, fromText(b))
	}
	return r
}

func irrational(u *Unit) bool { return u != nil && u.dim == angleDim && u.label == "rad" }

func isMoney(d dim) bool { return d[6]+d[7]+d[8]+d[9] == 1 }

func combine(a, b dim, sign int8) dim {
	for i := range a {
		a[i] += sign * b[i]
	}
	return a
}

// part is the label inside a compound: "in" alone could be a word there.
func (u *Unit) part() string {
	if u.label == "in" {
		return "inch"
	}
	return u.label
}

// spokenLabel is how a language writes a label after a number.
func spokenLabel(label, lang, number string) string {
	w, ok := spoken[label]
	if !ok {
		return label
	}
	i := 0
	if isGerman(lang) {
		i = 2
	}
	if strings.TrimPrefix(number, "-") != "1" {
		i++
	}
	return w[i]
}

// ratio makes a unit of two: km/h.
func ratio(a, b *Unit) *Unit {
	return &Unit{label: a.part() + "/" + b.part(), dim: combine(a.dim, b.dim, -1), factor: new(big.Rat).Quo(a.factor, b.factor)}
}

// raised makes m² of m.
func raised(u *Unit, n int) *Unit {
	out := &Unit{label: u.part() + map[int]string{2: "²", 3: "³"}[n], factor: rat(1, 1)}
	for range n {
		out.dim = combine(out.dim, u.dim, 1)
		out.factor.Mul(out.factor, u.factor)
	}
	return out
}

// preferred finds the unit that a computed quantity is written in, nil when people have none.
func preferred(d dim, base *big.Rat) *Unit {
	switch {
	case d == combine(lengthDim, lengthDim, 1):
		return raised(names().exact["m"], 2)
	case d == (dim{3}):
		return raised(names().exact["m"], 3)
	case d == speedDim:
		return ratio(names().exact["km"], names().exact["h"])
	case isMoney(d):
		for _, n := range []string{"€", "$", "£", "chf"} {
			if names().exact[n].dim == d {
				return names().exact[n]
			}
		}
	}
	var u *Unit
	for _, n := range preferences[d] {
		u = names().exact[n]
		if new(big.Rat).Abs(base).Cmp(u.factor) >= 0 {
			break
		}
	}
	return u
}

// findUnit reads a unit name of up to three words.
func findUnit(toks []token) (*Unit, int) {
	for n := min(3, len(toks)); n > 0; n-- {
		var words []string
		for _, t := range toks[:n] {
			if t.kind != tokWord {
				words = nil
				break
			}
			words = append(words, t.text)
		}
		if words == nil {
			continue
		}
		name := strings.Join(words, " ")
		if u := lookUnit(name); u != nil {
			return u, n
		}
	}
	return nil, 0
}

func lookUnit(name string) *Unit {
	if u := names().exact[name]; u != nil {
		return u
	}
	l := strings.ToLower(name)
	if u := names().folded[l]; u != nil {
		return u
	}
	for prefix, n := range map[string]int{"quadrat": 2, "kubik": 3} {
		if rest, ok := strings.CutPrefix(l, prefix); ok {
			if u := names().folded[rest]; u != nil && u.dim == lengthDim {
				return raised(u, n)
			}
		}
	}
	return nil
}

// unitAfter reads the unit that follows a number. "in" is an inch where nothing could be converted to.
func (p *parser) unitAfter(n *node) *Unit {
	if n.op != opNumber && n.op != opAdd && n.op != opSub && n.op != opMul && n.op != opDiv {
		return nil
	}
	if t := p.peek(); t.kind == tokWord && strings.EqualFold(t.text, "in") {
		next := p.at(1)
		isTo := next.kind == tokWord && (strings.EqualFold(next.text, "in") || strings.EqualFold(next.text, "to") || strings.EqualFold(next.text, "into") || strings.EqualFold(next.text, "as"))
		if next.kind == tokEnd || isTo || next.kind == tokOp && next.text != "%" {
			p.i++
			return names().exact["inch"]
		}
		return nil
	}
	return p.unit()
}

// unit reads a unit: one name, a power of one, or one per another.
func (p *parser) unit() *Unit {
	start := p.i
	p.words("degrees of")
	u := p.simpleUnit()
	if u == nil {
		p.i = start
		if p.words("in") && p.peek().kind == tokEnd { // "… to in"
			return names().exact["inch"]
		}
		p.i = start
		return nil
	}
	for u.offset == nil {
		start = p.i
		if !p.op("/") && !p.words("per", "pro", "je") {
			break
		}
		below := p.simpleUnit()
		if below == nil || below.offset != nil {
			p.i = start
			break
		}
		u = ratio(u, below)
	}
	return u
}

func (p *parser) simpleUnit() *Unit {
	start := p.i
	power := 0
	switch {
	case p.words("square", "sq"):
		power = 2
	case p.words("cubic", "cu"):
		power = 3
	}
	u, n := findUnit(p.toks[p.i:])
	if n == 0 {
		p.i = start
		return nil
	}
	p.i += n
	if power == 0 && u.offset == nil {
		switch {
		case p.op("²"):
			power = 2
		case p.op("³"):
			power = 3
		case p.peek().kind == tokOp && p.peek().text == "^" && p.at(1).kind == tokNumber && p.at(1).num.IsInt():
			if k := p.at(1).num.Num(); k.IsInt64() && (k.Int64() == 2 || k.Int64() == 3) {
				power = int(k.Int64())
				p.i += 2
			}
		case u.dim == lengthDim && u.label != "ft" && u.label != "in" && p.peek().kind == tokNumber && !p.peek().space: // m2
			if k := p.peek().num; k.Cmp(rat(2, 1)) == 0 || k.Cmp(rat(3, 1)) == 0 {
				power = int(k.Num().Int64())
				p.i++
			}
		}
	}
	if power > 0 {
		if u.offset != nil {
			p.i = start
			return nil
		}
		return raised(u, power)
	}
	return u
}

// Words lists the single words of units and numbers, for telling what a misspelt one may mean.
func Words() []string {
	var out []string
	for n := range names().folded {
		out = append(out, strings.Fields(n)...)
	}
	for n := range englishWords {
		out = append(out, n)
	}
	for n := range fractionWords {
		out = append(out, n)
	}
	out = append(out, strings.Fields(`plus minus times multiplied divided modulo squared cubed square root power percent prozent mal geteilt durch hoch wurzel
		quadratwurzel kubikwurzel multipliziert dividiert double twice triple hundred thousand million billion tausend millionen milliarden fakultät factorial quadrat`)...)
	for n := range germanWords() {
		out = append(out, n)
	}
	return append(out, "quadratmeter", "quadratkilometer", "quadratzentimeter", "quadratfuss", "kubikmeter", "kubikzentimeter")
}
