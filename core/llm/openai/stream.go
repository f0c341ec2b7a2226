package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"mime"
	"net/http"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"jarvis/core"
	"jarvis/core/llm"
)

// model is one model of a provider.
type model struct {
	p  *Provider
	id string
}

// Ref is "provider/model".
func (m *model) Ref() string { return m.p.o.Name + "/" + m.id }

// Info is what is known of the model.
func (m *model) Info() llm.Info {
	i, _ := m.p.book.Info(m.id)
	if m.p.o.Type == llm.TypeOpenAI || m.p.o.Type == llm.TypeGoogle {
		i.Schema = true
	}
	return i
}

func (m *model) source() llm.Source { return m.p.source(m.id) }

// Stream streams one answer.
func (m *model) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		ctx, w := llm.NewWatch(ctx, m.p.o.Timeouts.For(r))
		defer w.Stop()
		res, err := m.open(ctx, w, r)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		res.Body = w.Events(res.Body, m.p.o.Limits)
		defer res.Body.Close() //nolint:errcheck // read only
		a := answer{s: m.source(), w: w, yield: yield, google: m.p.o.Type == llm.TypeGoogle, calls: llm.NewCalls(m.p.o.Limits.Arguments)}
		a.later = len(r.Messages) > 0 && holdsResult(r.Messages[len(r.Messages)-1])
		a.read(res)
	}
}

func holdsResult(m llm.Message) bool {
	for _, p := range m.Parts {
		if p.Type == llm.PartToolResult {
			return true
		}
	}
	return false
}

// open sends the request and gives the answer's head. A server that does not know response_format is asked again in words.
func (m *model) open(ctx context.Context, w *llm.Watch, r llm.Request) (*http.Response, error) {
	s := m.source()
	if e := m.p.keyless(s); e != nil {
		return nil, e
	}
	if e := m.p.book.Refuse(s, r); e != nil {
		return nil, e
	}
	if !m.Info().Tools {
		r.Tools = nil
	}
	res, err := m.post(ctx, w, r, false)
	var e *llm.Error
	if err != nil && len(r.Schema) > 0 && errors.As(err, &e) && e.Kind == llm.KindBadRequest && m.p.o.Type != llm.TypeOpenAI {
		return m.post(ctx, w, r, true)
	}
	return res, err
}

func (m *model) post(ctx context.Context, w *llm.Watch, r llm.Request, inWords bool) (*http.Response, error) {
	params, err := m.params(ctx, r, inWords)
	if err != nil {
		return nil, w.Refused(m.source(), err)
	}
	var res *http.Response
	err = m.p.client.Post(ctx, "chat/completions", params, &res,
		option.WithJSONSet("stream", true), option.WithHeader("Accept", "text/event-stream"))
	if err != nil {
		return nil, fail(w, m.source(), err)
	}
	return res, nil
}

// chunk is the part of an event that we read.
type chunk struct {
	Choices []struct {
		Index        int    `json:"index"`
		Delta        delta  `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type delta struct {
	Content          string `json:"content"`
	Reasoning        string `json:"reasoning"`         // OpenRouter, vLLM, LM Studio
	ReasoningContent string `json:"reasoning_content"` // DeepSeek, llama.cpp
	Refusal          string `json:"refusal"`
	ToolCalls        []struct {
		Index    int    `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
		Extra json.RawMessage `json:"extra_content"` // Gemini
	} `json:"tool_calls"`
}

type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	Details    struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	Cost float64 `json:"cost"` // OpenRouter, dollars
}

// core turns the counts into ours, where In is what was neither read from nor written to a cache.
func (u *usage) core(google bool) core.Usage {
	out := core.Usage{CacheRead: max(0, u.Details.Cached), CacheWrite: max(0, u.Details.Written), Out: max(0, u.Completion)}
	out.In = max(0, u.Prompt-out.CacheRead-out.CacheWrite)
	if google { // its completion_tokens leave the thoughts out, which are paid all the same
		out.Out = max(out.Out, u.Total-u.Prompt)
	}
	if u.Cost > 0 && u.Cost < 1e6 {
		out.Cost = core.MicroUSD(u.Cost*1e6 + 0.5)
	}
	return out
}

// answer is the state of one stream.
type answer struct {
	s      llm.Source
	w      *llm.Watch
	yield  func(llm.Delta, error) bool
	google bool
	later  bool // the request brought tool results: then an empty answer is one
	calls  *llm.Calls
	usage  *usage
	finish string
	refuse bool
	text   bool
	gone   bool // the consumer broke out
}

// done is OpenAI's end mark.
var done = []byte("[DONE]")

func (a *answer) read(res *http.Response) {
	if t, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); t == "application/json" {
		a.fail(a.notStream(res))
		return
	}
	dec := ssestream.NewDecoder(res)
	ended := false
	for !ended && dec.Next() {
		data := bytes.TrimSpace(dec.Event().Data)
		if bytes.HasPrefix(data, done) {
			ended = true
			break
		}
		if err := a.event(data); err != nil {
			a.fail(err)
			return
		}
		if a.gone {
			return
		}
	}
	if err := dec.Err(); err != nil && a.finish == "" {
		a.fail(err)
		return
	}
	if !ended && a.finish == "" {
		a.fail(io.ErrUnexpectedEOF)
		return
	}
	if ended {
		a.w.Drain(res.Body)
	}
	a.end()
}

// notStream reads an answer that is one JSON value although a stream was asked for.
func (a *answer) notStream(res *http.Response) error {
	b, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return err
	}
	var c chunk
	if json.Unmarshal(b, &c) == nil && len(c.Error) > 0 {
		return a.s.Reported(b)
	}
	return a.s.Error(llm.KindMalformed, "the server answered with JSON instead of a stream", nil)
}

func (a *answer) fail(err error) { a.yield(llm.Delta{}, a.w.Fail(a.s, err)) }

func (a *answer) event(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	if len(c.Error) > 0 && !bytes.Equal(c.Error, []byte("null")) {
		return a.s.Reported(data)
	}
	if c.Usage != nil {
		a.usage = c.Usage
	}
	for i := range c.Choices {
		ch := &c.Choices[i]
		if ch.Index != 0 {
			continue
		}
		if err := a.delta(&ch.Delta); err != nil || a.gone {
			return err
		}
		if ch.FinishReason != "" {
			if a.finish == "" {
				a.w.Token() // what is said twice is nothing new
			}
			a.finish = ch.FinishReason
		}
	}
	return nil
}

func (a *answer) delta(d *delta) error {
	if d.ReasoningContent == "" {
		d.ReasoningContent = d.Reasoning
	}
	a.emit(llm.DeltaReasoning, d.ReasoningContent)
	a.emit(llm.DeltaText, d.Content)
	if d.Refusal != "" {
		a.refuse = true
		a.emit(llm.DeltaText, d.Refusal)
	}
	for i := range d.ToolCalls {
		t := &d.ToolCalls[i]
		size := a.calls.Size()
		if err := a.calls.Add(a.s, t.Index, t.ID, t.Function.Name, t.Function.Arguments); err != nil {
			return err
		}
		if a.calls.Size() > size {
			a.w.Token()
		}
		a.calls.Extra(t.Index, t.Extra)
	}
	return nil
}

func (a *answer) emit(kind llm.DeltaKind, text string) {
	if text == "" || a.gone {
		return
	}
	a.w.Token()
	a.text = a.text || kind == llm.DeltaText
	a.gone = !a.yield(llm.Delta{Kind: kind, Text: text}, nil)
}

// finishes maps the services' reasons.
var finishes = map[string]string{
	"stop": llm.FinishEnd, "length": llm.FinishMaxTokens, "tool_calls": llm.FinishToolUse,
	"function_call": llm.FinishToolUse, "content_filter": llm.FinishRefusal, "refusal": llm.FinishRefusal,
}

func (a *answer) end() {
	finish, ok := finishes[a.finish]
	if !ok {
		finish = llm.FinishEnd
	}
	if a.refuse {
		finish = llm.FinishRefusal
	}
	if a.finish == "error" { // OpenRouter: the service behind it broke off
		a.fail(io.ErrUnexpectedEOF)
		return
	}
	var calls []*llm.Part
	if finish != llm.FinishMaxTokens && finish != llm.FinishRefusal { // a cut call is none
		var err error
		if calls, err = a.calls.Done(a.s); err != nil {
			a.fail(err)
			return
		}
	}
	if len(calls) > 0 {
		finish = llm.FinishToolUse
	} else if finish == llm.FinishToolUse {
		finish = llm.FinishEnd
	}
	if !a.text && len(calls) == 0 && finish == llm.FinishEnd && !a.later {
		a.fail(a.s.Error(llm.KindEmpty, "the answer was empty", nil))
		return
	}
	for _, c := range calls {
		if !a.yield(llm.Delta{Kind: llm.DeltaCall, Part: c}, nil) {
			return
		}
	}
	if a.usage != nil {
		u := a.usage.core(a.google)
		if !a.yield(llm.Delta{Kind: llm.DeltaUsage, Usage: &u}, nil) {
			return
		}
	}
	a.yield(llm.Delta{Kind: llm.DeltaFinish, Finish: finish}, nil)
}
