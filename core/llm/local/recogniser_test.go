package local

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A recogniser for the part of GBNF that Grammar writes, made for the tests: it says whether a text is derived by a grammar.
// It tries all ways, so texts must be short.

type matcher func(s []rune, pos int, next func(int) bool) bool

type gbnfParser struct {
	in    []rune
	pos   int
	rules map[string]matcher
	refs  map[string]bool
}

// recogniser parses a grammar; every rule it mentions must be there.
func recogniser(grammar string) (func(string) bool, error) {
	p := &gbnfParser{rules: map[string]matcher{}, refs: map[string]bool{}}
	for _, line := range strings.Split(strings.TrimSuffix(grammar, "\n"), "\n") {
		name, body, ok := strings.Cut(line, " ::= ")
		if !ok || p.rules[name] != nil {
			return nil, fmt.Errorf("bad or double rule %q", line)
		}
		p.in, p.pos = []rune(body), 0
		m, err := p.alts()
		if err == nil && p.pos != len(p.in) {
			err = fmt.Errorf("rest %q", string(p.in[p.pos:]))
		}
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", name, err)
		}
		p.rules[name] = m
	}
	for r := range p.refs {
		if p.rules[r] == nil {
			return nil, fmt.Errorf("no rule %q", r)
		}
	}
	if p.rules["root"] == nil {
		return nil, errors.New("no root")
	}
	return func(s string) bool {
		rs := []rune(s)
		return p.rules["root"](rs, 0, func(i int) bool { return i == len(rs) })
	}, nil
}

func (p *gbnfParser) space() {
	for p.pos < len(p.in) && p.in[p.pos] == ' ' {
		p.pos++
	}
}

func (p *gbnfParser) peek() rune {
	if p.pos < len(p.in) {
		return p.in[p.pos]
	}
	return 0
}

func (p *gbnfParser) alts() (matcher, error) {
	var list []matcher
	for {
		m, err := p.seq()
		if err != nil {
			return nil, err
		}
		list = append(list, m)
		if p.peek() != '|' {
			break
		}
		p.pos++
	}
	return func(s []rune, pos int, next func(int) bool) bool {
		for _, m := range list {
			if m(s, pos, next) {
				return true
			}
		}
		return false
	}, nil
}

func (p *gbnfParser) seq() (matcher, error) {
	var list []matcher
	for {
		p.space()
		if c := p.peek(); c == 0 || c == '|' || c == ')' {
			break
		}
		m, err := p.item()
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	if len(list) == 0 {
		return nil, errors.New("empty alternative")
	}
	m := list[len(list)-1]
	for i := len(list) - 2; i >= 0; i-- {
		m = both(list[i], m)
	}
	return m, nil
}

func both(a, b matcher) matcher {
	return func(s []rune, pos int, next func(int) bool) bool {
		return a(s, pos, func(i int) bool { return b(s, i, next) })
	}
}

func (p *gbnfParser) item() (matcher, error) {
	m, err := p.atom()
	if err != nil {
		return nil, err
	}
	low, high := 1, 1
	switch p.peek() {
	case '?':
		p.pos++
		low = 0
	case '{':
		end := strings.IndexRune(string(p.in[p.pos:]), '}')
		if end < 0 {
			return nil, errors.New("open repetition")
		}
		a, b, ok := strings.Cut(string(p.in[p.pos+1:p.pos+end]), ",")
		p.pos += end + 1
		low, err = strconv.Atoi(a)
		if high, _ = strconv.Atoi(b); !ok || err != nil || high < low || high == 0 || high > 2000 {
			return nil, fmt.Errorf("bad repetition %q,%q", a, b)
		}
	}
	if low == 1 && high == 1 {
		return m, nil
	}
	var rep func(n int) matcher
	rep = func(n int) matcher {
		return func(s []rune, pos int, next func(int) bool) bool {
			if n < high && m(s, pos, func(i int) bool { return i > pos && rep(n+1)(s, i, next) }) {
				return true
			}
			return n >= low && next(pos)
		}
	}
	return rep(0), nil
}

func (p *gbnfParser) atom() (matcher, error) {
	switch c := p.peek(); c {
	case '(':
		p.pos++
		m, err := p.alts()
		if err == nil && p.peek() != ')' {
			err = errors.New("open group")
		}
		p.pos++
		return m, err
	case '"':
		return p.literal()
	case '[':
		return p.class()
	default:
		start := p.pos
		for c := p.peek(); c >= 'a' && c <= 'z' || c >= '0' && c <= '9'; c = p.peek() {
			p.pos++
		}
		name := string(p.in[start:p.pos])
		if name == "" {
			return nil, fmt.Errorf("unexpected %q", c)
		}
		p.refs[name] = true
		return func(s []rune, pos int, next func(int) bool) bool { return p.rules[name](s, pos, next) }, nil
	}
}

// char reads one character of a literal or class, escapes resolved.
func (p *gbnfParser) char() (rune, error) {
	c := p.peek()
	p.pos++
	if c != '\\' {
		return c, nil
	}
	c = p.peek()
	p.pos++
	switch c {
	case '"', '\\', ']', '[':
		return c, nil
	case 'x':
		n, err := strconv.ParseUint(string(p.in[p.pos:min(p.pos+2, len(p.in))]), 16, 8)
		p.pos += 2
		return rune(n), err
	}
	return 0, fmt.Errorf("bad escape %q", c)
}

func (p *gbnfParser) literal() (matcher, error) {
	var want []rune
	for p.pos++; p.peek() != '"'; {
		if p.pos >= len(p.in) {
			return nil, errors.New("open literal")
		}
		c, err := p.char()
		if err != nil {
			return nil, err
		}
		want = append(want, c)
	}
	p.pos++
	return func(s []rune, pos int, next func(int) bool) bool {
		if len(s)-pos < len(want) || string(s[pos:pos+len(want)]) != string(want) {
			return false
		}
		return next(pos + len(want))
	}, nil
}

func (p *gbnfParser) class() (matcher, error) {
	p.pos++
	not := p.peek() == '^'
	if not {
		p.pos++
	}
	type span struct{ a, b rune }
	var spans []span
	for p.peek() != ']' {
		if p.pos >= len(p.in) {
			return nil, errors.New("open class")
		}
		a, err := p.char()
		if err != nil {
			return nil, err
		}
		b := a
		if p.peek() == '-' && p.pos+1 < len(p.in) && p.in[p.pos+1] != ']' {
			p.pos++
			if b, err = p.char(); err != nil {
				return nil, err
			}
		}
		spans = append(spans, span{a, b})
	}
	p.pos++
	return func(s []rune, pos int, next func(int) bool) bool {
		if pos >= len(s) {
			return false
		}
		in := false
		for _, x := range spans {
			in = in || s[pos] >= x.a && s[pos] <= x.b
		}
		return in != not && next(pos+1)
	}, nil
}
