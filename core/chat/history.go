package chat

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/prompt"
)

// earlier is a chain before this one as a request has it.
type earlier struct {
	msgs   []core.Message
	sent   []llm.Message // text only, or whole
	tokens int           // of sent
}

func textOf(msgs []core.Message) earlier {
	sent := prompt.TextOnly(msgs)
	return earlier{msgs: msgs, sent: sent, tokens: prompt.Size(sent)}
}

func (e earlier) id() core.ChainID { return e.msgs[0].Chain }
func (e earlier) pos() uint64      { return e.msgs[0].Pos }

// chains yields a session's chains that have a message, newest first, from position through on (0 = all) down to the one
// behind after.
func chains(ctx context.Context, st Store, id core.SessionID, after, through uint64) iter.Seq2[[]core.Message, error] {
	return func(yield func([]core.Message, error) bool) {
		p := core.Page{Backward: true, Through: through}
		var rest []core.Message // read, but their chain may begin on the next page
		for {
			ms, next, err := st.History(ctx, id, p)
			if err != nil {
				yield(nil, fmt.Errorf("read history: %w", err))
				return
			}
			all := split(append(prompt.Past(ms), rest...))
			first := 0
			if next != "" && len(all) > 0 {
				first, rest = 1, all[0]
			}
			for i := len(all) - 1; i >= first; i-- {
				if all[i][0].Pos <= after || !yield(all[i], nil) {
					return
				}
			}
			if next == "" || len(ms) == 0 {
				return
			}
			p.After, p.Limit = next, pageSize(ms)
		}
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

// history loads what came before. When there is more than fits, the model summarises what is oldest; what cannot be summarised
// is left out, and people are told.
func (t *turn) history(ctx context.Context) error {
	rest, more, err := t.fill(ctx)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return t.compact(ctx, rest, more, t.space())
	case more:
		t.omit()
	}
	return nil
}

// fill fills the window, newest first, page by page: the last chain whole, older ones as text, the summary of what is older
// still. It returns what does not fit, newest first, as far as a summary can take it, and whether there is more.
func (t *turn) fill(ctx context.Context) (rest []earlier, more bool, err error) {
	if err := t.summarised(ctx); err != nil {
		return nil, false, err
	}
	room, size := t.space()-prompt.Size(t.head), 0
	for chain, err := range chains(ctx, t.r.home.store, t.c.Session, t.summary.To, t.c.Pos) {
		if err != nil {
			return nil, false, err
		}
		if chain[0].Chain == t.c.ID {
			continue
		}
		if len(rest) == 0 && unanswered(chain) && textOf(chain).tokens > room {
			t.omit() // a question that was too large for the window is no reason to lose what was said before it
			continue
		}
		if len(rest) == 0 {
			var fits bool
			if room, fits = t.place(chain, room); fits {
				continue
			}
		}
		if more = size > t.material() || !t.summarises(); more {
			break
		}
		e := textOf(chain)
		rest, size = append(rest, e), size+e.tokens
	}
	return rest, more, nil
}

// unanswered reports whether nothing was said to a question.
func unanswered(chain []core.Message) bool {
	return !slices.ContainsFunc(chain, func(m core.Message) bool {
		return m.Role == core.RoleAssistant && m.Type == core.TypeText && !m.Deleted
	})
}

// space is what the window has for everything that is not of this chain.
func (t *turn) space() int {
	return t.budget() - prompt.Size(prompt.Join(prompt.Whole(t.own, t.files), t.extra))
}

// summarised finds the summary that stands for the oldest chains. One that is damaged is none: the chains are all there.
func (t *turn) summarised(ctx context.Context) error {
	s, ok, err := t.r.home.store.Summary(ctx, t.c.Session)
	if core.CodeOf(err) == core.StoreDamaged {
		t.s.d.Log.Error("Summary of a session cannot be read", "session", t.c.Session, "error", err)
		t.tried = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the summary: %w", err)
	}
	if ok && s.To < t.c.Pos {
		t.stand(s)
	}
	return nil
}

// stand puts a summary in front of the request.
func (t *turn) stand(s core.Summary) {
	t.summary = s
	t.head = []llm.Message{prompt.SummaryMessage(s)}
}

// place puts one chain in front of the history as far as it fits.
func (t *turn) place(chain []core.Message, room int) (left int, fits bool) {
	if t.before == nil && len(t.older) == 0 {
		whole := prompt.Whole(chain, nil)
		if n := prompt.Size(whole); n <= room {
			t.before = &earlier{msgs: chain, sent: whole, tokens: n}
			return room - n, true
		}
	}
	e := textOf(chain)
	if e.tokens > room {
		return room, false
	}
	t.older = append([]earlier{e}, t.older...)
	return room - e.tokens, true
}

func (t *turn) omit() {
	if !t.omitted {
		t.omitted = true
		t.notice("Older messages of this session are left out: they do not fit the model's window.")
	}
}
