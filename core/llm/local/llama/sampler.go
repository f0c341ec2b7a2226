package llama

import (
	"errors"
	"math"
	"runtime"

	"github.com/hybridgroup/yzma/pkg/llama"

	"jarvis/core/llm/local/wire"
)

// sampler picks the next token. With a grammar it samples first, asks the grammar about that one token and filters the whole
// vocabulary only when it is refused: 1.2 ms a token against 8 to 12 for a chain that filters always, with the same text.
type sampler struct {
	e       *engine
	chain   llama.Sampler
	grammar llama.Sampler // 0 = free text
}

// A token that would go on with a sequence of at least dryLength tokens from the last dryWindow is made less likely by
// dryMultiplier * dryBase^(length − dryLength) (the "don't repeat yourself" sampler of llama.cpp, with its usual values but a
// longer free length: lists and names may repeat).
const (
	dryMultiplier = 0.8
	dryBase       = 1.75
	dryLength     = 6
	dryWindow     = 1024
)

func (e *engine) newSampler(g *wire.Generate) (*sampler, error) {
	s := &sampler{e: e}
	if g.Grammar != "" {
		s.grammar = llama.SamplerInitGrammar(e.vocab, g.Grammar, "root")
		if s.grammar == 0 {
			return nil, &wire.Error{Code: wire.ErrGrammar, Message: "the grammar does not parse"}
		}
		if e.cand == nil {
			e.cand = make([]llama.TokenData, e.nVocab)
		}
	}
	s.chain = llama.SamplerChainInit(llama.SamplerChainDefaultParams())
	add := func(x llama.Sampler) { llama.SamplerChainAdd(s.chain, x) } // the chain owns and frees its members
	if s.grammar == 0 {
		// Not for JSON, whose quotes and braces repeat. The second one keeps small models from saying whole paragraphs again: a
		// 135M model was seen to repeat one until its window was full.
		add(llama.SamplerInitPenalties(int32(e.nVocab), 64, 1.1, 0, 0))
		if dry := llama.SamplerInitDry(e.vocab, dryMultiplier, dryBase, dryLength, dryWindow, []string{"\n", ":", "\"", "*"}); dry != 0 {
			add(dry)
		}
	}
	if g.Temperature <= 0 {
		add(llama.SamplerInitGreedy())
		return s, nil
	}
	add(llama.SamplerInitTopK(40))
	if g.TopP > 0 && g.TopP < 1 {
		add(llama.SamplerInitTopP(float32(g.TopP), 1))
	}
	add(llama.SamplerInitTemp(float32(g.Temperature)))
	add(llama.SamplerInitDist(g.Seed))
	return s, nil
}

func (s *sampler) close() {
	llama.SamplerFree(s.chain)
	llama.SamplerFree(s.grammar)
}

// next picks a token and accepts it. SamplerSample accepts by itself; a second accept ends the process.
func (s *sampler) next() (llama.Token, error) {
	if s.grammar == 0 {
		tok := llama.SamplerSample(s.chain, s.e.ctx, -1)
		if tok < 0 || int(tok) >= s.e.nVocab {
			return 0, errors.New("no token can be chosen")
		}
		return tok, nil
	}
	logits, err := llama.GetLogitsIth(s.e.ctx, -1, s.e.nVocab)
	if err != nil {
		return 0, err
	}
	if len(logits) == 0 {
		return 0, errors.New("no logits")
	}
	tok, err := s.pick(logits, false)
	if err != nil {
		return 0, err
	}
	if !s.allows(tok) {
		if tok, err = s.pick(logits, true); err != nil {
			return 0, err
		}
	}
	// accepting an end token ends the process when the grammar is not complete; nothing comes after one anyway
	if !llama.VocabIsEOG(s.e.vocab, tok) {
		llama.SamplerAccept(s.grammar, tok)
		llama.SamplerAccept(s.chain, tok)
	}
	return tok, nil
}

// allows asks the grammar about one token.
func (s *sampler) allows(tok llama.Token) bool {
	one := []llama.TokenData{{Id: tok, Logit: 1}}
	arr := &llama.TokenDataArray{Data: &one[0], Size: 1, Selected: -1}
	llama.SamplerApply(s.grammar, arr)
	runtime.KeepAlive(one)
	return !math.IsInf(float64(one[0].Logit), -1)
}

// pick lets the chain choose among all tokens, or among those the grammar allows.
func (s *sampler) pick(logits []float32, filtered bool) (llama.Token, error) {
	cand := s.e.cand
	for i, x := range logits {
		cand[i] = llama.TokenData{Id: llama.Token(i), Logit: x}
	}
	arr := &llama.TokenDataArray{Data: &cand[0], Size: uint64(len(cand)), Selected: -1}
	if filtered {
		llama.SamplerApply(s.grammar, arr)
		n := 0
		for _, c := range cand { // only what is left: a chain over nothing but -inf chooses at random
			if !math.IsInf(float64(c.Logit), -1) {
				cand[n] = c
				n++
			}
		}
		if n == 0 {
			return 0, &wire.Error{Code: wire.ErrGrammar, Message: "the grammar allows no further token"}
		}
		arr.Size = uint64(n)
	}
	llama.SamplerApply(s.chain, arr)
	if arr.Selected < 0 || uint64(arr.Selected) >= arr.Size {
		return 0, errors.New("no token can be chosen")
	}
	tok := cand[arr.Selected].Id
	runtime.KeepAlive(arr)
	if tok < 0 || int(tok) >= s.e.nVocab {
		return 0, errors.New("no token can be chosen")
	}
	return tok, nil
}
