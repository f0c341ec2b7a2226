package transcript

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"jarvis/core"
	"jarvis/core/transcript/tex"
)

// hostile is what a model might write to get out of its message.
var hostile = []string{
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a <b onclick=alert(1)>b</b>", "<!-- open", "<![CDATA[", "<?php", "<details>",
	"[x](javascript:alert(1))", "[x](  JaVaScRiPt:alert(1))", "[x](java\tscript:alert(1))", "[x](data:text/html,<script>alert(1)</script>)", "[x](vbscript:x)",
	"[x](file:///etc/passwd)", "[x](//evil.example)", "[x](/\\evil)", "<javascript:alert(1)>", "![x](http://evil.example/pixel.png)", "![x](javascript:alert(1))",
	"![x](data:image/svg+xml,<svg onload=alert(1)>)", "[x]: javascript:alert(1)\n\n[x]", "[x](https://a.example/\"onmouseover=alert(1))", "```\"><script>alert(1)</script>\nx\n```",
	"``` <script>\nx", "`<script>`", "| <script>alert(1)</script> | b |\n| --- | --- |\n| <img src=x> | `|` |", "$\\text{</math><script>alert(1)</script>}$",
	"$$\n\\href{javascript:alert(1)}{x}\n$$", "$<img src=x onerror=alert(1)>$", "$$ open", "</section></main></body>", "</style><script>alert(1)</script>", "&#106;avascript:alert(1)",
	"[x](&#106;avascript:alert(1))", "http://a.example/<script>", "www.a.example/\"onclick=x", "~~~\n```\n", "> ```\n> <script>", "1. ```\n   <script>", "<div>\n```\n\n```\n<script>alert(1)</script>\n```\n",
	"<a href=x>\n\n</a>", "\x00<script>", "<scr\x00ipt>", "{{constructor}}", "<meta http-equiv=refresh content=0>", "<base href=http://evil.example>", "<style>*{}</style>", "<svg/onload=alert(1)>",
}

// elements of a page, and what attributes they have.
var allowed = map[string]string{
	"html": "lang", "head": "", "meta": "charset http-equiv content name", "title": "", "style": "", "body": "", "header": "", "h1": "", "main": "",
	"section": "class", "small": "", "div": "class", "details": "", "summary": "", "pre": "", "code": "", "figure": "", "figcaption": "", "a": "href rel", "img": "alt src",
	"p": "", "h2": "", "h3": "", "h4": "", "h5": "", "h6": "", "ul": "", "ol": "start", "li": "", "em": "", "strong": "", "del": "", "br": "", "hr": "", "blockquote": "",
	"table": "", "thead": "", "tbody": "", "tr": "", "th": "style align", "td": "style align", "input": "checked disabled type",
}

// checkPage holds a page to what it may have.
func checkPage(t *testing.T, page string) {
	t.Helper()
	inMath := 0
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		tt := z.Next()
		tok := z.Token()
		switch tt {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				t.Error(z.Err())
			}
			return
		case html.CommentToken:
			t.Errorf("a comment: %s", tok)
		case html.EndTagToken:
			if tok.Data == "math" {
				inMath--
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if tok.Data == "math" {
				inMath++
			}
			if inMath > 0 {
				for _, a := range tok.Attr {
					if strings.HasPrefix(a.Key, "on") || a.Key == "href" || strings.Contains(a.Val, "(") {
						t.Errorf("in a formula: %s", tok)
					}
				}
				continue
			}
			attrs, ok := allowed[tok.Data]
			if !ok {
				t.Errorf("element %s", tok)
			}
			for _, a := range tok.Attr {
				if !strings.Contains(" "+attrs+" ", " "+a.Key+" ") {
					t.Errorf("attribute of %s", tok)
				}
				u, err := url.Parse(a.Val)
				if a.Key == "href" && (err != nil || u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto") {
					t.Errorf("link %s", tok)
				}
				if a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/png;base64,") {
					t.Errorf("image %.80s", tok)
				}
			}
		}
	}
}

func pageOf(t *testing.T, s Source) string {
	t.Helper()
	s.Math = tex.New().MathML
	var b bytes.Buffer
	if err := HTML(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHostileHTML(t *testing.T) {
	for _, text := range hostile {
		s := talk(text, "the next one")
		s.Session.Title = text
		out := pageOf(t, s)
		checkPage(t, out)
		if !strings.Contains(out, "<div class=\"text\">\n<p>the next one</p>") {
			t.Errorf("%q reaches into the next message", text)
		}
		if t.Failed() {
			t.Fatalf("%q:\n%s", text, out)
		}
	}
	checkPage(t, pageOf(t, talk(hostile...)))
}

func TestHTML(t *testing.T) {
	s := talk("| a | b |\n| --- | ---: |\n| 1 | 2 |\n", "Inline $\\frac{a}{b}$ and \\(x^2\\), not $5 and $10.\n\n$$\n\\sum_i x_i\n$$\n\n\\[ E=mc^2 \\]\n\n$$a$$\n\ntext",
		"```go\nfunc main() { <-c }\n```", "see https://a.example and [this](https://b.example/?q=1&r=2)")
	out := pageOf(t, s)
	checkPage(t, out)
	for want, n := range map[string]int{
		"<table>": 1, "<math": 5, "<mfrac>": 1, `display="block"`: 3, "not $5 and $10.": 1, "<figcaption>go</figcaption>": 1, "&lt;-c": 1,
		`href="https://b.example/?q=1&amp;r=2"`: 1, `href="https://a.example"`: 1, "a secret": 0, "today": 0, "<details>": 3, "data:image/png;base64,": 2,
		"default-src &#39;none&#39;": 1, "<title>A &lt;talk&gt;</title>": 1, "cut off": 1,
	} {
		if got := strings.Count(out, want); got != n {
			t.Errorf("%d × %q, want %d", got, want, n)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
	if file := os.Getenv("JARVIS_TEST_PAGE"); file != "" { // to look at it
		shown := pageOf(t, talk(append(gallery, hostile[:8]...)...))
		if err := os.WriteFile(file, []byte(shown), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.Lang = "de"
	if de := pageOf(t, s); !strings.Contains(de, "Werkzeugaufruf") || !strings.Contains(de, `<html lang="de">`) {
		t.Error("not in German")
	}
}

// gallery is for looking at.
var gallery = []string{
	"$$\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}$$", "$$\\begin{pmatrix}1 & 2\\\\3 & 4\\end{pmatrix}\\begin{cases}x & x>0\\\\-x & \\text{otherwise}\\end{cases}$$",
	"$$\\begin{align}a &= b + c\\\\ &= d\\end{align}$$", "$$\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2},\\quad \\lim_{x\\to 0}\\frac{\\sin x}{x} = 1,\\quad \\hat{\\beta} = (X^\\top X)^{-1} X^\\top y$$",
	"| Name | Value |\n| :-- | --: |\n| `a` | $\\alpha^2$ |\n| **b** | 17 |", "```go\nfunc main() {\n\tfmt.Println(\"hi\")\n}\n```\n\n> quoted\n\n1. one\n2. two\n   - [x] done",
	"$$\\left(\\frac{\\partial f}{\\partial x}\\right)_{y} \\in \\mathbb{R}^{n\\times m},\\ \\binom{n}{k},\\ \\sqrt[3]{x+1},\\ \\underbrace{a+b}_{n},\\ f'(x),\\ \\vec{v}\\cdot\\mathbf{w},\\ \\mathcal{L}$$",
}

func TestHTMLLost(t *testing.T) {
	s := talk()
	s.Blob = func(core.Digest) (io.ReadCloser, error) {
		return nil, core.E(core.NotFound, "there is no such attachment", "", nil)
	}
	if out := pageOf(t, s); !strings.Contains(out, "not kept") {
		t.Error(out)
	}
	s.Blob = func(core.Digest) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("<svg onload=alert(1)>")), nil
	}
	if out := pageOf(t, s); strings.Contains(out, "<img") {
		t.Error("something that is no image is shown as one")
	}
}

func markdownOf(t *testing.T, s Source) string {
	t.Helper()
	var b bytes.Buffer
	if err := Markdown(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHostileMarkdown renders what we wrote with HTML let through: nothing that a message says may be an element.
func TestHostileMarkdown(t *testing.T) {
	for _, text := range append(hostile, "````\n```\n", "```\nopen", "~~~~\nopen", "  ```\n  x", "- ```\n  x", "> ~~~\nlazy", "a\n```", "    ```", "`open", "``` `x`", "```\n~~~\n", "~~~\n```\n<script>",
		"<pre>", "<textarea>", "<div>\n`", "<!--\n```\n-->\n<script>", "x <!-- y", "<?", "<!A") {
		md := markdownOf(t, talk(text, "the next one"))
		var b bytes.Buffer
		if err := newUnsafe().Convert([]byte(md), &b); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		for _, live := range []string{"<script", "<img", "<svg", "<meta", "<base", "<style", "<b ", "<!--", "<?", "<textarea", "<scr"} {
			if i := strings.Index(strings.ReplaceAll(out, `<img src="http://evil.example/pixel.png" alt="x">`, ""), live); i >= 0 && !strings.HasPrefix(text, "![") {
				t.Errorf("%q: %s is live in\n%s", text, live, out)
			}
		}
		if !strings.Contains(out, "<p>the next one</p>") {
			t.Errorf("%q reaches into the next message:\n%s\n%s", text, md, out)
		}
		if strings.Count(out, "<details>") != 3 {
			t.Errorf("%q: the tool calls are not folded", text)
		}
	}
}

func TestMarkdown(t *testing.T) {
	md := markdownOf(t, talk("more"))
	for want, n := range map[string]int{
		"# A \\<talk\\>\n": 1, "\n## You · 2026-03-01 12:00 UTC\n": 2, "\n## Assistant · ": 1, "a secret": 0, "today": 0, "<details><summary>Tool call calculate</summary>": 1,
		"\n````\n``` 1": 1, "*cut off*": 1, "&lt;b>this&lt;/b>": 1, "` a.png `": 2,
	} {
		if got := strings.Count(md, want); got != n {
			t.Errorf("%d × %q, want %d", got, want, n)
		}
	}
	if t.Failed() {
		t.Log(md)
	}
}

func FuzzPage(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := pageOf(t, talk(text, "the next one"))
		checkPage(t, out)
		if !strings.Contains(out, "<p>the next one</p>") {
			t.Error("it reaches into the next message")
		}
		var b bytes.Buffer
		if err := newUnsafe().Convert([]byte(markdownOf(t, talk(text, "the next one"))), &b); err != nil || !strings.Contains(b.String(), "<p>the next one</p>") {
			t.Error("in Markdown it reaches into the next message")
		}
	})
}
