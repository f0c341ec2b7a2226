package chat

import (
	"context"
	"fmt"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/prompt"
)

const (
	// unknownWindow is how many tokens of history a model gets whose window nobody knows. Its newest message always goes.
	unknownWindow = 32_768
	// largestWindow is beyond every real model: what says more (rules, which read the newest message) needs no history of it.
	largestWindow = 4 << 20
	// leastAnswer is the room that an answer needs at least.
	leastAnswer = 256
)

// promptInput is what the prompt's blocks depend on.
func (s *Service) promptInput(p core.Params, tools []llm.Tool) prompt.Input {
	return prompt.Input{Tools: tools, System: p.System}
}

// Prompt gives the blocks that the session's next plain request would be sent with. Another user's session is
// core.NotFound.
func (s *Service) Prompt(ctx context.Context, user core.UserID, id core.SessionID) ([]prompt.Block, error) {
	h := s.homeFor(id)
	sess, err := h.store.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	if sess.User != user {
		return nil, notFound("session", string(id))
	}
	var info llm.Info
	// What the prompt is does not depend on a model that answers now; one that is known to take no tools gets no tool rules.
	if m, err := s.d.Models.Resolve(ctx, sess.Model); err == nil {
		info = m.Info()
	}
	return append(prompt.Build(s.promptInput(core.Params{}, s.toolsOf(nil, info))), s.volatile(ctx, sess, "")...), nil
}

// volatile gives the blocks that travel with a new message of a session. That the todos or the marked messages cannot be read is
// no reason to refuse it.
func (s *Service) volatile(ctx context.Context, sess core.Session, tz string) []prompt.Block {
	f := prompt.Facts{Now: s.d.Now(), TZ: tz, Context: sess.Context}
	var err error
	if s.d.Todos != nil {
		if f.Todos, err = s.d.Todos(ctx, sess.User); err != nil {
			s.d.Log.WarnContext(ctx, "Todos cannot be read", "error", err)
		}
	}
	if s.d.Marked != nil && !s.private.HasSession(sess.ID) {
		if f.Marked, err = s.d.Marked(ctx, sess.ID); err != nil {
			s.d.Log.WarnContext(ctx, "Marked messages cannot be read", "session", sess.ID, "error", err)
		}
	}
	return prompt.Volatile(f)
}

// firstRequest is what a model is chosen by: the newest message and all tools of the chain.
func (s *Service) firstRequest(p core.Params, m core.Message) llm.Request {
	return llm.Request{
		Tools:    s.toolsOf(p.Tools, llm.Info{}),
		Messages: []llm.Message{{Role: core.RoleUser, Parts: []llm.Part{{Type: llm.PartText, Text: m.Text}}}},
		Schema:   p.Schema, Lang: p.Lang, TZ: p.TZ,
	}
}

// budget is how many tokens the messages of a request may have.
func (t *turn) budget() int {
	if t.info.Window <= 0 || t.info.Window > largestWindow {
		return unknownWindow
	}
	return t.info.Window - t.maxTokens() - t.fixed - t.info.Window/20
}

// request makes the next request. What has grown beyond the window loses its oldest chains first; when even the newest
// message does not fit, the chain ends.
func (t *turn) request() (llm.Request, error) {
	own := prompt.Whole(t.own, t.files)
	limit := t.maxTokens()
	need := 0
	for {
		need = t.fixed + prompt.Size(t.messages(own))
		if t.info.Window <= 0 || need+limit <= t.info.Window {
			break
		}
		if len(t.older) > 0 {
			t.older = t.older[1:]
		} else if t.before != nil {
			t.before = nil
		} else if t.head != nil {
			t.head = nil
		} else {
			break
		}
		t.omit()
	}
	if w := t.info.Window; w > 0 && need+limit > w {
		if limit = w - need; limit < leastAnswer {
			return llm.Request{}, core.E(core.TooLarge,
				fmt.Sprintf("the message needs about %d tokens, but %s takes %d", need, t.model.Ref(), w), "jarvis model list", nil)
		}
	}
	ms := t.messages(own)
	r := llm.Request{
		System: t.sys, Tools: t.tools, Messages: ms, MaxTokens: limit, Schema: t.c.Params.Schema,
		CacheAfter: t.cachePoints(ms), Lang: t.c.Params.Lang, TZ: t.c.Params.TZ,
	}
	return r, nil
}

func (t *turn) messages(own []llm.Message) []llm.Message {
	return prompt.Join(append(t.past(), own, t.extra)...)
}

// past is what comes from earlier chains: the summary, chains as text, the last one whole.
func (t *turn) past() [][]llm.Message {
	out := t.text()
	if t.before != nil {
		out = append(out, t.before.sent)
	}
	return out
}

// text is the part of it that the next turn shares.
func (t *turn) text() [][]llm.Message {
	out := [][]llm.Message{t.head}
	for _, e := range t.older {
		out = append(out, e.sent)
	}
	return out
}

// cachePoints are the last message of the text-only chains, which the next turn shares, and the last message of all.
func (t *turn) cachePoints(ms []llm.Message) []int {
	var out []int
	text := prompt.Join(t.text()...)
	at := len(text) - 1
	if at >= 0 && len(ms[at].Parts) != len(text[at].Parts) {
		at-- // the next chain's message was joined to it
	}
	if at >= 0 {
		out = append(out, at)
	}
	if last := len(ms) - 1; last > at {
		out = append(out, last)
	}
	return out
}

// earlier is how many leading messages of a request come from earlier chains alone.
func (t *turn) earlier(ms []llm.Message) int {
	old := prompt.Join(t.past()...)
	n := len(old)
	if n > 0 && n <= len(ms) && len(ms[n-1].Parts) != len(old[n-1].Parts) {
		n--
	}
	return n
}
