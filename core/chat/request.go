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
	h := s.disk
	if s.private.HasSession(id) {
		h = home{store: s.private, journal: s.private.Journal()}
	}
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
	return append(prompt.Build(s.promptInput(core.Params{}, s.toolsOf(nil, info))), s.volatile(ctx, user, "")...), nil
}

// volatile gives the blocks that travel with a new message. That the todos cannot be read is no reason to refuse it.
func (s *Service) volatile(ctx context.Context, user core.UserID, tz string) []prompt.Block {
	if s.d.Todos == nil {
		return nil
	}
	todos, err := s.d.Todos(ctx, user)
	if err != nil {
		s.d.Log.WarnContext(ctx, "Todos cannot be read", "error", err)
		return nil
	}
	return prompt.Volatile(prompt.Facts{Now: s.d.Now(), TZ: tz, Todos: todos})
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

// history loads what came before, newest first, page by page, until the window is full: the last chain whole, older ones as
// text. What does not fit is left out, and people are told.
func (t *turn) history(ctx context.Context) error {
	room := t.budget() - prompt.Size(prompt.Whole(t.own, t.files))
	p := core.Page{Backward: true, Through: t.c.Pos}
	var rest []core.Message // read, but their chain may begin on the next page
	for {
		ms, next, err := t.r.home.store.History(ctx, t.c.Session, p)
		if err != nil {
			return fmt.Errorf("read history: %w", err)
		}
		chains := split(append(ms[:len(ms):len(ms)], rest...))
		first := 0
		if next != "" && len(chains) > 0 {
			first, rest = 1, chains[0]
		}
		for i := len(chains) - 1; i >= first; i-- {
			if chains[i][0].Chain == t.c.ID {
				continue
			}
			var fits bool
			if room, fits = t.place(chains[i], room); !fits {
				t.omit()
				return nil
			}
		}
		if next == "" || len(ms) == 0 {
			return nil
		}
		p.After, p.Limit = next, pageSize(ms)
	}
}

// pageSize is the next page's: small while messages are large, so that no page is larger than the window by far.
func pageSize(ms []core.Message) int {
	bytes := 0
	for _, m := range ms {
		bytes += len(m.Text) + len(m.Input)
	}
	if bytes/len(ms) > 4096 {
		return 50
	}
	return 500
}

// place puts one chain in front of the history as far as it fits.
func (t *turn) place(chain []core.Message, room int) (left int, fits bool) {
	if t.before == nil && len(t.older) == 0 {
		whole := prompt.Whole(chain, nil)
		if n := prompt.Size(whole); n <= room {
			t.before = whole
			return room - n, true
		}
	}
	text := prompt.TextOnly(chain)
	n := prompt.Size(text)
	if n > room {
		return room, false
	}
	t.older = append([][]llm.Message{text}, t.older...)
	return room - n, true
}

func (t *turn) omit() {
	if !t.omitted {
		t.omitted = true
		t.notice("Older messages of this session are left out: they do not fit the model's window.")
	}
}

// split cuts messages in reading order into their chains.
func split(ms []core.Message) [][]core.Message {
	var out [][]core.Message
	for i, m := range ms {
		if i == 0 || m.Chain != ms[i-1].Chain {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], m)
	}
	return out
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
	all := append(t.older[:len(t.older):len(t.older)], t.before, own, t.extra)
	return prompt.Join(all...)
}

// cachePoints are the last message of the text-only chains, which the next turn shares, and the last message of all.
func (t *turn) cachePoints(ms []llm.Message) []int {
	var out []int
	text := prompt.Join(t.older...)
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
	old := prompt.Join(append(t.older[:len(t.older):len(t.older)], t.before)...)
	n := len(old)
	if n > 0 && n <= len(ms) && len(ms[n-1].Parts) != len(old[n-1].Parts) {
		n--
	}
	return n
}
