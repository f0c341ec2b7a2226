// Package tex renders TeX formulas as MathML: what models and people write in conversations, that is LaTeX's mathematics with
// amsmath's matrices and alignments, and no macros. Formulas come from models: length and depth are bounded, the time grows
// with the length alone, and nothing of a formula becomes an element or attribute but what stands in the tables here. It may
// know nothing of sessions.
package tex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a formula.
const (
	maxIn    = 8 << 10 // bytes
	maxDepth = 60      // of groups in groups
)

// Renderer has the tables of what is known. It is safe for concurrent use.
type Renderer struct {
	symbols   map[string]symbol
	alphabets map[string]string
	accents   map[string]accent
	spaces    map[string]string
	functions map[string]bool
	commands  map[string]func(*parser) atom
	delims    map[string]string
	tables    map[string]table
	infixes   map[string]func(above, below string) string
}

// New makes a renderer.
func New() *Renderer {
	return &Renderer{
		symbols: symbolTable(), alphabets: alphabetTable(), accents: accentTable(), spaces: spaceTable(), functions: functionTable(),
		commands: commandTable(), delims: delimTable(), tables: tableTable(), infixes: infixTable(),
	}
}

// MathML renders a formula; false when it is none, or has what the tables here lack: then it is better shown as it was written.
func (r *Renderer) MathML(tex string, display bool) (string, bool) {
	if len(tex) > maxIn || !utf8.ValidString(tex) {
		return "", false
	}
	p := &parser{t: r, in: tex, display: display}
	body := p.row(untilEnd)
	if p.failed {
		return "", false
	}
	head := `<math xmlns="http://www.w3.org/1998/Math/MathML">`
	if display {
		head = `<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">`
	}
	return head + "<mrow>" + body + "</mrow></math>", true
}

type parser struct {
	t       *Renderer
	in      string
	at      int
	depth   int
	display bool
	failed  bool
	variant string // of letters: \mathbf …
}

// The ends of a row.
const (
	untilEnd   = ""
	untilBrace = "}"
	untilRight = `\right`
	untilCell  = "&"  // or \\ or \end
	untilLine  = "&}" // or \\: in a stack
	untilBrack = "]"
)

// atom is a piece of a formula before its scripts: one element, or nothing.
type atom struct {
	ml     string
	limits bool // scripts stand above and below when displayed
}

func (p *parser) fail() atom {
	p.failed = true
	return atom{}
}

// row reads until an end, which it leaves for its caller.
func (p *parser) row(until string) string {
	if p.depth++; p.depth > maxDepth {
		p.failed = true
	}
	defer func(v string) { p.depth--; p.variant = v }(p.variant)
	var b strings.Builder
	for !p.failed {
		p.space()
		if p.ends(until) {
			return b.String()
		}
		if infix := p.infix(); infix != nil { // a \over b: what came is above
			below := p.row(until)
			return infix("<mrow>"+b.String()+"</mrow>", "<mrow>"+below+"</mrow>")
		}
		b.WriteString(p.scripted())
	}
	return ""
}

func (p *parser) ends(until string) bool {
	rest := p.in[p.at:]
	switch until {
	case untilEnd:
		if rest == "" {
			return true
		}
	case untilCell, untilLine:
		if until == untilLine && strings.HasPrefix(rest, "}") {
			return true
		}
		if strings.HasPrefix(rest, "&") || strings.HasPrefix(rest, `\\`) || p.isCommand("end") || p.isCommand("cr") {
			return true
		}
	case untilRight:
		if p.isCommand("right") {
			return true
		}
		if p.isCommand("middle") {
			return false
		}
	default:
		if strings.HasPrefix(rest, until) {
			return true
		}
	}
	if rest == "" || rest[0] == '}' || rest[0] == '&' {
		p.failed = true
	}
	return p.failed
}

func (p *parser) isCommand(name string) bool {
	rest := p.in[p.at:]
	return strings.HasPrefix(rest, `\`+name) && (len(rest) == len(name)+1 || !isLetter(rest[len(name)+1]))
}

// space skips what has no meaning between atoms: blanks and comments.
func (p *parser) space() {
	for p.at < len(p.in) {
		switch p.in[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		case '%':
			if i := strings.IndexByte(p.in[p.at:], '\n'); i >= 0 {
				p.at += i
			} else {
				p.at = len(p.in)
			}
		default:
			return
		}
	}
}

// infix reads \over and its kin.
func (p *parser) infix() func(above, below string) string {
	for name, make := range p.t.infixes {
		if p.isCommand(name) {
			p.at += len(name) + 1
			return make
		}
	}
	return nil
}

// scripted reads an atom with its scripts and primes.
func (p *parser) scripted() string {
	a := p.atom()
	var sub, sup string
	var hasSub, hasSup bool
	for !p.failed {
		p.space()
		switch {
		case p.take("_") && !hasSub:
			hasSub, sub = true, p.arg()
		case p.take("^") && !hasSup:
			hasSup = true
			sup += p.arg()
		case p.take("'") && !hasSup:
			n := 1
			for p.take("'") {
				n++
			}
			sup += "<mo>" + strings.Repeat("′", n) + "</mo>"
			if p.take("^") {
				sup += p.arg()
			}
			hasSup = true
		case p.isCommand("limits"):
			p.at += len(`\limits`)
			a.limits = true
			continue
		case p.isCommand("nolimits"):
			p.at += len(`\nolimits`)
			a.limits = false
			continue
		default:
			return scripts(a, sub, sup, hasSub, hasSup, a.limits && p.display)
		}
		if p.at < len(p.in) && (hasSub && p.in[p.at] == '_' || hasSup && p.in[p.at] == '^') {
			p.failed = true // a double script
		}
	}
	return ""
}

func scripts(a atom, sub, sup string, hasSub, hasSup, over bool) string {
	base := a.ml
	if base == "" {
		base = "<mrow></mrow>"
	}
	sub, sup = "<mrow>"+sub+"</mrow>", "<mrow>"+sup+"</mrow>"
	names := [3]string{"msub", "msup", "msubsup"}
	if over {
		names = [3]string{"munder", "mover", "munderover"}
	}
	switch {
	case hasSub && hasSup:
		return tag(names[2], base+sub+sup)
	case hasSub:
		return tag(names[0], base+sub)
	case hasSup:
		return tag(names[1], base+sup)
	}
	return a.ml
}

func tag(name, content string) string { return "<" + name + ">" + content + "</" + name + ">" }

func (p *parser) take(s string) bool {
	if strings.HasPrefix(p.in[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

// arg reads what a command or a script applies to: a group, or one atom.
func (p *parser) arg() string {
	p.space()
	if p.at >= len(p.in) || strings.ContainsRune("}&^_", rune(p.in[p.at])) {
		return p.fail().ml
	}
	if p.take("{") {
		return p.group()
	}
	if c := p.in[p.at]; c >= '0' && c <= '9' {
		p.at++
		return p.number(string(c))
	}
	if p.depth++; p.depth > maxDepth {
		return p.fail().ml
	}
	defer func() { p.depth-- }()
	if ml := p.atom().ml; ml != "" {
		return ml
	}
	return "<mrow></mrow>" // a script or a half of a fraction is one element, always
}

// group reads to the closing brace of one that is open.
func (p *parser) group() string {
	in := p.row(untilBrace)
	p.take("}")
	return tag("mrow", in)
}

func (p *parser) atom() atom {
	if p.at >= len(p.in) {
		return p.fail()
	}
	rest := p.in[p.at:]
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case r == '\\':
		return p.command()
	case r == '{':
		p.at++
		return atom{ml: p.group()}
	case r == '^' || r == '_' || r == '\'': // scripts of nothing
		return atom{}
	case r == '~':
		p.at++
		return atom{ml: `<mtext>&#160;</mtext>`}
	case r == '#' || r == '$' || unicode.IsControl(r):
		return p.fail()
	case r >= '0' && r <= '9' || r == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		i := 0
		for i < len(rest) && (rest[i] >= '0' && rest[i] <= '9' || (rest[i] == '.' || rest[i] == ',') && i+1 < len(rest) && rest[i+1] >= '0' && rest[i+1] <= '9') {
			i++
		}
		p.at += i
		return atom{ml: p.number(rest[:i])}
	}
	p.at += n
	if unicode.IsLetter(r) {
		return atom{ml: p.letter(string(r))}
	}
	return atom{ml: operator(string(r))}
}

// number gives digits in the alphabet that is in force.
func (p *parser) number(s string) string {
	return "<mn>" + strings.Map(func(r rune) rune { return styled(r, p.variant) }, s) + "</mn>"
}

// letter gives a letter in the alphabet that is in force.
func (p *parser) letter(s string) string {
	switch p.variant {
	case "":
		return "<mi>" + s + "</mi>"
	case "normal":
		return `<mi mathvariant="normal">` + s + "</mi>"
	}
	r, _ := utf8.DecodeRuneInString(s)
	return "<mi>" + string(styled(r, p.variant)) + "</mi>"
}

// operator gives a character that is no letter and no digit.
func operator(s string) string {
	switch s {
	case "-":
		s = "−"
	case "*":
		s = "∗"
	case "(", ")", "[", "]", "|":
		return `<mo stretchy="false">` + s + "</mo>"
	case "/":
		return "<mo>/</mo>"
	case ":":
		return "<mo>:</mo>"
	}
	return "<mo>" + escape(s) + "</mo>"
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
