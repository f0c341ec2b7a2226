package tex

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func infixTable() map[string]func(above, below string) string {
	return map[string]func(above, below string) string{
		"over":   func(a, b string) string { return tag("mfrac", a+b) },
		"atop":   func(a, b string) string { return `<mfrac linethickness="0">` + a + b + "</mfrac>" },
		"choose": binom,
	}
}

func binom(a, b string) string {
	return "<mrow><mo>(</mo>" + `<mfrac linethickness="0">` + a + b + "</mfrac><mo>)</mo></mrow>"
}

// command reads one command with its arguments.
func (p *parser) command() atom {
	name := p.name()
	if s, ok := p.t.symbols[name]; ok {
		return s.atom(p)
	}
	if v, ok := p.t.alphabets[name]; ok {
		return atom{ml: p.alphabet(v)}
	}
	if a, ok := p.t.accents[name]; ok {
		return atom{ml: a.over(p.arg())}
	}
	if width, ok := p.t.spaces[name]; ok {
		return atom{ml: `<mspace width="` + width + `"></mspace>`}
	}
	if limits, ok := p.t.functions[name]; ok {
		return atom{ml: function(name), limits: limits}
	}
	if f, ok := p.t.commands[name]; ok {
		return f(p)
	}
	return p.fail()
}

// name reads a command's name: letters, or one other character.
func (p *parser) name() string {
	p.at++ // the backslash
	rest := p.in[p.at:]
	i := 0
	for i < len(rest) && isLetter(rest[i]) {
		i++
	}
	if i == 0 && rest != "" {
		_, i = utf8.DecodeRuneInString(rest)
	}
	p.at += i
	name := rest[:i]
	if (name == "operatorname") && p.take("*") {
		name += "*"
	}
	return name
}

// alphabet reads an argument in an alphabet.
func (p *parser) alphabet(variant string) string {
	old := p.variant
	p.variant = variant
	out := p.arg()
	p.variant = old
	return out
}

func function(name string) string {
	if name == "limsup" || name == "liminf" || name == "argmax" || name == "argmin" {
		name = name[:3] + "\u2009" + name[3:]
	}
	return `<mo lspace="0.1667em" rspace="0.1667em" movablelimits="false">` + name + "</mo>"
}

func fraction(style string) func(*parser) atom {
	return func(p *parser) atom {
		above := p.arg()
		ml := tag("mfrac", above+p.arg())
		if style != "" {
			ml = "<mstyle " + style + ">" + ml + "</mstyle>"
		}
		return atom{ml: ml}
	}
}

func commandTable() map[string]func(*parser) atom {
	m := map[string]func(*parser) atom{
		"frac": fraction(""), "cfrac": fraction(`displaystyle="true"`), "dfrac": fraction(`displaystyle="true" scriptlevel="0"`),
		"tfrac": fraction(`displaystyle="false" scriptlevel="0"`),
		"sqrt":  root, "left": leftRight, "begin": environment, "not": negated,
		"displaystyle": styleOf(`displaystyle="true" scriptlevel="0"`), "textstyle": styleOf(`displaystyle="false" scriptlevel="0"`),
		"scriptstyle":   styleOf(`displaystyle="false" scriptlevel="1"`),
		"operatorname":  func(p *parser) atom { return atom{ml: operatorName(p)} },
		"operatorname*": func(p *parser) atom { return atom{ml: operatorName(p), limits: true} },
		"stackrel":      overset, "overset": overset, "underset": underset,
		"overbrace": brace("⏞", true), "underbrace": brace("⏟", false),
		"boxed": func(p *parser) atom {
			return atom{ml: `<mrow style="border:1px solid;padding:3pt">` + p.arg() + "</mrow>"}
		},
		"phantom": func(p *parser) atom { return atom{ml: tag("mphantom", p.arg())} },
		"cancel": func(p *parser) atom {
			return atom{ml: `<menclose notation="updiagonalstrike">` + p.arg() + "</menclose>"}
		},
		"mod": func(*parser) atom {
			return atom{ml: `<mo lspace="1em" rspace="0.33em">mod</mo>`}
		},
		"bmod": func(*parser) atom { return atom{ml: `<mo lspace="0.2em" rspace="0.2em">mod</mo>`} },
		"pmod": func(p *parser) atom {
			return atom{ml: `<mrow><mspace width="1em"></mspace><mo>(</mo><mo lspace="0" rspace="0.33em">mod</mo>` + p.arg() + "<mo>)</mo></mrow>"}
		},
		"tag": func(p *parser) atom {
			return atom{ml: `<mrow><mspace width="2em"></mspace><mtext>(` + escape(p.text()) + ")</mtext></mrow>"}
		},
		"xrightarrow": arrow("→"), "xleftarrow": arrow("←"),
		"substack": func(p *parser) atom { return substack(p) },
		"middle":   func(p *parser) atom { return delimiter(p, "") },
		"nonumber": nothing, "notag": nothing, "label": func(p *parser) atom { p.text(); return atom{} },
		"mathop":  func(p *parser) atom { return atom{ml: p.arg(), limits: true} },
		"mathbin": plain, "mathrel": plain, "mathord": plain, "mathopen": plain, "mathclose": plain, "mathpunct": plain, "mathinner": plain,
		"mathstrut": nothing, "strut": nothing, "allowbreak": nothing,
	}
	for _, n := range []string{"binom", "dbinom", "tbinom"} {
		m[n] = func(p *parser) atom { a := p.arg(); return atom{ml: binom(a, p.arg())} }
	}
	for _, n := range []string{"text", "textrm", "textnormal", "mbox", "hbox", "textit", "textbf", "textsf", "texttt"} {
		m[n] = func(p *parser) atom { return atom{ml: "<mtext>" + spaced(p.text()) + "</mtext>"} }
	}
	for n, size := range map[string]string{
		"big": "1.2em", "bigl": "1.2em", "bigr": "1.2em", "bigm": "1.2em", "Big": "1.8em", "Bigl": "1.8em", "Bigr": "1.8em", "Bigm": "1.8em",
		"bigg": "2.4em", "biggl": "2.4em", "biggr": "2.4em", "biggm": "2.4em", "Bigg": "3em", "Biggl": "3em", "Biggr": "3em",
	} {
		m[n] = func(p *parser) atom { return delimiter(p, size) }
	}
	return m
}

func nothing(*parser) atom { return atom{} }

func plain(p *parser) atom { return atom{ml: p.arg()} }

// styleOf applies to the rest of the row.
func styleOf(attrs string) func(*parser) atom {
	return func(p *parser) atom {
		// What follows is read by the row that this command stands in; the style is put around the next atom alone, which is what
		// people mean by it in front of a sum or a fraction.
		p.space()
		if p.at >= len(p.in) || strings.ContainsRune("}&", rune(p.in[p.at])) || p.isCommand("right") || p.isCommand("end") || strings.HasPrefix(p.in[p.at:], `\\`) {
			return atom{}
		}
		if p.depth++; p.depth > maxDepth {
			return p.fail()
		}
		old := p.display
		p.display = attrs[14] == 't' // displaystyle="true"
		in := p.scripted()
		p.display = old
		p.depth--
		return atom{ml: "<mstyle " + attrs + ">" + in + "</mstyle>"}
	}
}

func root(p *parser) atom {
	p.space()
	if !p.take("[") {
		return atom{ml: tag("msqrt", p.arg())}
	}
	index := p.row(untilBrack)
	p.take("]")
	return atom{ml: tag("mroot", p.arg()+tag("mrow", index))}
}

func operatorName(p *parser) string {
	return `<mo lspace="0.1667em" rspace="0.1667em" movablelimits="false">` + escape(p.text()) + "</mo>"
}

func overset(p *parser) atom {
	over := p.arg()
	return atom{ml: tag("mover", p.arg()+over)}
}

func underset(p *parser) atom {
	under := p.arg()
	return atom{ml: tag("munder", p.arg()+under)}
}

func brace(mark string, over bool) func(*parser) atom {
	return func(p *parser) atom {
		name := "munder"
		if over {
			name = "mover"
		}
		return atom{ml: tag(name, p.arg()+`<mo stretchy="true">`+mark+"</mo>"), limits: true}
	}
}

func arrow(mark string) func(*parser) atom {
	return func(p *parser) atom {
		p.space()
		under := ""
		if p.take("[") {
			under = p.row(untilBrack)
			p.take("]")
		}
		over := p.arg()
		ml := `<mo stretchy="true">` + mark + "</mo>"
		if under != "" {
			return atom{ml: tag("munderover", ml+tag("mrow", under)+over)}
		}
		return atom{ml: tag("mover", ml+over)}
	}
}

// negated puts a stroke through what follows.
func negated(p *parser) atom {
	p.space()
	next := p.atom().ml
	i := strings.LastIndex(next, "</m")
	if i < 0 {
		return p.fail()
	}
	return atom{ml: next[:i] + "\u0338" + next[i:]}
}

// text reads a group of text as it stands.
func (p *parser) text() string {
	p.space()
	if !p.take("{") {
		p.failed = true
		return ""
	}
	depth := 1
	var b strings.Builder
	for p.at < len(p.in) {
		c := p.in[p.at]
		p.at++
		switch {
		case c == '\\' && p.at < len(p.in) && strings.IndexByte(`{}$%&#_ `, p.in[p.at]) >= 0:
			c = p.in[p.at]
			p.at++
		case c == '\\' || c == '$': // commands or formulas in text
			p.failed = true
			return ""
		case c == '{':
			depth++
			continue
		case c == '}':
			if depth--; depth == 0 {
				return b.String()
			}
			continue
		case c < ' ' && c != '\t' && c != '\n' && c != '\r':
			p.failed = true
			return ""
		}
		b.WriteByte(c)
	}
	p.failed = true
	return ""
}

// spaced keeps the spaces at the ends of a text, which MathML would drop.
func spaced(s string) string {
	t := strings.TrimSpace(s)
	if t == "" {
		return strings.Repeat("&#160;", min(len(s), 4))
	}
	out := escape(t)
	if s[0] == ' ' {
		out = "&#160;" + out
	}
	if s[len(s)-1] == ' ' {
		out += "&#160;"
	}
	return out
}

// delim reads a delimiter; "" is none.
func (p *parser) delim() string {
	p.space()
	if p.at >= len(p.in) {
		p.failed = true
		return ""
	}
	if p.in[p.at] == '\\' {
		if d, ok := p.t.delims[p.name()]; ok {
			return d
		}
		p.failed = true
		return ""
	}
	r, n := utf8.DecodeRuneInString(p.in[p.at:])
	p.at += n
	switch r {
	case '.':
		return ""
	case '<':
		return "⟨"
	case '>':
		return "⟩"
	}
	if !strings.ContainsRune("()[]|/⟨⟩‖", r) {
		p.failed = true
	}
	return string(r)
}

func fence(d string) string {
	if d == "" {
		return ""
	}
	return `<mo stretchy="true">` + escape(d) + "</mo>"
}

func leftRight(p *parser) atom {
	left := p.delim()
	in := p.row(untilRight)
	if !p.isCommand("right") {
		return p.fail()
	}
	p.at += len(`\right`)
	return atom{ml: tag("mrow", fence(left)+tag("mrow", in)+fence(p.delim()))}
}

func delimiter(p *parser, size string) atom {
	d := p.delim()
	if d == "" {
		return atom{}
	}
	attrs := `stretchy="true"`
	if size != "" {
		attrs += ` minsize="` + size + `" maxsize="` + size + `"`
	}
	return atom{ml: "<mo " + attrs + ">" + escape(d) + "</mo>"}
}

// An environment is a table: what stands around it, and how its columns lie ("" = in the middle).
type table struct {
	left, right string
	align       string // r and l by column, repeated
	display     bool
	columns     bool // takes an argument with its columns
	wide        bool
	stack       bool // ends with a brace
}

func (t table) until() string {
	if t.stack {
		return untilLine
	}
	return untilCell
}

func environment(p *parser) atom {
	name := strings.TrimSuffix(p.text(), "*")
	t, ok := p.t.tables[name]
	if !ok {
		return p.fail()
	}
	if t.columns {
		t.align = ""
		for _, c := range p.text() {
			if strings.ContainsRune("lcr", c) {
				t.align += string(c)
			} else if !strings.ContainsRune("| ", c) {
				return p.fail()
			}
		}
	}
	body := p.rows(t, func() bool { return p.isCommand("end") })
	if p.failed {
		return atom{}
	}
	p.at += len(`\end`)
	if strings.TrimSuffix(p.text(), "*") != name {
		return p.fail()
	}
	return atom{ml: tag("mrow", fence(t.left)+body+fence(t.right))}
}

// maxCells bounds a table.
const maxCells = 2000

// rows reads the rows of a table up to its end, which it leaves.
func (p *parser) rows(t table, end func() bool) string {
	var b strings.Builder
	attrs := ""
	if t.display {
		attrs = ` displaystyle="true"`
	}
	old := p.display
	p.display = t.display
	defer func() { p.display = old }()
	b.WriteString("<mtable" + attrs + ">")
	for cells := 0; !p.failed; {
		p.skipLines()
		if end() {
			break
		}
		b.WriteString("<mtr>")
		for col := 0; !p.failed; col++ {
			if cells++; cells > maxCells {
				return p.fail().ml
			}
			b.WriteString("<mtd" + t.cell(col) + ">" + tag("mrow", p.row(t.until())) + "</mtd>")
			if !p.take("&") {
				break
			}
		}
		b.WriteString("</mtr>")
		if p.take(`\\`) {
			p.skipGap()
			continue
		}
		if p.isCommand("cr") {
			p.at += len(`\cr`)
			continue
		}
		if !end() {
			p.failed = true
		}
	}
	b.WriteString("</mtable>")
	return b.String()
}

// cell is how a column lies.
func (t table) cell(col int) string {
	style := ""
	if t.align != "" {
		switch t.align[col%len(t.align)] {
		case 'l':
			style = "text-align:left"
		case 'r':
			style = "text-align:right"
		}
	}
	if t.wide { // an alignment: nothing between the two sides of a relation
		pad := "padding-left:0;padding-right:0"
		if col > 0 && col%2 == 0 {
			pad = "padding-left:2em;padding-right:0"
		}
		style = strings.TrimPrefix(style+";"+pad, ";")
	}
	if style == "" {
		return ""
	}
	return ` style="` + style + `"`
}

// skipLines leaves the lines between rows out.
func (p *parser) skipLines() {
	for {
		p.space()
		if !p.isCommand("hline") {
			return
		}
		p.at += len(`\hline`)
	}
}

// skipGap reads the \\[2pt] of a row's end.
func (p *parser) skipGap() {
	p.take("*")
	if strings.HasPrefix(p.in[p.at:], "[") {
		if i := strings.IndexByte(p.in[p.at:], ']'); i > 0 && i < 20 {
			if _, err := strconv.ParseFloat(strings.TrimRight(p.in[p.at+1:p.at+i], "abcdefghijklmnopqrstuvwxyz "), 64); err == nil {
				p.at += i + 1
			}
		}
	}
}

func substack(p *parser) atom {
	p.space()
	if !p.take("{") {
		return p.fail()
	}
	body := p.rows(table{stack: true}, func() bool { return p.at < len(p.in) && p.in[p.at] == '}' })
	p.take("}")
	return atom{ml: body}
}
