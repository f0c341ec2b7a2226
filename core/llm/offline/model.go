// Package offline is the model builtin/offline: it answers a documented set of requests in English and German by rules
// (GRAMMAR.md) and calls the real tools for them. It is no language model and never pretends to be one: what it has not
// understood it admits. It may not look at anything but the request: no clock, no files, no network.
package offline

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"strings"

	"jarvis/core"
	"jarvis/core/llm"
)

// Ref is the model's full name.
const Ref = "builtin/offline"

const (
	providerName = "builtin"
	modelID      = "offline"
	deltaSize    = 24 // bytes of a streamed piece, about what people see from a real model
	maxUtterance = 600
	fileMark     = "File " // begins a text file that came with a message
)

// Options are what the model takes; the zero value works.
type Options struct {
	Log *slog.Logger // nil = none
}

// Model is builtin/offline. It is safe for concurrent use.
type Model struct {
	log      *slog.Logger
	grammars []*grammar // English, German
	words    *lexicon
}

// New makes the model.
func New(o Options) *Model {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	en, de := compile(english()), compile(german())
	return &Model{log: log, grammars: []*grammar{en, de}, words: newLexicon(en, de)}
}

// Ref is "builtin/offline".
func (m *Model) Ref() string { return Ref }

// Info describes the model: free, local, always there.
func (m *Model) Info() llm.Info {
	return llm.Info{
		Ref: Ref, Name: "Built-in rules (not a language model)", Window: 16 << 20, MaxOutput: 1 << 20,
		Price: &llm.Price{}, Tools: true, Local: true, Installed: true,
	}
}

// Matches reports whether the rules understand the newest message of the user wholly, have the tools for it, and answer
// better than a small language model would: arithmetic, units, time, date, todo and help.
func (m *Model) Matches(r llm.Request) bool {
	if len(r.Schema) > 0 {
		return false
	}
	t, ok := newest(r.Messages)
	if !ok || t.blob {
		return false
	}
	in := m.understand(t.text, r.Lang)
	switch in.class {
	case classNone, classSummary, classSmalltalk:
		return false
	}
	for _, c := range in.calls {
		if !offers(r, c.tool) {
			return false
		}
	}
	return true
}

// Stream answers one request. It ends with a call of a tool, or with text.
func (m *Model) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(llm.Delta{}, err)
			return
		}
		if len(r.Schema) > 0 {
			yield(llm.Delta{}, &llm.Error{
				Kind: llm.KindBadRequest, Provider: providerName, Model: modelID, Hint: "jarvis setup",
				Message: "an answer by a schema needs a language model; the built-in rules write text only",
			})
			return
		}
		rep := m.reply(r)
		m.log.Debug("Answered by rules", "class", rep.class, "lang", rep.lang, "calls", len(rep.calls))
		send(ctx, rep, yield)
	}
}

func send(ctx context.Context, rep reply, yield func(llm.Delta, error) bool) {
	for s := rep.text; s != ""; {
		n := min(deltaSize, len(s))
		for n < len(s) && s[n]&0xC0 == 0x80 { // not inside a character
			n++
		}
		if err := ctx.Err(); err != nil {
			yield(llm.Delta{}, err)
			return
		}
		if !yield(llm.Delta{Kind: llm.DeltaText, Text: s[:n]}, nil) {
			return
		}
		s = s[n:]
	}
	for _, c := range rep.calls {
		if !yield(llm.Delta{Kind: llm.DeltaCall, Part: &c}, nil) {
			return
		}
	}
	if !yield(llm.Delta{Kind: llm.DeltaUsage, Usage: &core.Usage{}}, nil) {
		return
	}
	finish := llm.FinishEnd
	if len(rep.calls) > 0 {
		finish = llm.FinishToolUse
	}
	yield(llm.Delta{Kind: llm.DeltaFinish, Finish: finish}, nil)
}

// turn is the newest message of the user and what tools answered since.
type turn struct {
	text    string
	blob    bool // something that only a language model could look at came with it
	results []llm.Part
	uses    int // tool_use parts of the whole request, for the next call's id
}

func newest(msgs []llm.Message) (turn, bool) {
	var t turn
	at := -1
	for i := len(msgs) - 1; i >= 0 && at < 0; i-- {
		if msgs[i].Role != core.RoleUser {
			continue
		}
		var texts []string
		for _, p := range msgs[i].Parts {
			switch p.Type {
			case llm.PartText:
				texts = append(texts, p.Text)
			case llm.PartBlob:
				t.blob = true
			}
		}
		if len(texts) > 0 || t.blob {
			at, t.text = i, typed(texts)
		}
	}
	if at < 0 {
		return turn{}, false
	}
	for i, msg := range msgs {
		for _, p := range msg.Parts {
			if p.Type == llm.PartToolUse {
				t.uses++
			}
			if p.Type == llm.PartToolResult && i > at {
				t.results = append(t.results, p)
			}
		}
	}
	return t, true
}

// typed is what the user typed last, behind its files: a message holds also the questions before it that got no answer, and
// what was noted for it. The last part is always his own, whatever it begins with.
func typed(texts []string) string {
	at := len(texts) - 1
	for at > 0 && strings.HasPrefix(texts[at-1], fileMark) {
		at--
	}
	return strings.Join(texts[max(at, 0):], "\n")
}

func offers(r llm.Request, tool string) bool {
	return r.Choice != "none" && slices.ContainsFunc(r.Tools, func(t llm.Tool) bool { return t.Name == tool })
}
