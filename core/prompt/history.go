package prompt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"jarvis/core"
	"jarvis/core/llm"
)

// ResultLimit is how many characters of a tool's result a model gets; the store has all of it.
const ResultLimit = 20_000

// Interrupted is the result of a tool call that a crash left without one.
const Interrupted = "interrupted; it may or may not have run"

// TextOnly gives an older chain: the texts of user and assistant, no tools, no reasoning, attachments by name.
func TextOnly(ms []core.Message) []llm.Message {
	b := &builder{}
	for _, m := range ms {
		switch {
		case m.Deleted || m.Type != core.TypeText:
		case m.Role == core.RoleUser:
			b.user(m, nil)
		case m.Role == core.RoleAssistant:
			b.assistant(textPart(m.Text))
		}
	}
	return b.done()
}

// Whole gives a chain with its tool calls and results, every call with exactly one result behind it and every result with
// its call before it, whatever the store holds. files are the request's attachments as parts; nil leaves them as names.
func Whole(ms []core.Message, files []llm.Part) []llm.Message {
	b := &builder{}
	gone := deletedCalls(ms)
	for _, m := range ms {
		if m.Deleted || m.Call != "" && gone[m.Call] {
			continue
		}
		switch m.Type {
		case core.TypeText:
			switch m.Role {
			case core.RoleUser:
				b.user(m, files)
				files = nil
			case core.RoleAssistant:
				b.assistant(textPart(m.Text))
			}
		case core.TypeReasoning:
			// Without the provider's signature it is of no use to anyone.
			if m.Opaque != nil {
				b.assistant(llm.Part{Type: llm.PartReasoning, Text: m.Text, Opaque: m.Opaque})
			}
		case core.TypeToolUse:
			b.call(m)
		case core.TypeToolResult:
			b.result(m)
		}
	}
	return b.done()
}

// deletedCalls are the calls of which a person has deleted either half. The other goes too: a call whose result was deleted did
// run, and must not be told as interrupted.
func deletedCalls(ms []core.Message) map[core.CallID]bool {
	gone := map[core.CallID]bool{}
	for _, m := range ms {
		if m.Deleted && m.Call != "" {
			gone[m.Call] = true
		}
	}
	return gone
}

// Join puts chains one behind the other so that strict providers take them: neighbours of one role become one message, the
// first message is the user's, and no result stands there without its call.
func Join(chains ...[]llm.Message) []llm.Message {
	var out []llm.Message
	dropped := map[core.CallID]bool{}
	for _, ms := range chains {
		for _, m := range ms {
			m.Parts = withoutResults(m.Parts, dropped)
			first := len(out) == 0 && m.Role != core.RoleUser
			for _, p := range m.Parts {
				if p.Type == llm.PartToolUse {
					dropped[p.Call] = first // services use an id again
				}
			}
			if first {
				continue
			}
			if len(m.Parts) == 0 {
				continue
			}
			if n := len(out); n > 0 && out[n-1].Role == m.Role {
				parts := out[n-1].Parts
				out[n-1].Parts = append(parts[:len(parts):len(parts)], m.Parts...)
				continue
			}
			out = append(out, m)
		}
	}
	return out
}

// withoutResults leaves out the results of calls.
func withoutResults(parts []llm.Part, of map[core.CallID]bool) []llm.Part {
	if len(of) == 0 {
		return parts
	}
	return slices.DeleteFunc(slices.Clone(parts), func(p llm.Part) bool { return p.Type == llm.PartToolResult && of[p.Call] })
}

// Size estimates the tokens of messages: bytes/3.5 and a little for each message.
func Size(ms []llm.Message) int {
	n := 0
	for _, m := range ms {
		n += 4
		for _, p := range m.Parts {
			if p.Type == llm.PartBlob {
				n += blobTokens
				continue
			}
			n += Tokens(len(p.Text) + len(p.Args) + len(p.Name))
		}
	}
	return n
}

// blobTokens is what an image costs with most providers; a PDF costs more, which only its provider can count.
const blobTokens = 1600

// Tokens estimates how many tokens n bytes of text are.
func Tokens(n int) int { return (n*2 + 6) / 7 }

// builder collects one chain's messages and pairs calls with results.
type builder struct {
	out     []llm.Message
	pending []llm.Part               // calls of the newest assistant message, in order
	results map[core.CallID]llm.Part // theirs, as far as they came
}

func (b *builder) user(m core.Message, files []llm.Part) {
	b.flush()
	var parts []llm.Part
	if m.Context != "" {
		parts = append(parts, textPart(m.Context))
	}
	if files != nil {
		parts = append(parts, files...)
	} else {
		for _, a := range m.Attachments {
			parts = append(parts, textPart(placeholder(a)))
		}
	}
	if strings.TrimSpace(m.Text) != "" {
		parts = append(parts, textPart(m.Text))
	}
	if len(parts) > 0 {
		b.add(core.RoleUser, parts...)
	}
}

func (b *builder) assistant(p llm.Part) {
	if len(b.results) > 0 {
		b.flush()
	}
	if p.Type == llm.PartText && strings.TrimSpace(p.Text) == "" {
		return
	}
	b.add(core.RoleAssistant, p)
}

func (b *builder) call(m core.Message) {
	args := m.Input
	if len(args) == 0 {
		args = []byte("{}")
	}
	p := llm.Part{Type: llm.PartToolUse, Call: m.Call, Name: m.Tool, Args: args, Opaque: m.Opaque}
	if len(b.results) > 0 {
		b.flush()
	}
	for _, c := range b.pending {
		if c.Call == m.Call {
			return
		}
	}
	b.add(core.RoleAssistant, p)
	b.pending = append(b.pending, p)
}

func (b *builder) result(m core.Message) {
	for _, c := range b.pending {
		if c.Call != m.Call {
			continue
		}
		if b.results == nil {
			b.results = map[core.CallID]llm.Part{}
		}
		if _, twice := b.results[m.Call]; !twice {
			text, _ := CutResult(m.Text)
			b.results[m.Call] = llm.Part{Type: llm.PartToolResult, Call: m.Call, Name: m.Tool, Text: text, IsError: m.IsError}
		}
		return
	}
}

// flush closes the newest assistant message's calls with their results, in call order.
func (b *builder) flush() {
	if len(b.pending) == 0 {
		return
	}
	parts := make([]llm.Part, len(b.pending))
	for i, c := range b.pending {
		r, ok := b.results[c.Call]
		if !ok {
			r = llm.Part{Type: llm.PartToolResult, Call: c.Call, Name: c.Name, Text: Interrupted, IsError: true}
		}
		parts[i] = r
	}
	b.pending, b.results = nil, nil
	b.add(core.RoleUser, parts...)
}

func (b *builder) add(role string, parts ...llm.Part) {
	if n := len(b.out); n > 0 && b.out[n-1].Role == role {
		b.out[n-1].Parts = append(b.out[n-1].Parts, parts...)
		return
	}
	b.out = append(b.out, llm.Message{Role: role, Parts: parts})
}

func (b *builder) done() []llm.Message {
	b.flush()
	// An assistant message of reasoning alone (the text was deleted, or never came) is refused by providers.
	out := b.out[:0]
	for _, m := range b.out {
		if m.Role == core.RoleAssistant && onlyReasoning(m.Parts) {
			continue
		}
		out = append(out, m)
	}
	return Join(out)
}

func onlyReasoning(parts []llm.Part) bool {
	for _, p := range parts {
		if p.Type != llm.PartReasoning {
			return false
		}
	}
	return true
}

// CutResult cuts a tool's result to ResultLimit characters and says how many are missing.
func CutResult(s string) (text string, cut bool) {
	if len(s) <= ResultLimit {
		return s, false
	}
	total := utf8.RuneCountInString(s)
	if total <= ResultLimit {
		return s, false
	}
	at, n := 0, 0
	for at = range s {
		if n == ResultLimit {
			break
		}
		n++
	}
	return fmt.Sprintf("%s\n[cut: %d more characters]", s[:at], total-ResultLimit), true
}

func placeholder(a core.Attachment) string {
	return fmt.Sprintf("[attachment of an earlier message: %s, %s, %d bytes]", a.Name, a.MediaType, a.Size)
}

func textPart(s string) llm.Part { return llm.Part{Type: llm.PartText, Text: s} }
