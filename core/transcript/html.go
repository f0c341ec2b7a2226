package transcript

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/yuin/goldmark"

	"jarvis/core"
)

// policy lets a page show what is in it and nothing else: no script, no request, no form, no frame.
const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

const style = `:root{color-scheme:light dark}
body{margin:0 auto;max-width:52rem;padding:1.5rem;font:16px/1.55 system-ui,sans-serif;overflow-wrap:break-word}
header p,h2 small{color:GrayText;font-weight:normal}
h1{font-size:1.5rem}h2{font-size:1rem;margin:2rem 0 .5rem;border-top:1px solid color-mix(in srgb,currentColor 20%,transparent);padding-top:.7rem}
section.user .text{background:color-mix(in srgb,currentColor 7%,transparent);border-radius:.5rem;padding:.1rem .9rem}
pre{overflow-x:auto;padding:.7rem .9rem;border-radius:.4rem;background:color-mix(in srgb,currentColor 7%,transparent);white-space:pre}
code{font:.9em ui-monospace,monospace}p code,li code,td code{background:color-mix(in srgb,currentColor 7%,transparent);padding:.1em .3em;border-radius:.2em}
figure{margin:1rem 0}figcaption{font-size:.8rem;color:GrayText}figure pre{margin:.2rem 0}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{border:1px solid color-mix(in srgb,currentColor 25%,transparent);padding:.3rem .6rem}
blockquote{margin-left:0;padding-left:1rem;border-left:.25rem solid color-mix(in srgb,currentColor 25%,transparent)}
details{margin:.5rem 0}summary{cursor:pointer;color:GrayText}img{max-width:100%}.math{overflow-x:auto;overflow-y:hidden;padding:.3rem 0}
.error{border-left:.25rem solid #c33;padding-left:1rem}
@media print{details{display:none}}
`

// HTML writes a conversation as one page that needs nothing else: no script, no request, and nothing in it that a model wrote
// is more than text. Deleted messages stay out.
func HTML(w io.Writer, s Source) error {
	p := &page{w: bufio.NewWriterSize(w, 64<<10), words: s.words(), s: s, md: newMarkdown(s.Math)}
	err := p.write()
	if err == nil {
		err = p.w.Flush()
	}
	if err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	return nil
}

type page struct {
	w     *bufio.Writer
	words words
	s     Source
	md    goldmark.Markdown
	open  bool         // a section is
	by    core.ChainID // whose answer it is
	buf   bytes.Buffer
}

func (p *page) write() error {
	lang := "en"
	if p.s.Lang == "de" {
		lang = "de"
	}
	title := escapeHTML(p.s.title())
	fmt.Fprintf(p.w, "<!doctype html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n"+
		"<header><h1>%s</h1><p>%s %s</p></header>\n<main>\n", lang, escapeHTML(policy), title, style, title, escapeHTML(p.words.from),
		escapeHTML(when(p.s.Session.Created)))
	for e, err := range p.s.Entries {
		if err != nil {
			return err
		}
		if e.Message != nil && !e.Message.Deleted {
			if err := p.message(visible(*e.Message)); err != nil {
				return err
			}
		}
	}
	p.end()
	_, err := p.w.WriteString("</main>\n</body>\n</html>\n")
	return err
}

func (p *page) end() {
	if p.open {
		_, _ = p.w.WriteString("</section>\n") // bufio remembers its error
	}
	p.open = false
}

func (p *page) message(m core.Message) error {
	answer := m.Role == core.RoleAssistant || m.Type == core.TypeToolResult
	if !answer || p.by != m.Chain || !p.open {
		p.end()
		class := "assistant"
		switch {
		case m.Type == core.TypeError:
			class = "error"
		case !answer:
			class = "user"
		}
		p.open = true
		fmt.Fprintf(p.w, "<section class=\"%s\"><h2>%s <small>%s</small></h2>\n", class, escapeHTML(p.words.who(m)), escapeHTML(when(m.Created)))
	}
	p.by = ""
	if answer {
		p.by = m.Chain
	}
	switch m.Type {
	case core.TypeToolUse:
		return p.fold(p.words.call+" "+m.Tool, indented(m.Input))
	case core.TypeToolResult:
		label := p.words.result
		if m.IsError {
			label = p.words.failed
		}
		return p.fold(label+" "+m.Tool, m.Text)
	case core.TypeReasoning:
		return p.fold(p.words.reasoning, m.Text)
	case core.TypeError:
		_, err := fmt.Fprintf(p.w, "<p>%s</p>\n", escapeHTML(m.Text))
		return err
	}
	for _, a := range m.Attachments {
		if err := p.attachment(a); err != nil {
			return err
		}
	}
	p.buf.Reset()
	if err := p.md.Convert([]byte(m.Text), &p.buf); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.w, "<div class=\"text\">\n%s</div>\n", p.buf.Bytes()) // bufio remembers its error
	if m.Partial {
		_, _ = fmt.Fprintf(p.w, "<p><em>%s</em></p>\n", escapeHTML(p.words.cut))
	}
	return nil
}

func (p *page) fold(label, content string) error {
	_, err := fmt.Fprintf(p.w, "<details><summary>%s</summary><pre>%s</pre></details>\n", escapeHTML(oneLineOf(label)), escapeHTML(content))
	return err
}

// attachment shows an image, and names everything else.
func (p *page) attachment(a core.Attachment) error {
	note := ""
	if p.s.Blob != nil {
		shown, err := p.image(a)
		if shown || err != nil && !lost(err) {
			return err
		}
		if err != nil {
			note = ", " + p.words.lost
		}
	}
	_, err := fmt.Fprintf(p.w, "<p>📎 %s (%s, %s%s)</p>\n", escapeHTML(a.Name), escapeHTML(a.MediaType), bytesOf(a.Size), escapeHTML(note))
	return err
}

// image writes an attachment that is one into the page.
func (p *page) image(a core.Attachment) (shown bool, err error) {
	if _, err := verify(p.s.Blob, a.Digest); err != nil {
		return false, err
	}
	r, err := p.s.Blob(a.Digest)
	if err != nil {
		return false, err
	}
	defer func() { _ = r.Close() }() // only read
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false, err
	}
	if !image(a.MediaType, head[:n]) {
		return false, nil
	}
	fmt.Fprintf(p.w, "<p><img alt=\"%s\" src=\"data:%s;base64,", escapeHTML(a.Name), escapeHTML(a.MediaType))
	enc := base64.NewEncoder(base64.StdEncoding, p.w)
	if _, err := io.Copy(enc, io.MultiReader(bytes.NewReader(head[:n]), r)); err != nil {
		return false, err
	}
	if err := enc.Close(); err != nil {
		return false, err
	}
	_, err = p.w.WriteString("\"></p>\n")
	return true, err
}
