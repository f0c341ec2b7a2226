package chat

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/prompt"
)

const (
	// smallestWindow is below what a summary would leave any room in, in tokens.
	smallestWindow = 2048
	// longestSummary bounds a summary, in tokens; in a small window it is an eighth of that.
	longestSummary = 2048
	// leastMaterial is from how many tokens on a summary can be shorter by a fifth, with its frame.
	leastMaterial = 256
	// thinkingRoom is what a model that thinks first gets on top, in tokens.
	thinkingRoom = 2048
	// longestThought bounds what it may think, in bytes.
	longestThought = 1 << 20
	// summaryPatience is how long a summary may take.
	summaryPatience = 10 * time.Minute
	// summaryRest is how many turns of a session go by before a model is asked again that gave no useful summary.
	summaryRest = 5
)

// useless is why a summary is not taken that was made; asking again at once would bring no other.
type useless string

func (u useless) Error() string { return string(u) }

// window is the model's, in tokens, or what counts for it.
func (t *turn) window() int {
	if t.info.Window <= 0 {
		return unknownWindow
	}
	return t.info.Window
}

// summarises reports whether older chains may be summarised in this turn: once, and not by rules, which read the newest
// message alone.
func (t *turn) summarises() bool {
	return !t.tried && t.window() >= smallestWindow && t.info.Window <= largestWindow
}

// longest is the bound of a summary in tokens.
func (t *turn) longest() int { return min(longestSummary, t.window()/8) }

// material is how many tokens of chains one request for a summary takes: it must never overflow itself.
func (t *turn) material() int {
	w := t.window()
	n := w - w/10 - 2*t.longest() - prompt.Size(t.head) - prompt.Tokens(len(prompt.SummarySystem(longestSummary)))
	if t.info.Reasoning {
		n -= min(thinkingRoom, w/4)
	}
	return n
}

// makeRoom summarises older chains when this one has outgrown the window while it ran.
func (t *turn) makeRoom(ctx context.Context) error {
	if !t.summarises() || t.info.Window <= 0 || len(t.older) == 0 && t.before == nil {
		return nil
	}
	if t.fixed+prompt.Size(t.messages(prompt.Whole(t.own, t.files)))+t.maxTokens() <= t.info.Window {
		return nil
	}
	return t.compact(ctx, nil, false, t.space())
}

// compact has the model summarise the oldest chains: those of rest (newest first), which do not fit, and as many more as leave
// the window half empty, so that it is not done again soon. When it fails, everything stays as it was. more says that there are
// chains which nobody has read; space is what the window has for all that is not of this chain.
func (t *turn) compact(ctx context.Context, rest []earlier, more bool, space int) error {
	t.tried = true
	all := slices.Clone(rest)
	slices.Reverse(all)
	all = append(all, t.older...)
	if t.before != nil {
		all = append(all, textOf(t.before.msgs))
	}
	from, before := t.keeps(all, space-t.longest())
	taken, cut := t.takes(all[:from])
	size := prompt.Size(t.head) + tokens(taken)
	if len(taken) == 0 || size < leastMaterial || space <= t.longest() || t.s.rests(t.c.Session) {
		t.omit()
		return nil
	}
	sum, err := t.summarise(ctx, taken, more || cut, size)
	if ctx.Err() != nil {
		return errStopped
	}
	if failed := (*unsummarised)(nil); errors.As(err, &failed) {
		t.omitted = true
		t.notice("Older messages were not summarised: " + failed.why + ". They are left out of this request; nothing of them is lost.")
		return nil
	}
	if err != nil {
		return unkept(err)
	}
	if before != nil {
		all = all[:len(all)-1]
	}
	t.older, t.before, t.rec.past = all[from:], before, nil
	t.stand(*sum)
	if more || cut {
		t.omit()
	}
	return nil
}

// keeps says which chains stay beside a summary: those from index from on, in half of the room, the last one whole if it can
// be. The last one stays in any case when it fits at all.
func (t *turn) keeps(all []earlier, room int) (from int, before *earlier) {
	from, half := len(all), room/2
	if t.before != nil && t.before.tokens <= room*3/4 {
		before = t.before
		half -= before.tokens
		from--
	}
	for ; from > 0; from-- {
		n := all[from-1].tokens
		if n > half && (from < len(all) || n > room) {
			break
		}
		half -= n
	}
	return from, before
}

// takes gives the newest of the chains as far as one request for a summary takes them; a single one is cut in the request.
func (t *turn) takes(all []earlier) (taken []earlier, cut bool) {
	room := t.material()
	from := len(all)
	for from > 0 && (from == len(all) || all[from-1].tokens <= room) {
		from--
		room -= all[from].tokens
	}
	return all[from:], from > 0
}

func tokens(es []earlier) int {
	n := 0
	for _, e := range es {
		n += e.tokens
	}
	return n
}

// unsummarised is a summary that did not come about; the turn goes on without.
type unsummarised struct{ why string }

func (u *unsummarised) Error() string { return u.why }

// summarise asks for a summary of chains, and of the summary that stands for those before, keeps it and tells people. size is
// what it would stand for, in tokens. An error other than unsummarised ends the chain.
func (t *turn) summarise(ctx context.Context, taken []earlier, gap bool, size int) (*core.Summary, error) {
	req := t.summaryRequest(taken, size)
	own := t.fixed
	defer func() { t.fixed = own }()
	t.fixed = prompt.Tokens(len(req.System[0].Text)) // of this request
	if err := t.afford(ctx, req); err != nil {
		return nil, err
	}
	text, step, serr := t.askSummary(ctx, req, size)
	t.charge(ctx, &step)
	t.usage = t.usage.Add(step.Usage)
	p := core.Progress{Chain: t.c.ID, Owner: t.s.d.Self, Step: &step, Debits: t.bill.debits}
	t.bill.debits = nil
	if serr == nil {
		s := t.summaryOf(text, taken, gap, step)
		s.Before, s.Prompt = size, t.fixed+prompt.Size(req.Messages)
		s.After = prompt.Size([]llm.Message{prompt.SummaryMessage(s)})
		if p.Summary = &s; 5*s.After > 4*s.Before {
			serr = useless(fmt.Sprintf("the summary has %d of their %d tokens, which is not a fifth less", s.After, s.Before))
		} else if serr = t.unchanged(ctx, taken); serr != nil {
			p.Summary = nil
		}
	}
	if serr != nil {
		p.Summary = nil
	}
	// What was paid for is kept also when the chain was stopped.
	keep := context.WithoutCancel(ctx)
	err := t.r.home.store.Append(keep, p)
	if core.CodeOf(err) == core.Conflict && p.Summary != nil {
		p.Summary, serr = nil, &unsummarised{"somebody changed the session's summary meanwhile"}
		err = t.r.home.store.Append(keep, p)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("append: %w", err)
	case serr != nil:
		return nil, t.noSummary(serr)
	}
	s := p.Summary
	data := core.CompactionData{From: s.First, To: s.Last, Before: s.Before, After: s.After}
	if err := t.w.event(core.EventCompaction, "", data); err != nil {
		return nil, err
	}
	return s, nil
}

// unchanged holds that chains are in the store as they were read: what a person has taken out of the prompt meanwhile must not
// come back by a summary.
func (t *turn) unchanged(ctx context.Context, taken []earlier) error {
	i := len(taken)
	for chain, err := range chains(ctx, t.r.home.store, t.c.Session, taken[0].pos()-1, taken[i-1].pos()) {
		if err != nil {
			return &unsummarised{"they could not be read again"}
		}
		if i--; i < 0 || chain[0].Chain != taken[i].id() || textOf(chain).tokens != taken[i].tokens {
			return &unsummarised{"they have changed meanwhile"}
		}
	}
	if i != 0 {
		return &unsummarised{"they have changed meanwhile"}
	}
	return nil
}

// noSummary says why there is none, and remembers it when asking again would not help.
func (t *turn) noSummary(err error) error {
	if u := useless(""); errors.As(err, &u) {
		t.s.rest(t.c.Session)
	}
	if u := (*unsummarised)(nil); errors.As(err, &u) {
		return u
	}
	return &unsummarised{line(people(wrapped(err)))}
}

// wrapped makes an error of ours one that people can read.
func wrapped(err error) error {
	if u := useless(""); errors.As(err, &u) {
		return core.E(core.UpstreamUnavailable, string(u), "", nil)
	}
	return err
}

// summaryRequest makes the request for a summary.
func (t *turn) summaryRequest(taken []earlier, size int) llm.Request {
	aim := min(t.longest(), size/3)
	limit := aim*3/2 + 64
	if t.info.Reasoning {
		limit += min(thinkingRoom, t.window()/4)
	}
	chains := make([][]core.Message, len(taken))
	for i, e := range taken {
		chains[i] = e.msgs
	}
	// One message takes a quarter of the room at most, unless it is alone.
	most := t.material() * 3
	if len(taken) > 1 || len(taken[0].msgs) > 1 {
		most /= 4
	}
	return llm.Request{
		System:   []llm.Block{{Text: prompt.SummarySystem(aim / 2)}},
		Messages: []llm.Message{prompt.SummaryRequest(t.summary, chains, max(most, 256))},
		Choice:   "none", MaxTokens: min(limit, t.maxOutput()), Lang: t.c.Params.Lang, TZ: t.c.Params.TZ,
	}
}

// maxOutput is the most that the model writes at once.
func (t *turn) maxOutput() int {
	n := t.window() / 2
	if t.info.MaxOutput > 0 {
		n = min(n, t.info.MaxOutput)
	}
	return n
}

// afford holds what the summary may cost.
func (t *turn) afford(ctx context.Context, req llm.Request) error {
	b := t.s.d.Budget
	if b == nil {
		return nil
	}
	t.bill = bill{at: t.s.d.Now()}
	if t.bill.claims = b.Claims(t.c, t.bill.at); len(t.bill.claims) == 0 {
		return nil
	}
	price := t.model.Info().Price
	if price == nil {
		return t.unpriced(t.model) // what the chain's own request would say
	}
	err := t.hold(ctx, price, req)
	if core.CodeOf(err) == core.BudgetExceeded {
		return &unsummarised{people(err).Message}
	}
	return err
}

// askSummary sends the request and reads the summary; nobody sees it as it comes. The step is there with an error too.
func (t *turn) askSummary(ctx context.Context, req llm.Request, size int) (string, core.Step, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer t.s.d.After(summaryPatience, cancel)()
	step := core.Step{Chain: t.c.ID, Model: t.ref, Started: t.s.d.Now()}
	// What it is made of lies in the store; the journal has its digest.
	rec := recorder{seen: map[string]bool{}}
	t.w.record("request", rec.manifest(0, t.ref, step.Started, req, len(req.Messages)))
	r := reading{t: t, a: &answer{}, step: &step, most: size * 4}
	var err error
	for d, derr := range t.askModel(ctx, req) {
		if err = derr; err == nil {
			err = r.take(d)
		}
		if err != nil {
			break
		}
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	step.Usage = t.untold(r.a, req, err)
	if err != nil && errors.Is(err, context.Canceled) {
		err = t.modelError(llm.KindTimeout, "the summary took too long")
	}
	text := strings.TrimSpace(toValid(r.a.text()))
	if err == nil {
		err = r.verdict(text)
	}
	step.Finish, step.Done = r.a.finish, t.s.d.Now()
	if err != nil {
		step.Finish = "error"
		t.w.record("failed", failRecord{Now: step.Done, Error: line(err)})
		return "", step, err
	}
	if step.Finish == llm.FinishMaxTokens {
		text += "\n[cut here]"
	}
	return text, step, nil
}

// askModel streams from the model, and from one that stands in for it when the budget has room for that one and it is none that
// goes by rules.
func (t *turn) askModel(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	m, ok := t.model.(llm.Substituted)
	if !ok {
		return t.model.Stream(ctx, req)
	}
	may := t.substitute(ctx, req)
	return m.StreamIf(ctx, req, func(m llm.Model) error {
		if m.Info().Window > largestWindow {
			return errors.New("it cannot summarise")
		}
		return may(m)
	})
}
