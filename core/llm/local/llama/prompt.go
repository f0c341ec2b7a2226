package llama

import (
	"crypto/rand"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hybridgroup/yzma/pkg/llama"
	"github.com/hybridgroup/yzma/pkg/message"
	"github.com/hybridgroup/yzma/pkg/template"

	"jarvis/core/llm/local/wire"
)

// tokens turns a conversation into the prompt's tokens.
//
// The template sees placeholders instead of the texts, and each text is tokenised apart with control tokens off. A user who
// writes <|im_end|> writes nine characters; in one piece with the template it would end his turn and begin another.
func (e *engine) tokens(msgs []wire.Message) ([]llama.Token, error) {
	if len(msgs) == 0 {
		return nil, &wire.Error{Code: wire.ErrRequest, Message: "no message"}
	}
	pieces, err := render(e.tmpl, msgs)
	if err != nil {
		pieces, err = render(chatML, msgs)
	}
	if err != nil {
		return nil, &wire.Error{Code: wire.ErrRequest, Message: "the chat template does not render: " + err.Error()}
	}
	var out []llama.Token
	for i, p := range pieces {
		if p = clean(p); p == "" {
			continue
		}
		out = append(out, llama.Tokenize(e.vocab, p, false, i%2 == 0)...)
	}
	// the template is not given bos_token; a vocabulary that wants it gets it once
	if llama.VocabGetAddBOS(e.vocab) {
		if bos := llama.VocabBOS(e.vocab); bos >= 0 && (len(out) == 0 || out[0] != bos) {
			out = append([]llama.Token{bos}, out...)
		}
	}
	if len(out) == 0 {
		return nil, &wire.Error{Code: wire.ErrRequest, Message: "the prompt is empty"}
	}
	return out, nil
}

// clean drops what C would read as the end of a string, and what is no UTF-8.
func clean(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ReplaceAll(s, "\x00", "")
}

// chatML serves files without a usable template; most small models were trained with it.
const chatML = `{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

// render gives the rendered conversation cut at the texts: pieces with an even index are the template's own, those with an odd
// one are the messages' texts, in order.
func render(tmpl string, msgs []wire.Message) (pieces []string, err error) {
	if tmpl == "" {
		return nil, fmt.Errorf("none in the file")
	}
	defer func() { // a template comes with the file: hostile input to an interpreter
		if r := recover(); r != nil {
			pieces, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	nonce := rand.Text()
	in := make([]message.Message, len(msgs))
	for i, m := range msgs {
		in[i] = message.Chat{Role: m.Role, Content: mark(nonce, i)}
	}
	opts := template.DefaultOptions()
	opts.EnableThinking = false
	s, err := template.ApplyWithOptions(tmpl, in, true, opts)
	if err != nil {
		return nil, err
	}
	for i, m := range msgs {
		before, after, ok := strings.Cut(s, mark(nonce, i))
		if !ok || strings.Contains(before, nonce) {
			return nil, fmt.Errorf("it drops, repeats or moves a message")
		}
		pieces = append(pieces, before, m.Text)
		s = after
	}
	if strings.Contains(s, nonce) {
		return nil, fmt.Errorf("it repeats a message")
	}
	return append(pieces, s), nil
}

func mark(nonce string, i int) string { return fmt.Sprintf("%s-%d-", nonce, i) }

// wholeRunes is the length of the longest prefix that does not end inside a rune.
func wholeRunes(b []byte) int {
	for i := 1; i <= utf8.UTFMax-1 && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return len(b) - i
			}
			break
		}
	}
	return len(b)
}
