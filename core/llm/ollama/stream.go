package ollama

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"

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

// Info is what is known of the model. Its window is known from its first use, or from Prepare.
func (m *model) Info() llm.Info {
	i, _ := m.p.book.Info(m.id)
	i.Local, i.Schema = true, true
	if i.Price == nil {
		i.Price = &llm.Price{}
	}
	return i
}

// Prepare asks for the model's facts, so that Info knows its window before the first request.
func (m *model) Prepare(ctx context.Context) error {
	_, err := m.p.facts(ctx, m.source())
	return err
}

// facts gives what is known of the model for a request. One that has no facts may still answer: whether it is there is for
// the request itself to say.
func (m *model) facts(ctx context.Context, s llm.Source) (llm.Info, error) {
	info, err := m.p.facts(ctx, s)
	var e *llm.Error
	if errors.As(err, &e) && e.Status != 0 {
		return llm.Info{Ref: m.id, Window: unknownWindow, Tools: true, Images: true}, nil
	}
	return info, err
}

func (m *model) source() llm.Source { return m.p.source(m.id) }

// Stream streams one answer.
func (m *model) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		s := m.source()
		info, err := m.facts(ctx, s)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		if e := m.p.book.Refuse(s, r); e != nil {
			yield(llm.Delta{}, e)
			return
		}
		ctx, w := llm.NewWatch(ctx, m.p.o.Timeouts.For(r))
		defer w.Stop()
		c, err := m.body(ctx, r, info)
		if err != nil {
			yield(llm.Delta{}, w.Refused(s, err))
			return
		}
		res, err := m.p.send(ctx, w, s, http.MethodPost, "/api/chat", c) //nolint:bodyclose // closed through the watched body
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		body := w.Body(res.Body, m.p.o.Limits)
		defer body.Close() //nolint:errcheck // read only
		a := answer{s: s, w: w, yield: yield, calls: llm.NewCalls(m.p.o.Limits.Arguments), limit: m.p.o.Limits.Line}
		if n := len(r.Messages); n > 0 {
			for _, p := range r.Messages[n-1].Parts {
				a.later = a.later || p.Type == llm.PartToolResult
			}
		}
		a.read(body)
	}
}

// line is one line of an answer.
type line struct {
	Message struct {
		Content   string `json:"content"`
		Thinking  string `json:"thinking"`
		ToolCalls []call `json:"tool_calls"`
	} `json:"message"`
	Done       bool   `json:"done"`
	DoneReason string `json:"done_reason"`
	Prompt     int64  `json:"prompt_eval_count"`
	Eval       int64  `json:"eval_count"`
	Error      string `json:"error"`
}

// answer is the state of one stream.
type answer struct {
	s     llm.Source
	w     *llm.Watch
	yield func(llm.Delta, error) bool
	limit int
	calls *llm.Calls
	later bool // the request brought tool results: then an empty answer is one
	text  bool
	gone  bool // the consumer broke out
}

func (a *answer) read(body io.Reader) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, a.limit+64<<10) // the body holds the limit, with better words
	for lines.Scan() {
		data := bytes.TrimSpace(lines.Bytes())
		if len(data) == 0 {
			continue
		}
		l, err := parse(a.s, data)
		if err == nil {
			err = a.take(&l)
		}
		if err != nil {
			if cut := lines.Err(); cut != nil { // the scanner gives the half line that was cut off, too
				err = cut
			}
			a.fail(err)
			return
		}
		if a.gone {
			return
		}
		if l.Done {
			a.w.Drain(body)
			a.end(&l)
			return
		}
	}
	err := lines.Err()
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	a.fail(err)
}

// parse reads one line; an error that it holds is the error.
func parse(s llm.Source, data []byte) (line, error) {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		return l, err
	}
	if l.Error != "" {
		return l, s.Reported(data)
	}
	return l, nil
}

func (a *answer) fail(err error) { a.yield(llm.Delta{}, a.w.Fail(a.s, err)) }

func (a *answer) take(l *line) error {
	a.emit(llm.DeltaReasoning, l.Message.Thinking)
	a.emit(llm.DeltaText, l.Message.Content)
	for _, c := range l.Message.ToolCalls {
		a.w.Token()
		if err := a.calls.Add(a.s, a.calls.Len(), "", c.Function.Name, string(c.Function.Arguments)); err != nil {
			return err
		}
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

func (a *answer) end(l *line) {
	finish := llm.FinishEnd
	if l.DoneReason == "length" {
		finish = llm.FinishMaxTokens
	}
	calls, err := a.calls.Done(a.s)
	switch {
	case err != nil:
		a.fail(err)
		return
	case len(calls) > 0:
		finish = llm.FinishToolUse
	case !a.text && finish == llm.FinishEnd && !a.later:
		a.fail(a.s.Error(llm.KindEmpty, "the answer was empty", nil))
		return
	}
	for _, c := range calls {
		if !a.yield(llm.Delta{Kind: llm.DeltaCall, Part: c}, nil) {
			return
		}
	}
	u := core.Usage{In: max(0, l.Prompt), Out: max(0, l.Eval)}
	if a.yield(llm.Delta{Kind: llm.DeltaUsage, Usage: &u}, nil) {
		a.yield(llm.Delta{Kind: llm.DeltaFinish, Finish: finish}, nil)
	}
}
