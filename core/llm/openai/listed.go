package openai

import (
	"slices"
	"strconv"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
)

// listTimeout bounds a listing: it decides whether a provider answers at all.
const listTimeout = 10 * time.Second

// pricing is OpenRouter's: dollars a token, as text.
type pricing struct {
	Prompt     string `json:"prompt"`
	Completion string `json:"completion"`
	Read       string `json:"input_cache_read"`
	Write      string `json:"input_cache_write"`
}

func (p *pricing) price() *llm.Price {
	if p == nil {
		return nil
	}
	in, ok := perToken(p.Prompt)
	out, ok2 := perToken(p.Completion)
	if !ok || !ok2 {
		return nil
	}
	price := &llm.Price{In: in, Out: out, CacheRead: in, CacheWrite: in}
	if v, ok := perToken(p.Read); ok {
		price.CacheRead = v
	}
	if v, ok := perToken(p.Write); ok {
		price.CacheWrite = v
	}
	return price
}

// perToken turns dollars a token into micro-dollars a million tokens. OpenRouter writes -1 for "depends".
func perToken(s string) (core.MicroUSD, bool) {
	usd, err := strconv.ParseFloat(s, 64)
	if err != nil || !(usd >= 0) || usd > 1 {
		return 0, false
	}
	return core.MicroUSD(usd*1e12 + 0.5), true
}

// info gives what the listing tells of a model; false when it tells only the id.
func (m listed) info() (llm.Info, bool) {
	window := max(m.ContextLength, m.MaxModelLen, m.Meta.Window)
	i := llm.Info{
		Ref: m.ID, Name: m.Name, Window: window, MaxOutput: m.Top.MaxOutput, Price: m.Pricing.price(), Tools: true,
		Images: slices.Contains(m.Architecture.Input, "image"), PDF: slices.Contains(m.Architecture.Input, "file"),
	}
	if m.Parameters != nil {
		i.Tools = slices.Contains(m.Parameters, "tools")
		i.Reasoning = slices.Contains(m.Parameters, "reasoning")
		i.Schema = slices.Contains(m.Parameters, "structured_outputs")
	}
	return i, window > 0 || m.Parameters != nil
}
