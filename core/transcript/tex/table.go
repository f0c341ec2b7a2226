package tex

import "unicode"

// symbol is a command that stands for one character.
type symbol struct {
	char string
	kind byte // i = a letter, n = an upright letter, o = an operator, b = a big one, l = a big one with limits, d = a delimiter
}

func (s symbol) atom(p *parser) atom {
	switch s.kind {
	case 'i':
		return atom{ml: p.letter(s.char)}
	case 'n':
		return atom{ml: `<mi mathvariant="normal">` + s.char + "</mi>"}
	case 'b':
		return atom{ml: `<mo largeop="true">` + s.char + "</mo>"}
	case 'l':
		return atom{ml: `<mo largeop="true" movablelimits="false">` + s.char + "</mo>", limits: true}
	case 'd':
		return atom{ml: `<mo stretchy="false">` + escape(s.char) + "</mo>"}
	}
	return atom{ml: "<mo>" + escape(s.char) + "</mo>"}
}

func pairs(m map[string]symbol, kind byte, names ...string) {
	for i := 0; i+1 < len(names); i += 2 {
		m[names[i]] = symbol{char: names[i+1], kind: kind}
	}
}

func symbolTable() map[string]symbol {
	m := map[string]symbol{}
	pairs(m, 'i', "alpha", "α", "beta", "β", "gamma", "γ", "delta", "δ", "epsilon", "ϵ", "varepsilon", "ε", "zeta", "ζ", "eta", "η",
		"theta", "θ", "vartheta", "ϑ", "iota", "ι", "kappa", "κ", "lambda", "λ", "mu", "μ", "nu", "ν", "xi", "ξ", "pi", "π", "varpi", "ϖ",
		"rho", "ρ", "varrho", "ϱ", "sigma", "σ", "varsigma", "ς", "tau", "τ", "upsilon", "υ", "phi", "ϕ", "varphi", "φ", "chi", "χ",
		"psi", "ψ", "omega", "ω", "ell", "ℓ", "hbar", "ℏ", "imath", "ı", "jmath", "ȷ", "wp", "℘", "omicron", "ο", "digamma", "ϝ")
	pairs(m, 'n', "Gamma", "Γ", "Delta", "Δ", "Theta", "Θ", "Lambda", "Λ", "Xi", "Ξ", "Pi", "Π", "Sigma", "Σ", "Upsilon", "Υ", "Phi", "Φ",
		"Psi", "Ψ", "Omega", "Ω", "infty", "∞", "partial", "∂", "nabla", "∇", "emptyset", "∅", "varnothing", "∅", "aleph", "ℵ", "beth", "ℶ",
		"Re", "ℜ", "Im", "ℑ", "top", "⊤", "bot", "⊥", "angle", "∠", "triangle", "△", "square", "□", "Box", "□", "blacksquare", "■",
		"diamond", "⋄", "star", "⋆", "prime", "′", "degree", "°", "forall", "∀", "exists", "∃", "nexists", "∄", "S", "§", "P", "¶",
		"dots", "…", "ldots", "…", "cdots", "⋯", "vdots", "⋮", "ddots", "⋱", "dotsc", "…", "dotsb", "⋯", "checkmark", "✓", "AA", "Å",
		"%", "%", "$", "$", "#", "#", "_", "_", "&", "&amp;", "complement", "∁", "surd", "√", "flat", "♭", "sharp", "♯", "natural", "♮")
	pairs(m, 'o', "times", "×", "div", "÷", "cdot", "⋅", "ast", "∗", "pm", "±", "mp", "∓", "circ", "∘", "bullet", "∙", "oplus", "⊕",
		"ominus", "⊖", "otimes", "⊗", "odot", "⊙", "cup", "∪", "cap", "∩", "sqcup", "⊔", "sqcap", "⊓", "uplus", "⊎", "setminus", "∖",
		"wedge", "∧", "land", "∧", "vee", "∨", "lor", "∨", "neg", "¬", "lnot", "¬", "le", "≤", "leq", "≤", "leqslant", "⩽", "ge", "≥",
		"geq", "≥", "geqslant", "⩾", "ll", "≪", "gg", "≫", "ne", "≠", "neq", "≠", "equiv", "≡", "sim", "∼", "simeq", "≃", "approx", "≈",
		"cong", "≅", "propto", "∝", "asymp", "≍", "doteq", "≐", "prec", "≺", "succ", "≻", "preceq", "⪯", "succeq", "⪰", "in", "∈",
		"notin", "∉", "ni", "∋", "subset", "⊂", "subseteq", "⊆", "subsetneq", "⊊", "supset", "⊃", "supseteq", "⊇", "supsetneq", "⊋",
		"to", "→", "rightarrow", "→", "gets", "←", "leftarrow", "←", "leftrightarrow", "↔", "Rightarrow", "⇒", "Leftarrow", "⇐",
		"Leftrightarrow", "⇔", "iff", "⟺", "implies", "⟹", "impliedby", "⟸", "longrightarrow", "⟶", "longleftarrow", "⟵",
		"Longrightarrow", "⟹", "Longleftarrow", "⟸", "Longleftrightarrow", "⟺", "longleftrightarrow", "⟷", "mapsto", "↦",
		"longmapsto", "⟼", "hookrightarrow", "↪", "hookleftarrow", "↩", "uparrow", "↑", "downarrow", "↓", "updownarrow", "↕",
		"Uparrow", "⇑", "Downarrow", "⇓", "nearrow", "↗", "searrow", "↘", "swarrow", "↙", "nwarrow", "↖", "rightharpoonup", "⇀",
		"rightleftharpoons", "⇌", "leadsto", "⇝", "perp", "⊥", "parallel", "∥", "nparallel", "∦", "mid", "∣", "nmid", "∤", "vdash", "⊢",
		"dashv", "⊣", "models", "⊨", "vDash", "⊨", "colon", ":", "coloneqq", "≔", "triangleq", "≜", "lesssim", "≲", "gtrsim", "≳",
		"therefore", "∴", "because", "∵", "dagger", "†", "ddagger", "‡", "amalg", "⨿", "wr", "≀", "bowtie", "⋈", "trianglelefteq", "⊴",
		"triangleleft", "◃", "triangleright", "▹", "nsubseteq", "⊈", "ltimes", "⋉", "rtimes", "⋊", "lll", "⋘", "ggg", "⋙", "nless", "≮",
		"sqsubseteq", "⊑", "sqsupseteq", "⊒", "backslash", "∖")
	pairs(m, 'l', "sum", "∑", "prod", "∏", "coprod", "∐", "bigcup", "⋃", "bigcap", "⋂", "bigvee", "⋁", "bigwedge", "⋀", "bigoplus", "⨁",
		"bigotimes", "⨂", "bigodot", "⨀", "bigsqcup", "⨆", "biguplus", "⨄")
	pairs(m, 'b', "int", "∫", "iint", "∬", "iiint", "∭", "oint", "∮", "oiint", "∯")
	for name, d := range delimTable() {
		if _, taken := m[name]; !taken && d != "" {
			m[name] = symbol{char: d, kind: 'd'}
		}
	}
	return m
}

func delimTable() map[string]string {
	return map[string]string{
		"{": "{", "}": "}", "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]", "langle": "⟨", "rangle": "⟩", "|": "‖", "Vert": "‖",
		"vert": "|", "lvert": "|", "rvert": "|", "lVert": "‖", "rVert": "‖", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉",
		"uparrow": "↑", "downarrow": "↓", "backslash": "\\",
	}
}

func tableTable() map[string]table {
	return map[string]table{
		"matrix": {}, "smallmatrix": {}, "pmatrix": {left: "(", right: ")"}, "bmatrix": {left: "[", right: "]"},
		"Bmatrix": {left: "{", right: "}"}, "vmatrix": {left: "|", right: "|"}, "Vmatrix": {left: "‖", right: "‖"},
		"array": {columns: true}, "cases": {left: "{", align: "l"}, "dcases": {left: "{", align: "l", display: true},
		"rcases": {right: "}", align: "l"}, "align": {align: "rl", display: true, wide: true},
		"aligned": {align: "rl", display: true, wide: true}, "split": {align: "rl", display: true, wide: true},
		"eqnarray": {align: "rcl", display: true}, "gather": {display: true}, "gathered": {display: true}, "equation": {display: true},
		"multline": {display: true}, "subarray": {columns: true},
	}
}

// accent is a mark over or under what it applies to.
type accent struct {
	mark           string
	under, stretch bool
}

func (a accent) over(on string) string {
	name, attr, stretch := "mover", ` accent="true"`, "false"
	if a.under {
		name, attr = "munder", ` accentunder="true"`
	}
	if a.stretch {
		stretch = "true"
	}
	return "<" + name + attr + ">" + on + `<mo stretchy="` + stretch + `">` + a.mark + "</mo></" + name + ">"
}

func accentTable() map[string]accent {
	return map[string]accent{
		"hat": {mark: "^"}, "widehat": {mark: "^", stretch: true}, "tilde": {mark: "~"}, "widetilde": {mark: "~", stretch: true},
		"bar": {mark: "¯"}, "overline": {mark: "‾", stretch: true}, "underline": {mark: "_", under: true, stretch: true},
		"vec": {mark: "→"}, "overrightarrow": {mark: "→", stretch: true}, "overleftarrow": {mark: "←", stretch: true},
		"dot": {mark: "˙"}, "ddot": {mark: "¨"}, "dddot": {mark: "⃛"}, "acute": {mark: "´"}, "grave": {mark: "`"}, "check": {mark: "ˇ"},
		"breve": {mark: "˘"}, "mathring": {mark: "˚"},
	}
}

func spaceTable() map[string]string {
	return map[string]string{
		",": "0.1667em", "thinspace": "0.1667em", ":": "0.2222em", ">": "0.2222em", "medspace": "0.2222em", ";": "0.2778em",
		"thickspace": "0.2778em", "!": "-0.1667em", "negthinspace": "-0.1667em", " ": "0.25em", "enspace": "0.5em", "quad": "1em", "qquad": "2em", "\n": "0.25em",
		"hfill": "1em",
	}
}

// functionTable has the names that are written upright; true: with limits below.
func functionTable() map[string]bool {
	m := map[string]bool{}
	for _, n := range []string{
		"sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "coth", "exp", "log", "ln", "lg",
		"deg", "dim", "hom", "ker", "arg",
	} {
		m[n] = false
	}
	for _, n := range []string{"lim", "limsup", "liminf", "max", "min", "sup", "inf", "det", "gcd", "Pr", "argmax", "argmin"} {
		m[n] = true
	}
	return m
}

func alphabetTable() map[string]string {
	return map[string]string{
		"mathbf": "bold", "boldsymbol": "bold-italic", "bm": "bold-italic", "mathbb": "double", "mathcal": "script", "mathscr": "script",
		"mathfrak": "fraktur", "mathrm": "normal", "mathup": "normal", "mathit": "", "mathnormal": "", "mathsf": "sans", "mathtt": "mono",
	}
}

// bases are where Unicode has an alphabet: capitals, small letters and digits; 0 = it has none.
var bases = map[string][3]rune{
	"bold": {0x1d400, 0x1d41a, 0x1d7ce}, "bold-italic": {0x1d468, 0x1d482, 0x1d7ce}, "double": {0x1d538, 0x1d552, 0x1d7d8},
	"script": {0x1d49c, 0x1d4b6, 0}, "fraktur": {0x1d504, 0x1d51e, 0}, "sans": {0x1d5a0, 0x1d5ba, 0x1d7e2}, "mono": {0x1d670, 0x1d68a, 0x1d7f6},
}

// exceptions are letters that Unicode had before it had their alphabet.
var exceptions = map[string]map[rune]rune{
	"double":  {'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ'},
	"script":  {'B': 'ℬ', 'E': 'ℰ', 'F': 'ℱ', 'H': 'ℋ', 'I': 'ℐ', 'L': 'ℒ', 'M': 'ℳ', 'R': 'ℛ', 'e': 'ℯ', 'g': 'ℊ', 'o': 'ℴ'},
	"fraktur": {'C': 'ℭ', 'H': 'ℌ', 'I': 'ℑ', 'R': 'ℜ', 'Z': 'ℨ'},
}

// styled gives a letter or digit of an alphabet, itself when that has none.
func styled(r rune, variant string) rune {
	if e, ok := exceptions[variant][r]; ok {
		return e
	}
	b := bases[variant]
	switch {
	case b[0] == 0:
		return r
	case r >= 'A' && r <= 'Z':
		return b[0] + r - 'A'
	case r >= 'a' && r <= 'z':
		return b[1] + r - 'a'
	case r >= '0' && r <= '9' && b[2] != 0:
		return b[2] + r - '0'
	case variant == "bold" && unicode.Is(unicode.Greek, r) && r >= 'α' && r <= 'ω':
		return 0x1d6c2 + r - 'α'
	case variant == "bold-italic" && r >= 'α' && r <= 'ω':
		return 0x1d736 + r - 'α'
	}
	return r
}
