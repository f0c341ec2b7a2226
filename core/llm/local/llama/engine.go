package llama

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/hybridgroup/yzma/pkg/llama"

	"jarvis/core/llm/local/wire"
)

const (
	defaultCtx   = 8192 // tokens; the cache is allocated whole, at 22.5 KiB a token for the small model
	defaultBatch = 512
)

// engine is one model, one context and one sequence. One goroutine uses it; only abort and beats are touched by others.
type engine struct {
	model  llama.Model
	ctx    llama.Context
	mem    llama.Memory
	vocab  llama.Vocab
	nVocab int
	tmpl   string
	window int // tokens that prompt and answer share
	batch  int
	past   []llama.Token // what the cache holds, by position

	abort *atomic.Bool   // read by native code between two operations of the graph
	beats *atomic.Uint64 // counts those reads: the proof that native code is not hanging
	cand  []llama.TokenData
}

// threads is one fewer than the cores this process may use: with as many threads as cores and any other load, generation was
// seen to fall from 90 to 1 token a second.
func threads() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// open loads libraries, model and context. It may be called once a process: the callbacks it hands to C are never freed.
func open(l wire.Load, abort *atomic.Bool, beats *atomic.Uint64) (*engine, error) {
	logs := newLogTail()
	if err := llama.Load(l.Libs); err != nil {
		return nil, &wire.Error{Code: wire.ErrLibs, Message: fmt.Sprintf("llama.cpp's libraries do not load: %v", err)}
	}
	logs.install()
	llama.Init()
	if llama.GGMLBackendDeviceCount() == 0 {
		return nil, &wire.Error{Code: wire.ErrCPU, Message: "no library of llama.cpp fits this processor" + logs.suffix()}
	}
	mp := llama.ModelDefaultParams()
	mp.NGpuLayers = 0
	model, err := llama.ModelLoadFromFile(l.Model, mp)
	if err != nil {
		return nil, &wire.Error{Code: wire.ErrModel, Message: "the file does not load as a model" + logs.suffix()}
	}
	if !llama.ModelHasDecoder(model) || llama.ModelHasEncoder(model) {
		return nil, &wire.Error{Code: wire.ErrModel, Message: "the file holds no model that answers in text"}
	}
	return newEngine(l, model, logs, abort, beats)
}

func newEngine(l wire.Load, model llama.Model, logs *logTail, abort *atomic.Bool, beats *atomic.Uint64) (*engine, error) {
	window := l.Ctx
	if window <= 0 {
		window = defaultCtx
	}
	if t := int(llama.ModelNCtxTrain(model)); t > 0 {
		window = min(window, t)
	}
	n := l.Threads
	if n <= 0 {
		n = threads()
	}
	batch := l.Batch
	if batch <= 0 {
		batch = defaultBatch
	}
	batch = min(batch, window)
	cp := llama.ContextDefaultParams()
	cp.NCtx, cp.NBatch, cp.NUbatch, cp.NSeqMax = uint32(window), uint32(batch), uint32(batch), 1
	cp.NThreads, cp.NThreadsBatch = int32(n), int32(n)
	ctx, err := llama.InitFromModel(model, cp)
	if err != nil {
		return nil, &wire.Error{Code: wire.ErrMemory, Message: fmt.Sprintf("no context of %d tokens can be made%s", window, logs.suffix())}
	}
	mem, err := llama.GetMemory(ctx)
	if err != nil {
		return nil, &wire.Error{Code: wire.ErrNative, Message: "the context has no memory: " + err.Error()}
	}
	e := &engine{
		model: model, ctx: ctx, mem: mem, vocab: llama.ModelGetVocab(model), tmpl: llama.ModelChatTemplate(model, ""),
		window: min(window, int(llama.NCtx(ctx))), batch: batch, abort: abort, beats: beats,
	}
	e.nVocab = int(llama.VocabNTokens(e.vocab))
	if e.nVocab <= 0 {
		return nil, &wire.Error{Code: wire.ErrModel, Message: "the model has no vocabulary"}
	}
	llama.SetAbortCallback(ctx, func() bool { beats.Add(1); return abort.Load() })
	return e, nil
}

var errAborted = errors.New("aborted")

// feed decodes tokens behind what the cache holds. More than batch at once, or none, ends the process in an assertion.
func (e *engine) feed(toks []llama.Token) error {
	for len(toks) > 0 {
		if e.abort.Load() {
			return errAborted
		}
		n := min(len(toks), e.batch)
		rc, err := llama.Decode(e.ctx, llama.BatchGetOne(toks[:n]))
		runtime.KeepAlive(toks)
		switch {
		case err != nil:
			return err
		case rc == 2:
			return errAborted
		case rc == 1:
			return &wire.Error{Code: wire.ErrTooLong, Message: "the context is full", Tokens: len(e.past) + len(toks), Window: e.window}
		case rc != 0:
			return fmt.Errorf("decode: code %d", rc)
		}
		e.beats.Add(1)
		e.past = append(e.past, toks[:n]...)
		toks = toks[n:]
	}
	return nil
}

// rewind makes the cache hold exactly the first n tokens of what it held; an aborted decode may have left more in it.
func (e *engine) rewind(n int) error {
	ok, err := llama.MemorySeqRm(e.mem, 0, llama.Pos(n), -1)
	if err == nil && !ok {
		// recurrent models cannot forget a part
		if err = llama.MemoryClear(e.mem, true); err == nil {
			n = 0
		}
	}
	if err != nil {
		return fmt.Errorf("rewind: %w", err)
	}
	e.past = e.past[:n]
	return nil
}

// load puts a prompt into the cache, keeping the prefix it shares with what is there, and returns the length of that prefix.
// The last token is always decoded anew, since only then there are logits.
func (e *engine) load(prompt []llama.Token) (reused int, err error) {
	for reused < len(e.past) && reused < len(prompt)-1 && e.past[reused] == prompt[reused] {
		reused++
	}
	if err := e.rewind(reused); err != nil {
		return 0, err
	}
	reused = len(e.past)
	if err := e.feed(prompt[reused:]); err != nil {
		return reused, errors.Join(err, e.rewind(len(e.past)))
	}
	return reused, nil
}

// generate answers one request. emit gets whole runes; its error ends the answer.
func (e *engine) generate(ctx context.Context, g *wire.Generate, emit func(string) error) (*wire.Done, error) {
	toks, err := e.tokens(g.Messages)
	if err != nil {
		return nil, err
	}
	if len(toks)+1 > e.window {
		return nil, &wire.Error{
			Code: wire.ErrTooLong, Tokens: len(toks), Window: e.window,
			Message: fmt.Sprintf("the prompt has %d tokens, the window is %d", len(toks), e.window),
		}
	}
	s, err := e.newSampler(g)
	if err != nil {
		return nil, err
	}
	defer s.close()
	d := &wire.Done{Prompt: len(toks)}
	start := time.Now()
	d.Reused, err = e.load(toks)
	d.PromptUS = time.Since(start).Microseconds()
	if errors.Is(err, errAborted) && ctx.Err() != nil {
		d.Stop = wire.StopCancel
		return d, nil
	}
	if err != nil {
		return nil, native(err)
	}
	start = time.Now()
	d.Stop, d.Out, err = e.answer(ctx, g.MaxTokens, s, emit)
	d.GenUS = time.Since(start).Microseconds()
	if err != nil {
		return nil, native(err)
	}
	return d, nil
}

// answer samples until the model, a limit or the caller ends it.
func (e *engine) answer(ctx context.Context, limit int, s *sampler, emit func(string) error) (stop string, n int, err error) {
	var held []byte
	buf := make([]byte, 512)
	one := make([]llama.Token, 1)
	for {
		if ctx.Err() != nil {
			return wire.StopCancel, n, nil
		}
		tok, err := s.next()
		if err != nil {
			return "", n, err
		}
		n++
		if llama.VocabIsEOG(e.vocab, tok) {
			return wire.StopEnd, n, nil
		}
		if k := llama.TokenToPiece(e.vocab, tok, buf, 0, false); k > 0 {
			held = append(held, buf[:k]...)
			if cut := wholeRunes(held); cut > 0 {
				if err := emit(string(held[:cut])); err != nil {
					return "", n, err
				}
				held = append(held[:0], held[cut:]...)
			}
		}
		if limit > 0 && n >= limit {
			return wire.StopMax, n, nil
		}
		if len(e.past)+1 > e.window {
			return wire.StopFull, n, nil
		}
		one[0] = tok
		if err := e.feed(one); err != nil {
			if errors.Is(err, errAborted) && ctx.Err() != nil {
				return wire.StopCancel, n, e.rewind(len(e.past))
			}
			return "", n, errors.Join(err, e.rewind(len(e.past)))
		}
	}
}

// native makes any failure a wire.Error.
func native(err error) error {
	var w *wire.Error
	if errors.As(err, &w) {
		return w
	}
	return &wire.Error{Code: wire.ErrNative, Message: err.Error()}
}

func (e *engine) trained() int { return int(llama.ModelNCtxTrain(e.model)) }
func (e *engine) desc() string { return llama.ModelDesc(e.model) }
