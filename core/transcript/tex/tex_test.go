package tex

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// formulas are what people and models write, with a part of what must come out.
var formulas = map[string]string{
	`\frac{a}{b}`: "<mfrac>", `\begin{pmatrix}1&2\\3&4\end{pmatrix}`: "<mtable>", `\sqrt{x}`: "<msqrt>", `\sqrt[3]{x+1}`: "<mroot>",
	`\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}`: "<msubsup>", `\text{<script>alert(1)</script>}`: "&lt;script&gt;",
	`\begin{align}a&=b\\c&=d\end{align}`: "text-align:right", `\begin{cases} x & x > 0 \\ -x & \text{otherwise} \end{cases}`: "otherwise",
	`\sum_{i=1}^{n} i = \frac{n(n+1)}{2}`: "<munderover>", `\mathbb{R}^n \to \mathbb R`: "ℝ", `\mathbf{v}\cdot\vec{w}`: "𝐯", `f'(x)`: "′",
	`\left(\frac{1}{2}\right)^2`: `stretchy="true"`, `\lim_{x\to 0} \frac{\sin x}{x} = 1`: "lim", `a < b & c`: "", `E = mc^2`: "<msup>",
	`\binom{n}{k} = {n \choose k}`: `linethickness="0"`, `x_1, \ldots, x_n`: "…", `\hat{\beta} = (X^\top X)^{-1} X^\top y`: "accent",
	`\begin{array}{|c|rl} \hline 1 & 2 & 3 \\ \hline\end{array}`: "<mtable>", `\operatorname{softmax}(z)_i = \frac{e^{z_i}}{\sum_j e^{z_j}}`: "softmax",
	`P(A \mid B) = \frac{P(B \mid A)\,P(A)}{P(B)}`: "∣", `\nabla \times \mathbf{E} = -\frac{\partial \mathbf{B}}{\partial t}`: "∇",
	`\underbrace{a+b}_{n}`: "⏟", `\not= \not\in`: "\u0338", `a \equiv b \pmod{n}`: "mod", `x^{2^{3}}`: "<msup>", `{}_2F_1`: "<msub>", `1{,}000 + 3.14`: "3.14",
	`\displaystyle\sum_k k`: "<mstyle", `\big( x \big)`: "minsize", `\overline{AB}`: "‾", `ä + 中`: "ä", `50\%`: "%", `\{1,2\}`: "{", `f: A \hookrightarrow B`: "↪",
	`\begin{aligned} a &= b + c \\[2pt] &\quad + d \end{aligned}`: "<mtr>", `\sum_{\substack{i<n \\ j<m}} a`: "<mtable>", `\tag{1} x`: "(1)",
	`% comment` + "\n" + `x`: "<mi>x</mi>", `\mathcal{L}`: "ℒ", `a \over b`: "<mfrac>", `x''^2`: "′′", `\ce{H2O}`: "", `\unknown`: "", `a^b^c`: "", `{a`: "", `a}`: "",
	`\frac{a}`: "", `\left( x`: "", `\begin{matrix} x`: "", `x_`: "", `\`: "", `&`: "", `$`: "", `#1`: "", `\text{a $b$}`: "", `\href{javascript:alert(1)}{x}`: "", `\begin{x}\end{x}`: "",
}

func TestMathML(t *testing.T) {
	r := New()
	for tex, want := range formulas {
		got, ok := r.MathML(tex, true)
		if ok != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, %v; want %q", tex, got, ok, want)
		}
		if ok {
			harmless(t, tex, got)
		}
	}
}

// harmless holds what comes out to well-formed presentation MathML.
func harmless(t *testing.T, tex, ml string) {
	t.Helper()
	elements := " math mrow mi mn mo mtext mspace mfrac msqrt mroot mstyle mphantom menclose msub msup msubsup munder mover munderover mtable mtr mtd "
	attributes := " xmlns display displaystyle scriptlevel mathvariant stretchy largeop movablelimits accent accentunder lspace rspace minsize maxsize linethickness width notation style "
	children := map[string]int{"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3}
	var names []string
	var counts []int
	for d := xml.NewDecoder(strings.NewReader(ml)); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v in %s", tex, err, ml)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			if !strings.Contains(elements, " "+e.Name.Local+" ") {
				t.Errorf("%q: element %s", tex, e.Name.Local)
			}
			for _, a := range e.Attr {
				if !strings.Contains(attributes, " "+a.Name.Local+" ") || strings.ContainsAny(a.Value, `"<>`) {
					t.Errorf("%q: attribute %s=%q", tex, a.Name.Local, a.Value)
				}
			}
			if len(counts) > 0 {
				counts[len(counts)-1]++
			}
			names, counts = append(names, e.Name.Local), append(counts, 0)
		case xml.EndElement:
			n := len(names) - 1
			if want, ok := children[names[n]]; ok && counts[n] != want {
				t.Errorf("%q: %s has %d children: %s", tex, names[n], counts[n], ml)
			}
			names, counts = names[:n], counts[:n]
		}
	}
}

func TestHostile(t *testing.T) {
	r := New()
	for _, tex := range []string{
		strings.Repeat("{", 8000), strings.Repeat(`\frac`, 1600), strings.Repeat(`\left(`, 1300), strings.Repeat("x", maxIn+1), "\x00", "\xff", "a\x1bb",
		strings.Repeat(`\sqrt{`, 600) + strings.Repeat("}", 600), strings.Repeat(`x^`, 4000), strings.Repeat(`\hat`, 2000), strings.Repeat(`\not`, 2000),
		strings.Repeat(`\displaystyle`, 600), strings.Repeat(`\begin{matrix}`, 500), strings.Repeat(`\over `, 1300), strings.Repeat(`\mathbf`, 1100),
	} {
		start := time.Now()
		if got, ok := r.MathML(tex, false); ok {
			t.Errorf("%.40s: %.80s", tex, got)
		}
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%.40s took %v", tex, d)
		}
	}
	many := `\begin{matrix}` + strings.Repeat(`&`, maxCells+1) + `\end{matrix}`
	if _, ok := r.MathML(many, false); ok {
		t.Error("a huge table is taken")
	}
}

func FuzzMathML(f *testing.F) {
	for tex := range formulas {
		f.Add(tex, true)
	}
	r := New()
	f.Fuzz(func(t *testing.T, tex string, display bool) {
		if got, ok := r.MathML(tex, display); ok {
			harmless(t, tex, got)
		}
	})
}
