package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

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
	i.Schema = true
	return i
}

func (m *model) source() llm.Source { return m.p.source(m.id) }

// Stream streams one answer.
func (m *model) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		ctx, w := llm.NewWatch(ctx, m.p.o.Timeouts.For(r))
		defer w.Stop()
		res, forced, err := m.open(ctx, w, r)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		res.Body = w.Events(res.Body, m.p.o.Limits)
		defer res.Body.Close() //nolint:errcheck // read only
		a := answer{s: m.source(), w: w, yield: yield, forced: forced, calls: llm.NewCalls(m.p.o.Limits.Arguments)}
		a.later = len(r.Messages) > 0 && holds(r.Messages[len(r.Messages)-1], llm.PartToolResult)
		a.read(res)
	}
}

func (m *model) open(ctx context.Context, w *llm.Watch, r llm.Request) (*http.Response, bool, error) {
	s := m.source()
	if e := m.p.keyless(s); e != nil {
		return nil, false, e
	}
	if e := m.p.book.Refuse(s, r); e != nil {
		return nil, false, e
	}
	params, forced, err := m.params(ctx, r)
	if err != nil {
		return nil, false, w.Refused(s, err)
	}
	var res *http.Response
	err = m.p.client.Post(ctx, "v1/messages", params, &res,
		option.WithJSONSet("stream", true), option.WithHeader("Accept", "text/event-stream"))
	if err != nil {
		return nil, false, fail(w, s, err)
	}
	return res, forced, nil
}

// event is the part of an event that we read.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Usage *usage `json:"usage"`
	} `json:"message"`
	Block struct {
		Type     string `json:"type"`
		ID       string `json:"id"`
		Name     string `json:"name"`
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
		Data     string `json:"data"`
	} `json:"content_block"`
	Delta struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		JSON       string `json:"partial_json"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage *usage `json:"usage"`
}

// usage counts tokens; a count that an event leaves out keeps its value.
type usage struct {
	In         *int64 `json:"input_tokens"`
	Out        *int64 `json:"output_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
}

func (u *usage) into(c *core.Usage) {
	if u == nil {
		return
	}
	for _, f := range []struct {
		from *int64
		to   *int64
	}{{u.In, &c.In}, {u.Out, &c.Out}, {u.CacheWrite, &c.CacheWrite}, {u.CacheRead, &c.CacheRead}} {
		if f.from != nil && *f.from >= 0 {
			*f.to = *f.from
		}
	}
}

// answer is the state of one stream.
type answer struct {
	s       llm.Source
	w       *llm.Watch
	yield   func(llm.Delta, error) bool
	forced  bool // the answer is the input of answerTool
	later   bool // the request brought tool results: then an empty answer is one
	calls   *llm.Calls
	usage   core.Usage
	thought strings.Builder // the signature of the block that is open
	finish  string
	ended   bool
	text    bool
	gone    bool // the consumer broke out
}

func (a *answer) read(res *http.Response) {
	dec := ssestream.NewDecoder(res)
	for dec.Next() {
		data := bytes.TrimSpace(dec.Event().Data)
		if dec.Event().Type == "ping" || len(data) == 0 {
			continue
		}
		if err := a.event(data); err != nil {
			a.fail(err)
			return
		}
		if a.gone {
			return
		}
		if a.ended {
			break
		}
	}
	if !a.ended {
		err := dec.Err()
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		a.fail(err)
		return
	}
	a.w.Drain(res.Body)
	a.end()
}

func (a *answer) fail(err error) { a.yield(llm.Delta{}, a.w.Fail(a.s, err)) }

func (a *answer) event(data []byte) error {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	switch e.Type {
	case "message_start":
		e.Message.Usage.into(&a.usage)
		u := a.usage
		a.put(llm.Delta{Kind: llm.DeltaUsage, Usage: &u})
	case "content_block_start":
		return a.start(&e)
	case "content_block_delta":
		return a.delta(&e)
	case "content_block_stop":
		if a.thought.Len() > 0 {
			a.opaque(opaque{Signature: a.thought.String()})
			a.thought.Reset()
		}
	case "message_delta":
		e.Usage.into(&a.usage)
		if e.Delta.StopReason != "" {
			if a.finish == "" {
				a.w.Token() // what is said twice is nothing new
			}
			a.finish = e.Delta.StopReason
		}
	case "message_stop":
		a.ended = true
	case "error":
		return a.s.Reported(data)
	}
	return nil
}

func (a *answer) start(e *event) error {
	switch e.Block.Type {
	case "tool_use":
		return a.call(e.Index, e.Block.ID, e.Block.Name, "")
	case "redacted_thinking":
		if e.Block.Data != "" {
			a.opaque(opaque{Redacted: e.Block.Data})
		}
	case "text":
		a.emit(llm.DeltaText, e.Block.Text)
	case "thinking":
		a.emit(llm.DeltaReasoning, e.Block.Thinking)
	}
	return nil
}

func (a *answer) delta(e *event) error {
	switch e.Delta.Type {
	case "text_delta":
		a.emit(llm.DeltaText, e.Delta.Text)
	case "thinking_delta":
		a.emit(llm.DeltaReasoning, e.Delta.Thinking)
	case "signature_delta":
		if a.thought.Len()+len(e.Delta.Signature) > 1<<20 {
			return a.s.Error(llm.KindMalformed, "the signature of a thought is over 1 MiB", nil)
		}
		if e.Delta.Signature != "" {
			a.w.Token()
			a.thought.WriteString(e.Delta.Signature)
		}
	case "input_json_delta":
		if a.forced {
			a.emit(llm.DeltaText, e.Delta.JSON)
			return nil
		}
		return a.call(e.Index, "", "", e.Delta.JSON)
	}
	return nil
}

// call adds a piece of a tool call.
func (a *answer) call(index int, id, name, args string) error {
	size := a.calls.Size()
	err := a.calls.Add(a.s, index, id, name, args)
	if a.calls.Size() > size {
		a.w.Token()
	}
	return err
}

func (a *answer) opaque(o opaque) {
	data, err := json.Marshal(o)
	if err != nil {
		return // two strings always marshal
	}
	a.w.Token()
	a.put(llm.Delta{Kind: llm.DeltaOpaque, Part: &llm.Part{
		Type: llm.PartReasoning, Opaque: &core.Opaque{Provider: a.s.Provider, Data: data},
	}})
}

func (a *answer) emit(kind llm.DeltaKind, text string) {
	if text == "" {
		return
	}
	a.w.Token()
	a.text = a.text || kind == llm.DeltaText
	a.put(llm.Delta{Kind: kind, Text: text})
}

func (a *answer) put(d llm.Delta) {
	if !a.gone {
		a.gone = !a.yield(d, nil)
	}
}

// finishes maps the service's reasons.
var finishes = map[string]string{
	"end_turn": llm.FinishEnd, "stop_sequence": llm.FinishEnd, "pause_turn": llm.FinishEnd, "tool_use": llm.FinishToolUse,
	"max_tokens": llm.FinishMaxTokens, "model_context_window_exceeded": llm.FinishMaxTokens, "refusal": llm.FinishRefusal,
}

func (a *answer) end() {
	finish, ok := finishes[a.finish]
	if !ok {
		finish = llm.FinishEnd
	}
	var calls []*llm.Part
	if !a.forced && finish != llm.FinishMaxTokens && finish != llm.FinishRefusal { // a cut call is none
		var err error
		if calls, err = a.calls.Done(a.s); err != nil {
			a.fail(err)
			return
		}
	}
	switch {
	case len(calls) > 0:
		finish = llm.FinishToolUse
	case finish == llm.FinishToolUse:
		finish = llm.FinishEnd
	}
	if !a.text && len(calls) == 0 && finish == llm.FinishEnd && !a.later {
		a.fail(a.s.Error(llm.KindEmpty, "the answer was empty", nil))
		return
	}
	for _, c := range calls {
		a.put(llm.Delta{Kind: llm.DeltaCall, Part: c})
	}
	u := a.usage
	a.put(llm.Delta{Kind: llm.DeltaUsage, Usage: &u})
	a.put(llm.Delta{Kind: llm.DeltaFinish, Finish: finish})
}
