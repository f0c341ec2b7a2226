package chat

import (
	"context"
	"math"
	"strings"
	"unicode/utf8"

	"jarvis/core"
	"jarvis/core/prompt"
)

// Window tells what would fill the model's window with the next plain message of a user's session; nothing is asked of a model.
// Another user's session is core.NotFound.
func (s *Service) Window(ctx context.Context, user core.UserID, id core.SessionID) (core.Window, error) {
	h := s.homeFor(id)
	sess, err := h.store.Session(ctx, id)
	if err != nil {
		return core.Window{}, err
	}
	if sess.User != user {
		return core.Window{}, notFound("session", string(id))
	}
	// A turn that nobody runs: it has no message of its own yet, and may not summarise.
	t := &turn{
		s: s, r: &run{home: h}, c: core.Chain{Session: id, User: user, Pos: math.MaxUint64}, set: s.settings(), tried: true,
	}
	if m, err := s.d.Models.Resolve(ctx, sess.Model); err == nil {
		t.model, t.info, t.ref = m, m.Info(), m.Ref()
	}
	w := core.Window{Session: id, Model: t.ref}
	t.tools = s.toolsOf(nil, t.info)
	blocks := prompt.Build(s.promptInput(core.Params{}, t.tools))
	for _, b := range blocks {
		w.Parts = append(w.Parts, core.WindowPart{Kind: core.WindowSystem, Label: b.Label, Tokens: prompt.Tokens(len(b.Content))})
	}
	for _, d := range t.tools {
		n := prompt.Tokens(len(d.Name) + len(d.Description) + len(d.Schema))
		w.Parts = append(w.Parts, core.WindowPart{Kind: core.WindowTool, Label: d.Name, Tokens: n})
	}
	for _, p := range w.Parts {
		t.fixed += p.Tokens
	}
	if _, w.LeftOut, err = t.fill(ctx); err != nil {
		return core.Window{}, err
	}
	t.tell(&w, s.volatile(ctx, sess, ""))
	return w, nil
}

// tell adds what the turn found to the window, and its sums.
func (t *turn) tell(w *core.Window, volatile []prompt.Block) {
	if t.head != nil {
		sum := t.summary
		w.Summary = &sum
		w.Parts = append(w.Parts, core.WindowPart{Kind: core.WindowSummary, Label: "Summary", Tokens: prompt.Size(t.head)})
	}
	for _, e := range t.older {
		w.Parts = append(w.Parts, core.WindowPart{Kind: core.WindowChain, Label: beginning(e.msgs), Tokens: e.tokens, Chain: e.id()})
	}
	if e := t.before; e != nil {
		w.Parts = append(w.Parts, core.WindowPart{Kind: core.WindowChain, Label: beginning(e.msgs), Tokens: e.tokens, Chain: e.id(), Whole: true})
	}
	for _, b := range volatile {
		w.Parts = append(w.Parts, core.WindowPart{Kind: core.WindowContext, Label: b.Label, Tokens: prompt.Tokens(len(b.Content))})
	}
	for _, p := range w.Parts {
		w.Used += p.Tokens
	}
	w.Known = t.info.Window > 0 && t.info.Window <= largestWindow
	if w.Size, w.Answer, w.Reserve = t.info.Window, t.maxTokens(), t.info.Window/20; !w.Known {
		w.Size, w.Answer, w.Reserve = unknownWindow+t.fixed, 0, 0
	}
	w.Free = w.Size - w.Used - w.Answer - w.Reserve
}

// beginning is the first line of a chain's message, as far as a line of a table has room for it.
func beginning(ms []core.Message) string {
	const most = 60
	for _, m := range ms {
		if m.N != 0 || m.Deleted {
			continue
		}
		s, _, _ := strings.Cut(strings.TrimSpace(m.Text), "\n")
		if utf8.RuneCountInString(s) > most {
			s = string([]rune(s)[:most-1]) + "…"
		}
		return s
	}
	return ""
}
