package offline

import (
	"fmt"
	"strings"
)

// A pattern is words, (alternatives|of words), [what may be left out], <slots> and @macros. It fits an utterance when every
// word is used.
type pkind int

const (
	pWord pkind = iota
	pSeq
	pAlt
	pOpt
	pSlot
)

type pnode struct {
	kind pkind
	word string // of a word or slot
	kids []*pnode
}

type patternParser struct {
	s      string
	i      int
	macros map[string]*pnode
}

// parsePattern compiles a pattern of the tables; a mistake in one is found by the package's tests.
func parsePattern(s string, macros map[string]*pnode) (*pnode, error) {
	p := &patternParser{s: s, macros: macros}
	n, err := p.alt()
	if err == nil && p.i < len(p.s) {
		err = fmt.Errorf("%q: stray %q", s, p.s[p.i])
	}
	return n, err
}

func (p *patternParser) alt() (*pnode, error) {
	out := &pnode{kind: pAlt}
	for {
		seq, err := p.seq()
		if err != nil {
			return nil, err
		}
		out.kids = append(out.kids, seq)
		if p.i >= len(p.s) || p.s[p.i] != '|' {
			break
		}
		p.i++
	}
	if len(out.kids) == 1 {
		return out.kids[0], nil
	}
	return out, nil
}

func (p *patternParser) seq() (*pnode, error) {
	out := &pnode{kind: pSeq}
	for p.i < len(p.s) {
		switch c := p.s[p.i]; c {
		case ' ', '\n', '\t':
			p.i++
		case '|', ')', ']':
			return out, nil
		case '(', '[':
			p.i++
			n, err := p.alt()
			if err != nil {
				return nil, err
			}
			if p.i >= len(p.s) || p.s[p.i] != map[byte]byte{'(': ')', '[': ']'}[c] {
				return nil, fmt.Errorf("%q: %q is not closed", p.s, c)
			}
			p.i++
			if c == '[' {
				n = &pnode{kind: pOpt, kids: []*pnode{n}}
			}
			out.kids = append(out.kids, n)
		case '<':
			end := strings.IndexByte(p.s[p.i:], '>')
			if end < 0 {
				return nil, fmt.Errorf("%q: slot is not closed", p.s)
			}
			out.kids = append(out.kids, &pnode{kind: pSlot, word: p.s[p.i+1 : p.i+end]})
			p.i += end + 1
		default:
			n, err := p.wordOrMacro()
			if err != nil {
				return nil, err
			}
			out.kids = append(out.kids, n)
		}
	}
	return out, nil
}

func (p *patternParser) wordOrMacro() (*pnode, error) {
	end := p.i
	for end < len(p.s) && !strings.ContainsRune(" \n\t|()[]<>", rune(p.s[end])) {
		end++
	}
	w := p.s[p.i:end]
	p.i = end
	if name, ok := strings.CutPrefix(w, "@"); ok {
		if n := p.macros[name]; n != nil {
			return n, nil
		}
		return nil, fmt.Errorf("%q: no macro %q", p.s, name)
	}
	return &pnode{kind: pWord, word: umlauts.Replace(w)}, nil
}

// loose reports whether the pattern begins with free words, so that nothing but its end tells it from chatter.
func (n *pnode) loose() bool {
	switch n.kind {
	case pSlot:
		return n.word == "text" || n.word == "ref"
	case pSeq:
		for _, k := range n.kids {
			if k.kind != pOpt {
				return k.loose()
			}
		}
	case pAlt:
		for _, k := range n.kids {
			if k.loose() {
				return true
			}
		}
	}
	return false
}

// words calls f with each word of the pattern.
func (n *pnode) words(f func(string)) {
	if n.kind == pWord {
		f(n.word)
	}
	for _, k := range n.kids {
		k.words(f)
	}
}

// maxSteps bounds the backtracking of one utterance.
const maxSteps = 200_000

// matcher fits patterns to one utterance.
type matcher struct {
	s     string
	toks  []token
	end   int // tokens behind it do not belong to what is matched
	fuzzy bool
	lang  string
	steps int
	memo  map[slotKey]slotValue
	slots map[string]span
}

type span struct{ from, to int }

type slotKey struct {
	kind     string
	from, to int
	fuzzy    bool
	lang     string
}

// fits reports whether the pattern covers the tokens from, to; slots then hold what they took.
func (m *matcher) fits(n *pnode, from, to int) bool {
	m.end = to
	m.slots = map[string]span{}
	return m.match(n, from, func(t int) bool { return m.skip(t) == to })
}

// skip passes tokens that are only signs.
func (m *matcher) skip(t int) int {
	for t < m.end && m.toks[t].norm == "" {
		t++
	}
	return t
}

func (m *matcher) match(n *pnode, t int, next func(int) bool) bool {
	if m.steps++; m.steps > maxSteps {
		return false
	}
	switch n.kind {
	case pWord:
		t = m.skip(t)
		return t < m.end && m.same(m.toks[t], n.word) && next(t+1)
	case pSeq:
		return m.seq(n.kids, t, next)
	case pAlt:
		for _, k := range n.kids {
			if m.match(k, t, next) {
				return true
			}
		}
		return false
	case pOpt:
		return m.match(n.kids[0], t, next) || next(t)
	}
	return m.slot(n.word, m.skip(t), next)
}

func (m *matcher) seq(kids []*pnode, t int, next func(int) bool) bool {
	if len(kids) == 0 {
		return next(t)
	}
	return m.match(kids[0], t, func(t int) bool { return m.seq(kids[1:], t, next) })
}

// slot tries the longest text first, for a ref the shortest: "todo 2 is done" is about 2.
func (m *matcher) slot(name string, t int, next func(int) bool) bool {
	kind := strings.TrimRight(name, "0123456789")
	last := min(m.end, t+maxSlot(kind))
	for k := range last - t {
		to := last - k
		if kind == "ref" {
			to = t + 1 + k
		}
		if m.steps++; m.steps > maxSteps {
			return false
		}
		if !m.value(kind, t, to).ok {
			continue
		}
		m.slots[name] = span{t, to}
		if next(to) {
			return true
		}
		delete(m.slots, name)
	}
	return false
}

func (m *matcher) same(t token, word string) bool {
	if t.norm == word {
		return true
	}
	if m.fuzzy {
		for _, a := range t.alts {
			if a == word {
				return true
			}
		}
	}
	return false
}
