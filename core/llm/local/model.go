package local

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/llm/local/wire"
)

// The sampling that suits small models; a request's own temperature goes first.
const (
	temperature = 0.2
	topP        = 0.9
)

// model is one installed model.
type model struct {
	p   *Provider
	man manifest
}

// Ref is "local/<name>".
func (m *model) Ref() string { return Name + "/" + m.man.Name }

// Info is what the manifest tells.
func (m *model) Info() llm.Info { return m.man.info(true) }

// Stream answers one request, when its turn has come: a worker answers one at a time.
func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		open := true
		emit := func(d llm.Delta) bool {
			open = open && yield(d, nil)
			return open
		}
		if err := m.answer(ctx, req, emit); err != nil && open {
			yield(llm.Delta{}, err)
		}
	}
}

func (m *model) answer(ctx context.Context, req llm.Request, emit func(llm.Delta) bool) error {
	r := m.p.runner(m.man.Name)
	g, err := m.request(req)
	if err != nil {
		return err
	}
	if err := r.acquire(ctx); err != nil {
		return err
	}
	defer r.release()
	select {
	case <-m.p.closed:
		return r.closing()
	default:
	}
	if err := r.ready(ctx, m.man); err != nil {
		return err
	}
	if n := m.p.note(m.man); n != "" && !emit(llm.Delta{Kind: llm.DeltaNotice, Text: n}) {
		return nil
	}
	some := false
	done, err := r.generate(ctx, g, func(s string) bool {
		some = some || strings.TrimSpace(s) != ""
		return emit(llm.Delta{Kind: llm.DeltaText, Text: s})
	})
	if done != nil {
		u := &core.Usage{In: int64(done.Prompt - done.Reused), CacheRead: int64(done.Reused), Out: int64(done.Out)}
		if !emit(llm.Delta{Kind: llm.DeltaUsage, Usage: u}) {
			return nil
		}
	}
	if err != nil {
		return err
	}
	if done == nil {
		return r.err(llm.KindMalformed, "the model worker ended an answer without saying how", "", nil)
	}
	if !some && done.Stop == wire.StopEnd {
		return r.err(llm.KindEmpty, "the model gave an empty answer", "", nil)
	}
	emit(llm.Delta{Kind: llm.DeltaFinish, Finish: finish(done.Stop)})
	return nil
}

func finish(stop string) string {
	if stop == wire.StopMax || stop == wire.StopFull {
		return llm.FinishMaxTokens
	}
	return llm.FinishEnd
}

// request turns a request into the worker's.
func (m *model) request(req llm.Request) (*wire.Generate, error) {
	g := &wire.Generate{MaxTokens: req.MaxTokens, Temperature: temperature, TopP: topP, Seed: rand.Uint32()}
	if limit := m.Info().MaxOutput; g.MaxTokens <= 0 || g.MaxTokens > limit {
		g.MaxTokens = limit
	}
	if req.Temperature != nil {
		g.Temperature = *req.Temperature
	}
	g.Messages = messages(req)
	if len(req.Schema) > 0 {
		var ok bool
		if g.Grammar, ok = Grammar(req.Schema); !ok {
			g.Grammar, _ = looseGrammar(req.Schema) // "" when that is impossible too
		}
	}
	n := 0
	for _, x := range g.Messages {
		n += len(x.Text)
	}
	// No token stands for more than 256 bytes: a prompt that cannot fit is refused before it crosses the socket.
	if w := m.Info().Window; n > w*256 {
		return nil, &llm.Error{
			Kind: llm.KindTooLong, Provider: Name, Model: m.man.Name,
			Message: fmt.Sprintf("the prompt has %d bytes, the window is %d tokens", n, w),
		}
	}
	return g, nil
}

// defaultSystem goes in when the request has no system prompt: the line that the model's own template would put there instead
// ruins its answers.
const defaultSystem = "You are a helpful assistant."

// messages gives the conversation as text, roles alternating behind one system message.
func messages(req llm.Request) []wire.Message {
	var sys []string
	for _, b := range req.System {
		if s := strings.TrimSpace(b.Text); s != "" {
			sys = append(sys, s)
		}
	}
	if len(sys) == 0 {
		sys = []string{defaultSystem}
	}
	if len(req.Schema) > 0 {
		sys = append(sys, "Answer with one JSON value of this JSON schema and nothing else: "+string(req.Schema))
	}
	out := []wire.Message{{Role: "system", Text: strings.Join(sys, "\n\n")}}
	for _, msg := range req.Messages {
		role := "user"
		if msg.Role == core.RoleAssistant {
			role = "assistant"
		}
		text := partsText(msg.Parts)
		if text == "" {
			continue
		}
		if last := &out[len(out)-1]; last.Role == role {
			last.Text += "\n\n" + text
			continue
		}
		out = append(out, wire.Message{Role: role, Text: text})
	}
	return out
}

// partsText is what a model without eyes and tools can be told of a message.
func partsText(parts []llm.Part) string {
	var out []string
	for _, p := range parts {
		switch p.Type {
		case llm.PartText:
			if p.Text != "" {
				out = append(out, p.Text)
			}
		case llm.PartToolUse:
			out = append(out, fmt.Sprintf("[called the tool %s with %s]", p.Name, p.Args))
		case llm.PartToolResult:
			out = append(out, "[the tool answered: "+p.Text+"]")
		case llm.PartBlob:
			out = append(out, fmt.Sprintf("[the attachment %s (%s), which you cannot read]", p.Name, p.MediaType))
		}
	}
	return strings.Join(out, "\n\n")
}
