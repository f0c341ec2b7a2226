package chat

import (
	"errors"
	"math"
	"net"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/prompt"
)

// most is the upper bound of a request's cost: fixed tokens of system prompt and tools and the messages, at the dearest way of
// reading them, and the longest answer.
func most(p *llm.Price, fixed int, r llm.Request) core.MicroUSD {
	in, out := atMost(fixed, r), r.MaxTokens+r.ThinkingBudget()
	cost := (float64(max(p.In, p.CacheRead, p.CacheWrite))*float64(in) + float64(p.Out)*float64(out)) / 1e6
	return core.MicroUSD(math.Ceil(min(cost, 1e15)))
}

// atMost is how many tokens a request has at most: where the window is judged a token is 3.5 bytes, as in prose; numbers, code
// and many languages have fewer, but hardly less than two.
func atMost(fixed int, r llm.Request) int {
	return (fixed + prompt.Size(r.Messages) + prompt.Tokens(len(r.Schema))) * 7 / 4
}

// untold gives the usage of an answer for which the service told none, or not the whole because it was cut off: at most what was
// sent, and what came. What was refused costs nothing. Of a model without a price, or without a cost, it is what was told.
func (t *turn) untold(a *answer, r llm.Request, err error) core.Usage {
	u, p := a.usage, t.model.Info().Price
	read, nothing := u.In+u.CacheRead+u.CacheWrite, u == core.Usage{}
	came := 0
	for _, piece := range a.pieces {
		came += len(piece.msg.Tool) + len(piece.msg.Input) + piece.text.Len()
	}
	switch {
	case p == nil || *p == llm.Price{} || u.Unpriced:
		return u
	case a.finish != "" && !nothing: // told whole
		return u
	case nothing && came == 0 && !reached(err):
		return u
	}
	if read == 0 {
		u.In = int64(atMost(t.fixed, r))
	}
	u.Out = max(u.Out, int64(came+1)/2)
	whole := p.Cost(u)
	u.Cost = max(u.Cost, whole.Cost)
	return u
}

// reached reports whether a request that brought nothing was in the service's hands when it ended: it was stopped, or the
// service fell silent.
func reached(err error) bool {
	if err == nil || errors.Is(err, llm.ErrUnsent) {
		return false
	}
	var e *llm.Error
	if !errors.As(err, &e) {
		return true // the context's
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return false
	}
	return e.Status == 0 && (e.Kind == llm.KindTimeout || e.Kind == llm.KindCut)
}
