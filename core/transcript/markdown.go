package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"jarvis/core"
)

// Markdown writes a conversation for people. Deleted messages and what only models are sent stay out. A message ends where it
// ends: no fence, comment or tag in one of them reaches into the next.
func Markdown(w io.Writer, s Source) error {
	m := &markdown{w: bufio.NewWriterSize(w, 64<<10), words: s.words(), parser: goldmark.New()}
	fmt.Fprintf(m.w, "# %s\n\n%s %s\n", escapeLine(s.title()), m.words.from, when(s.Session.Created))
	for e, err := range s.Entries {
		if err != nil {
			return fmt.Errorf("write session: %w", err)
		}
		if e.Message != nil && !e.Message.Deleted {
			if err := m.message(visible(*e.Message)); err != nil {
				return fmt.Errorf("write session: %w", err)
			}
		}
	}
	if err := m.w.Flush(); err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	return nil
}

type markdown struct {
	w      *bufio.Writer
	words  words
	parser goldmark.Markdown
	by     core.ChainID // whose answer has its heading already
}

func (m *markdown) message(msg core.Message) error {
	switch {
	case msg.Role == core.RoleAssistant || msg.Type == core.TypeToolResult:
		if m.by != msg.Chain && msg.Role == core.RoleAssistant {
			m.by = msg.Chain
			m.heading(msg)
		}
	default:
		m.by = ""
		m.heading(msg)
	}
	switch msg.Type {
	case core.TypeToolUse:
		return m.fold(m.words.call+" "+msg.Tool, indented(msg.Input), "json")
	case core.TypeToolResult:
		label := m.words.result
		if msg.IsError {
			label = m.words.failed
		}
		return m.fold(label+" "+msg.Tool, msg.Text, "")
	case core.TypeReasoning:
		return m.fold(m.words.reasoning, msg.Text, "")
	case core.TypeError:
		_, err := fmt.Fprintf(m.w, "\n%s\n", fenced(msg.Text, ""))
		return err
	}
	for _, a := range msg.Attachments {
		fmt.Fprintf(m.w, "\n- %s (%s, %s)\n", code(a.Name), escapeLine(a.MediaType), bytesOf(a.Size))
	}
	if t := strings.TrimRight(strings.TrimLeft(msg.Text, "\r\n"), " \t\r\n"); t != "" {
		fmt.Fprintf(m.w, "\n%s\n", m.closed(t))
	}
	if msg.Partial {
		fmt.Fprintf(m.w, "\n*%s*\n", m.words.cut)
	}
	return nil
}

func (m *markdown) heading(msg core.Message) {
	fmt.Fprintf(m.w, "\n## %s · %s\n", escapeLine(m.words.who(msg)), when(msg.Created))
}

// fold hides what few want to read. The blank lines let the fence be Markdown inside the HTML.
func (m *markdown) fold(label, content, lang string) error {
	_, err := fmt.Fprintf(m.w, "\n<details><summary>%s</summary>\n\n%s\n\n</details>\n", escapeHTML(oneLineOf(label)), fenced(content, lang))
	return err
}

// fenced gives a code block whose fence is longer than every one inside.
func fenced(content, lang string) string {
	fence := strings.Repeat("`", max(3, longest(content, '`')+1))
	return fence + lang + "\n" + strings.TrimSuffix(content, "\n") + "\n" + fence
}

// code gives a code span.
func code(s string) string {
	ticks := strings.Repeat("`", longest(s, '`')+1)
	return ticks + " " + oneLineOf(s) + " " + ticks
}

func longest(s string, c byte) int {
	best, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		best = max(best, run)
	}
	return best
}

// probe is a heading like the one that follows a message in the file.
const probe = "\n\n## probe of the end\n"

// closed gives Markdown after which a heading is a heading, whatever it leaves open, and in which no HTML is live.
func (m *markdown) closed(t string) string {
	if !strings.ContainsAny(t, "`~<") {
		return t
	}
	for round := 0; strings.Contains(t, "<"); round++ {
		safe := m.escapeTags(t)
		if safe == t {
			break
		}
		if t = safe; round == 8 { // what was a tag may have hidden a fence, which hid a tag: somebody tries
			return fenced(t, "markdown")
		}
	}
	if m.ends(t) {
		return t
	}
	for _, c := range []byte("`~") {
		closer := "\n" + strings.Repeat(string(c), max(3, longest(t, c)))
		if m.ends(t + closer) {
			return t + closer
		}
	}
	return fenced(t, "markdown")
}

// ends reports whether Markdown leaves nothing open.
func (m *markdown) ends(t string) bool {
	src := []byte(t + probe)
	last, ok := m.parser.Parser().Parse(text.NewReader(src)).LastChild().(*ast.Heading)
	return ok && last.Level == 2 && last.Lines().Len() == 1 && bytes.HasPrefix(src[last.Lines().At(0).Start:], []byte("probe of the end"))
}

// escapeTags takes the life out of HTML: a tag becomes text.
func (m *markdown) escapeTags(t string) string {
	src := []byte(t)
	var at []int
	tags := func(segs *text.Segments) {
		for i := range segs.Len() {
			seg := segs.At(i)
			for k := seg.Start; k < seg.Stop; k++ {
				if src[k] == '<' {
					at = append(at, k)
				}
			}
		}
	}
	_ = ast.Walk(m.parser.Parser().Parse(text.NewReader(src)), func(n ast.Node, in bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.RawHTML:
			if in {
				tags(n.Segments)
			}
		case *ast.HTMLBlock:
			if in {
				tags(n.Lines())
				if n.HasClosure() {
					s := text.NewSegments()
					s.Append(n.ClosureLine)
					tags(s)
				}
			}
		}
		return ast.WalkContinue, nil
	}) // no visitor of ours fails
	if len(at) == 0 {
		return t
	}
	slices.Sort(at)
	var b strings.Builder
	from := 0
	for _, k := range slices.Compact(at) {
		b.WriteString(t[from:k])
		b.WriteString("&lt;")
		from = k + 1
	}
	b.WriteString(t[from:])
	return b.String()
}

// escapeLine makes one line of text without meaning in Markdown.
func escapeLine(s string) string {
	var b strings.Builder
	for _, r := range oneLineOf(s) {
		if strings.ContainsRune("\\`*_{}[]<>#|~&!$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func oneLineOf(s string) string { return strings.Join(strings.Fields(s), " ") }

var htmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\x00", "\ufffd")

func escapeHTML(s string) string { return htmlEscapes.Replace(s) }

func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
