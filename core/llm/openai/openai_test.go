package openai_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/llm/llmtest"
	"jarvis/core/llm/openai"
)

const key = "sk-test-0123456789abcdef"

// blobs is a store of attachments in memory.
type blobs map[core.Digest][]byte

func (b blobs) Get(_ context.Context, d core.Digest) (io.ReadCloser, error) {
	data, ok := b[d]
	if !ok {
		return nil, core.E(core.NotFound, "no such blob", "", nil)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func provider(t *testing.T, s *llmtest.Server, change func(*openai.Options)) *openai.Provider {
	t.Helper()
	o := openai.Options{
		Name: "work", Type: llm.TypeCompatible, BaseURL: s.URL + "/v1", APIKey: key, Catalogue: llm.NewCatalogue(),
		Timeouts: llm.Timeouts{Connect: time.Second, FirstToken: 30 * time.Second, BetweenTokens: 30 * time.Second},
		Blobs:    blobs{"img": []byte("\x89PNG"), "pdf": []byte("%PDF-1.7")},
	}
	if change != nil {
		change(&o)
	}
	p, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// answer is a stream read to its end.
type answer struct {
	text, reasoning string
	calls           []*llm.Part
	usage           core.Usage
	finish          string
	kinds           []llm.DeltaKind
	err             error
}

func ask(ctx context.Context, t *testing.T, p llm.Provider, model string, r llm.Request) answer {
	t.Helper()
	m, err := p.Model(model)
	if err != nil {
		t.Fatal(err)
	}
	var a answer
	for d, err := range m.Stream(ctx, r) {
		if err != nil {
			a.err = err
			break
		}
		a.kinds = append(a.kinds, d.Kind)
		switch d.Kind {
		case llm.DeltaText:
			a.text += d.Text
		case llm.DeltaReasoning:
			a.reasoning += d.Text
		case llm.DeltaCall:
			a.calls = append(a.calls, d.Part)
		case llm.DeltaUsage:
			a.usage = *d.Usage
		case llm.DeltaFinish:
			a.finish = d.Finish
		}
	}
	return a
}

func user(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: core.RoleUser, Parts: []llm.Part{{Type: llm.PartText, Text: text}}}}}
}

func kindOf(err error) llm.Kind {
	var e *llm.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return llm.Kind(fmt.Sprintf("%T", err))
}

func TestAnswer(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Key: key, Scripts: map[string]llmtest.Script{
		"cached": {Text: "hi", Usage: llmtest.Usage{In: 100, Out: 5, CacheRead: 900, CacheWrite: 40}},
	}})
	p := provider(t, s, nil)
	for _, tc := range []struct {
		model, text, reasoning, finish string
	}{
		{"echo", "You said: hällo", "", llm.FinishEnd},
		{"reason", "I have thought.", "Let me think about it.", llm.FinishEnd},
		{"refusal", "I cannot help with that.", "", llm.FinishRefusal},
		{"max-tokens", "This is cut", "", llm.FinishMaxTokens},
		{"text-500", llmtest.Words(500), "", llm.FinishEnd},
	} {
		a := ask(t.Context(), t, p, tc.model, user("hällo"))
		if a.err != nil || a.text != tc.text || a.reasoning != tc.reasoning || a.finish != tc.finish {
			t.Errorf("%s: got %q, %q, %q, %v", tc.model, a.text, a.reasoning, a.finish, a.err)
		}
		if last := a.kinds[len(a.kinds)-1]; last != llm.DeltaFinish {
			t.Errorf("%s: last delta is %s", tc.model, last)
		}
	}
	a := ask(t.Context(), t, p, "cached", user("x"))
	if want := (core.Usage{In: 100, Out: 5, CacheRead: 900, CacheWrite: 40}); a.usage != want {
		t.Errorf("usage %+v, want %+v", a.usage, want)
	}
}

func TestErrors(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Key: key, Scripts: map[string]llmtest.Script{
		"leak":  {Status: 400, Message: "bad request with " + key + " inside\nand more"},
		"long":  {Status: 400, Message: "This model's maximum context length is 8192 tokens."},
		"quota": {Status: 402, Message: "Insufficient credits"},
	}})
	for _, tc := range []struct {
		model  string
		kind   llm.Kind
		status int
		text   string
	}{
		{"missing-model", llm.KindNotFound, 404, "does not exist"},
		{"status-429", llm.KindRateLimited, 429, "Rate limit"},
		{"status-500", llm.KindServer, 500, "server had an error"},
		{"status-503", llm.KindOverloaded, 503, ""},
		{"status-529", llm.KindOverloaded, 529, ""},
		{"hang", llm.KindTimeout, 0, "no answer within 100ms"},
		{"hang-mid", llm.KindTimeout, 0, "nothing came for 100ms"},
		{"cut", llm.KindCut, 0, "closed before the answer was complete"},
		{"bad-event", llm.KindMalformed, 0, "not valid JSON"},
		{"bad-args", llm.KindMalformed, 0, "arguments of tool time"},
		{"empty", llm.KindEmpty, 0, "empty"},
		{"big-line", llm.KindMalformed, 0, "over the limit of 16 MiB"},
		{"leak", llm.KindBadRequest, 400, "bad request with *** inside and more"},
		{"long", llm.KindTooLong, 400, "maximum context length"},
		{"quota", llm.KindQuota, 402, "Insufficient"},
	} {
		// Only what waits in vain gets a short time: a busy machine must not fail the others.
		change := func(o *openai.Options) {
			switch tc.model {
			case "hang":
				o.Timeouts.FirstToken = 100 * time.Millisecond
			case "hang-mid":
				o.Timeouts.BetweenTokens = 100 * time.Millisecond
			}
		}
		a := ask(t.Context(), t, provider(t, s, change), tc.model, user("hi"))
		var e *llm.Error
		if !errors.As(a.err, &e) {
			t.Errorf("%s: error %v", tc.model, a.err)
			continue
		}
		if e.Kind != tc.kind || e.Status != tc.status || e.Provider != "work" || e.Model != tc.model || !strings.Contains(e.Error(), tc.text) {
			t.Errorf("%s: got %s %d %q", tc.model, e.Kind, e.Status, e)
		}
		if strings.Contains(fmt.Sprintf("%v %+v", e, e.Core()), key) {
			t.Errorf("%s: the key is in the error", tc.model)
		}
	}
	a := ask(t.Context(), t, provider(t, s, func(o *openai.Options) { o.APIKey = "sk-other-key-000000000" }), "echo", user("hi"))
	if kindOf(a.err) != llm.KindAuth || strings.Contains(a.err.Error(), "sk-abcd") {
		t.Errorf("wrong key: %v", a.err)
	}
	a = ask(t.Context(), t, provider(t, s, func(o *openai.Options) { o.Type, o.BaseURL, o.APIKey = llm.TypeOpenAI, "", "" }), "echo", user("hi"))
	if kindOf(a.err) != llm.KindAuth {
		t.Errorf("no key: %v", a.err)
	}
	a = ask(t.Context(), t, provider(t, s, func(o *openai.Options) { o.BaseURL = "http://127.0.0.1:1" }), "echo", user("hi"))
	if kindOf(a.err) != llm.KindNetwork || strings.Contains(a.err.Error(), "http://") {
		t.Errorf("no server: %v", a.err)
	}
}

func TestTools(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{})
	p := provider(t, s, nil)
	r := user(`call calculate {"expression":"1+1"}`)
	r.Tools = []llm.Tool{{Name: "calculate", Description: "d", Schema: []byte(`{"type":"object","properties":{"expression":{"$ref":"#/$defs/e"}},"required":["expression"],"additionalProperties":false,"$defs":{"e":{"type":"string"}}}`)}}
	r.Choice = "any"
	a := ask(t.Context(), t, p, "echo", r)
	if a.err != nil || len(a.calls) != 1 || a.finish != llm.FinishToolUse {
		t.Fatalf("got %+v", a)
	}
	c := a.calls[0]
	if c.Name != "calculate" || string(c.Args) != `{"expression":"1+1"}` || c.Opaque.Provider != "work" {
		t.Errorf("call %+v %s", c, c.Args)
	}
	if body := string(s.Last().Body); !strings.Contains(body, `"$defs":{"e":{"type":"string"}}`) || !strings.Contains(body, `"tool_choice":"required"`) {
		t.Errorf("body %s", body)
	}
	c.Call = "chain.1" // the loop gives its own ids
	r.Messages = append(r.Messages,
		llm.Message{Role: core.RoleAssistant, Parts: []llm.Part{*c}},
		llm.Message{Role: core.RoleUser, Parts: []llm.Part{{Type: llm.PartToolResult, Call: "chain.1", Text: "2"}}})
	a = ask(t.Context(), t, p, "echo", r)
	if a.err != nil || a.text != "The result: 2" {
		t.Fatalf("got %+v", a)
	}
	if body := string(s.Last().Body); strings.Count(body, `"call_0"`) != 2 {
		t.Errorf("the provider's own id does not go back: %s", body)
	}
	r.Messages[1].Parts[0].Opaque.Provider = "other"
	if a = ask(t.Context(), t, p, "echo", r); a.err != nil || strings.Contains(string(s.Last().Body), `"call_0"`) {
		t.Errorf("another provider's id: %v %s", a.err, s.Last().Body)
	}
}

func TestAttachments(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{})
	r := user("what is it")
	r.Messages[0].Parts = append(r.Messages[0].Parts,
		llm.Part{Type: llm.PartBlob, Blob: "img", MediaType: "image/png", Name: "a.png"},
		llm.Part{Type: llm.PartBlob, Blob: "pdf", MediaType: "application/pdf", Name: "a.pdf"})
	a := ask(t.Context(), t, provider(t, s, nil), "echo", r)
	if a.err != nil || a.text != "You said: what is it [image] [pdf]" {
		t.Errorf("got %q %v", a.text, a.err)
	}
	small := provider(t, s, func(o *openai.Options) { o.Limits.Blob = 2 })
	if a = ask(t.Context(), t, small, "echo", r); kindOf(a.err) != llm.KindBadRequest {
		t.Errorf("over the limit: %v", a.err)
	}
	blind := ""
	for _, m := range llm.NewCatalogue().Known(llm.TypeOpenRouter) {
		if !m.Images {
			blind = m.Ref
		}
	}
	router := provider(t, s, func(o *openai.Options) { o.Type = llm.TypeOpenRouter })
	if a = ask(t.Context(), t, router, blind, r); kindOf(a.err) != llm.KindBadRequest || !strings.Contains(a.err.Error(), "takes no images") {
		t.Errorf("a model without images: %v", a.err)
	}
	sized := provider(t, s, func(o *openai.Options) { o.Models = []llm.Info{{Ref: "echo", Window: 8192}} })
	if a = ask(t.Context(), t, sized, "echo", r); a.err != nil {
		t.Errorf("a model of which only the size is known: %v", a.err)
	}
}

func TestSchema(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Scripts: map[string]llmtest.Script{
		"old": {Status: 400, Message: "response_format is not supported", Next: []llmtest.Script{{Text: `{"ok":true}`}}},
	}})
	strict := []byte(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`)
	for _, tc := range []struct {
		name, kind, model string
		schema            []byte
		has, hasNot       string
	}{
		{"strict", llm.TypeOpenAI, "json", strict, `"strict":true`, "JSON schema"},
		{"loose", llm.TypeOpenAI, "json", []byte(`{"type":"object","properties":{"ok":{}}}`), `"strict":false`, "\x00"},
		{"array", llm.TypeOpenAI, "json", []byte(`{"type":"array"}`), "JSON schema", "response_format"},
		{"compatible", llm.TypeCompatible, "json", strict, "JSON schema", "\x00"},
		{"refused", llm.TypeCompatible, "old", strict, "JSON schema", "response_format"},
	} {
		r := user("x")
		r.Schema = tc.schema
		a := ask(t.Context(), t, provider(t, s, func(o *openai.Options) { o.Type = tc.kind }), tc.model, r)
		body := string(s.Last().Body)
		if a.err != nil || a.text != `{"ok":true}` || !strings.Contains(body, tc.has) || strings.Contains(body, tc.hasNot) {
			t.Errorf("%s: %q %v %s", tc.name, a.text, a.err, body)
		}
	}
}

func TestBreakEndsTheRequest(t *testing.T) {
	for _, how := range []string{"break", "cancel"} {
		s := llmtest.New(t, llmtest.Options{})
		m, err := provider(t, s, nil).Model("text-1000-100")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var last error
		for _, err := range m.Stream(ctx, user("x")) {
			last = err
			if how == "break" {
				break
			}
			cancel()
		}
		cancel()
		if how == "cancel" && !errors.Is(last, context.Canceled) {
			t.Errorf("error %v", last)
		}
		if !s.WaitGone() {
			t.Errorf("%s: the server still streams", how)
		}
	}
}

func TestModels(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Key: key, Models: []string{"gpt-5.5", "text-embedding-3", "other"}})
	p := provider(t, s, func(o *openai.Options) { o.Type, o.Name = llm.TypeOpenAI, "openai" })
	list, err := p.Models(t.Context())
	if err != nil || len(list) != 2 || list[0].Ref != "openai/gpt-5.5" || list[0].Window == 0 || list[0].Price == nil {
		t.Fatalf("%v %+v", err, list)
	}
	if p.Default() == "" {
		t.Error("no default model")
	}
	_, err = provider(t, s, func(o *openai.Options) { o.APIKey = "wrong-key-1234" }).Models(t.Context())
	if kindOf(err) != llm.KindAuth {
		t.Errorf("wrong key: %v", err)
	}
}

func TestOptions(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{})
	hot := 0.5
	for _, tc := range []struct {
		name, kind, model, thinking string
		has, hasNot                 []string
	}{
		{"plain", llm.TypeCompatible, "m", "high", []string{`"max_tokens":100`, `"temperature":0.5`}, []string{"reasoning", "max_completion_tokens"}},
		{"openai thinks", llm.TypeOpenAI, "gpt-5.5", "low", []string{`"max_completion_tokens":2148`, `"reasoning_effort":"low"`}, []string{"temperature", `"max_tokens"`}},
		{"openai thinks by itself", llm.TypeOpenAI, "gpt-5.5", "", []string{`"max_completion_tokens":8292`}, []string{"reasoning_effort"}},
		{"google", llm.TypeGoogle, "gemini-2.5-pro", "high", []string{`"max_tokens":24676`, `"reasoning_effort":"high"`}, nil},
		{"openrouter", llm.TypeOpenRouter, "anthropic/claude-sonnet-4.6", "low", []string{`"reasoning":{"effort":"low"}`, `"temperature":0.5`}, []string{"reasoning_effort"}},
	} {
		r := user("x")
		r.MaxTokens, r.Temperature, r.Thinking = 100, &hot, tc.thinking
		a := ask(t.Context(), t, provider(t, s, func(o *openai.Options) { o.Type = tc.kind }), tc.model, r)
		if a.err != nil {
			t.Errorf("%s: %v", tc.name, a.err)
		}
		body := string(s.Last().Body)
		for _, want := range tc.has {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %s in %s", tc.name, want, body)
			}
		}
		for _, not := range tc.hasNot {
			if strings.Contains(body, not) {
				t.Errorf("%s: %s in %s", tc.name, not, body)
			}
		}
	}
}

// TestLongLine holds that 10 MB in one line are an answer like any other: the limit is above.
func TestLongLine(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Scripts: map[string]llmtest.Script{"wide": {Fault: llmtest.BigLine, Line: 10_000_000}}})
	if a := ask(t.Context(), t, provider(t, s, nil), "wide", user("x")); a.err != nil || len(a.text) != 10_000_000 {
		t.Errorf("%d bytes, %v", len(a.text), a.err)
	}
}
