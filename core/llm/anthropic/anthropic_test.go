package anthropic_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/llm/anthropic"
	"jarvis/core/llm/llmtest"
)

const key = "sk-ant-test-0123456789abcdef"

// blobs is a store of attachments in memory.
type blobs map[core.Digest][]byte

func (b blobs) Get(_ context.Context, d core.Digest) (io.ReadCloser, error) {
	data, ok := b[d]
	if !ok {
		return nil, core.E(core.NotFound, "no such blob", "", nil)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func provider(t *testing.T, s *llmtest.Server, change func(*anthropic.Options)) *anthropic.Provider {
	t.Helper()
	o := anthropic.Options{
		Name: "anthropic", BaseURL: s.URL, APIKey: key, Catalogue: llm.NewCatalogue(),
		Timeouts: llm.Timeouts{Connect: time.Second, FirstToken: 30 * time.Second, BetweenTokens: 30 * time.Second},
		Blobs:    blobs{"img": []byte("\x89PNG"), "pdf": []byte("%PDF-1.7")},
	}
	if change != nil {
		change(&o)
	}
	p, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// answer is a stream read to its end.
type answer struct {
	text, reasoning string
	calls           []*llm.Part
	opaque          []*core.Opaque
	usage           core.Usage
	finish          string
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
		if a.finish != "" {
			t.Errorf("%s after the finish", d.Kind)
		}
		switch d.Kind {
		case llm.DeltaText:
			a.text += d.Text
		case llm.DeltaReasoning:
			a.reasoning += d.Text
		case llm.DeltaOpaque:
			a.opaque = append(a.opaque, d.Part.Opaque)
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

func text(s string) llm.Part { return llm.Part{Type: llm.PartText, Text: s} }

func turn(role string, parts ...llm.Part) llm.Message { return llm.Message{Role: role, Parts: parts} }

func user(s string) llm.Request {
	return llm.Request{Messages: []llm.Message{turn(core.RoleUser, text(s))}, MaxTokens: 4096}
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
	for _, tc := range []struct{ model, text, reasoning, finish string }{
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
	}
	a := ask(t.Context(), t, p, "cached", user("x"))
	if want := (core.Usage{In: 100, Out: 5, CacheRead: 900, CacheWrite: 40}); a.usage != want {
		t.Errorf("usage %+v, want %+v", a.usage, want)
	}
	if h := s.Last().Header; h.Get("X-Api-Key") != key || h.Get("Authorization") != "" {
		t.Errorf("headers %v", h)
	}
}

func TestOAuth(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Key: "token-0123456789"})
	p := provider(t, s, func(o *anthropic.Options) { o.APIKey, o.AuthToken, o.BaseURL = "", "token-0123456789", s.URL+"/v1/" })
	if a := ask(t.Context(), t, p, "echo", user("x")); a.err != nil {
		t.Fatal(a.err)
	}
	if h := s.Last().Header; h.Get("Anthropic-Beta") == "" || h.Get("X-Api-Key") != "" {
		t.Errorf("headers %v", h)
	}
}

func TestErrors(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Key: key, Scripts: map[string]llmtest.Script{
		"leak":  {Status: 400, Message: "bad request with " + key + " inside\nand more"},
		"long":  {Status: 400, Message: "prompt is too long: 210000 tokens > 200000 maximum"},
		"quota": {Status: 400, Message: "Your credit balance is too low to access the Anthropic API."},
	}})
	for _, tc := range []struct {
		model  string
		kind   llm.Kind
		status int
		text   string
	}{
		{"missing-model", llm.KindNotFound, 404, "model: missing-model"},
		{"status-429-after-7", llm.KindRateLimited, 429, "rate limit"},
		{"status-500", llm.KindServer, 500, ""},
		{"status-529", llm.KindOverloaded, 529, "Overloaded"},
		{"hang", llm.KindTimeout, 0, "no answer within 100ms"},
		{"hang-mid", llm.KindTimeout, 0, "nothing came for 100ms"},
		{"cut", llm.KindCut, 0, "closed before the answer was complete"},
		{"bad-event", llm.KindMalformed, 0, "not valid JSON"},
		{"bad-args", llm.KindMalformed, 0, "arguments of tool time"},
		{"empty", llm.KindEmpty, 0, "empty"},
		{"big-line", llm.KindMalformed, 0, "over the limit of 16 MiB"},
		{"leak", llm.KindBadRequest, 400, "bad request with *** inside and more"},
		{"long", llm.KindTooLong, 400, "too long"},
		{"quota", llm.KindQuota, 400, "credit balance"},
	} {
		// Only what waits in vain gets a short time: a busy machine must not fail the others.
		change := func(o *anthropic.Options) {
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
		if e.Kind != tc.kind || e.Status != tc.status || !strings.Contains(e.Error(), tc.text) {
			t.Errorf("%s: got %s %d %q", tc.model, e.Kind, e.Status, e)
		}
		if tc.model == "status-429-after-7" && e.RetryAfter != 7*time.Second {
			t.Errorf("retry after %s", e.RetryAfter)
		}
		if strings.Contains(fmt.Sprintf("%v %+v", e, e.Core()), key) {
			t.Errorf("%s: the key is in the error", tc.model)
		}
	}
	a := ask(t.Context(), t, provider(t, s, func(o *anthropic.Options) { o.APIKey = "sk-other-key-000000000" }), "echo", user("hi"))
	if kindOf(a.err) != llm.KindAuth {
		t.Errorf("wrong key: %v", a.err)
	}
	a = ask(t.Context(), t, provider(t, s, func(o *anthropic.Options) { o.BaseURL, o.APIKey = "", "" }), "echo", user("hi"))
	if kindOf(a.err) != llm.KindAuth {
		t.Errorf("no key: %v", a.err)
	}
}

func TestTools(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{})
	p := provider(t, s, nil)
	r := user(`call calculate {"expression":"1+1"}`)
	r.Tools = []llm.Tool{{Name: "calculate", Description: "d", Schema: []byte(`{"type":"object","properties":{"expression":{"$ref":"#/$defs/e"}},"required":["expression"],"additionalProperties":false,"$defs":{"e":{"type":"string"}}}`)}}
	a := ask(t.Context(), t, p, "echo", r)
	if a.err != nil || len(a.calls) != 1 || a.finish != llm.FinishToolUse || string(a.calls[0].Args) != `{"expression":"1+1"}` {
		t.Fatalf("got %+v", a)
	}
	if body := string(s.Last().Body); !strings.Contains(body, `"$defs":{"e":{"type":"string"}}`) || !strings.Contains(body, `"required":["expression"]`) || !strings.Contains(body, `"additionalProperties":false`) {
		t.Errorf("body %s", body)
	}
	c := a.calls[0]
	c.Call = "abc-1" // the loop gives its own ids
	r.Messages = append(r.Messages, turn(core.RoleAssistant, *c),
		turn(core.RoleUser, text("and now?"), llm.Part{Type: llm.PartToolResult, Call: "abc-1", Text: "2"}))
	a = ask(t.Context(), t, p, "echo", r)
	if a.err != nil || a.text != "The result: 2 and now?" {
		t.Fatalf("got %+v", a)
	}
	if body := string(s.Last().Body); strings.Count(body, `"toolu_0"`) != 2 {
		t.Errorf("the provider's own id does not go back: %s", body)
	}
	r.Messages[2].Parts[1].Text = "" // an empty result is no empty text block
	if a = ask(t.Context(), t, p, "echo", r); a.err != nil {
		t.Error(a.err)
	}
}

// TestTurns holds that whatever the history, the API gets alternating turns without empty texts, and at most four cache points.
func TestTurns(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{})
	p := provider(t, s, nil)
	foreign := llm.Part{Type: llm.PartReasoning, Text: "hm", Opaque: &core.Opaque{Provider: "other", Data: []byte(`{"signature":"x"}`)}}
	r := llm.Request{
		System: []llm.Block{{Text: "one"}, {Text: " "}, {Text: "two"}},
		Messages: []llm.Message{
			turn(core.RoleAssistant, text("a leftover")),
			turn(core.RoleUser, text("a"), text("")),
			turn(core.RoleUser, text("b")),
			turn(core.RoleAssistant, foreign),
			turn(core.RoleAssistant, text("c"), text("  ")),
			turn(core.RoleUser, text("d")),
			turn(core.RoleAssistant, text("e")),
			turn(core.RoleUser, text("f")),
		},
		CacheAfter: []int{1, 2, 4, 5, 7},
		MaxTokens:  100,
	}
	a := ask(t.Context(), t, p, "echo", r)
	if a.err != nil || a.text != "You said: f" {
		t.Fatalf("got %q %v", a.text, a.err)
	}
	if body := string(s.Last().Body); strings.Count(body, "cache_control") != 4 || strings.Contains(body, "hm") {
		t.Errorf("body %s", body)
	}
}

func TestThinking(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Scripts: map[string]llmtest.Script{
		"claude-sonnet-4-5": {Reasoning: "hm", Signature: "s1", Calls: []llmtest.Call{{Name: "time", Args: "{}"}}, Then: &llmtest.Script{Text: "noon"}},
		"claude-opus-4-6":   {Reasoning: "hm", Text: "x"},
	}})
	p := provider(t, s, nil)
	r := user("when?")
	r.Thinking = "low"
	hot := 0.5
	r.Temperature = &hot
	r.Tools = []llm.Tool{{Name: "time", Schema: []byte(`{"type":"object"}`)}}
	a := ask(t.Context(), t, p, "claude-sonnet-4-5", r)
	if a.err != nil || a.reasoning != "hm" || len(a.opaque) != 1 || len(a.calls) != 1 {
		t.Fatalf("got %+v", a)
	}
	if body := string(s.Last().Body); !strings.Contains(body, `"budget_tokens":2048`) || strings.Contains(body, "temperature") || !strings.Contains(body, `"max_tokens":6144`) {
		t.Errorf("body %s", body)
	}
	thought := llm.Part{Type: llm.PartReasoning, Text: "hm", Opaque: a.opaque[0]}
	r.Messages = append(r.Messages, turn(core.RoleAssistant, thought, *a.calls[0]),
		turn(core.RoleUser, llm.Part{Type: llm.PartToolResult, Call: a.calls[0].Call, Text: "12:00"}))
	a = ask(t.Context(), t, p, "claude-sonnet-4-5", r)
	if body := string(s.Last().Body); a.err != nil || a.text != "noon" || !strings.Contains(body, `"signature":"s1"`) {
		t.Errorf("got %+v %s", a, body)
	}
	// A loop that another provider began has no thoughts to give back, so none may be asked for.
	r.Messages[1].Parts = r.Messages[1].Parts[1:]
	a = ask(t.Context(), t, p, "claude-sonnet-4-5", r)
	if body := string(s.Last().Body); a.err != nil || strings.Contains(body, "budget_tokens") || !strings.Contains(body, `"temperature":0.5`) {
		t.Errorf("got %v %s", a.err, body)
	}
	r = user("x")
	r.Thinking = "high"
	a = ask(t.Context(), t, p, "claude-opus-4-6", r)
	if body := string(s.Last().Body); a.err != nil || !strings.Contains(body, `"type":"adaptive"`) || !strings.Contains(body, `"effort":"high"`) {
		t.Errorf("got %v %s", a.err, body)
	}
}

func TestSchema(t *testing.T) {
	closed := `{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`
	script := llmtest.Script{Text: `{"ok":true}`}
	s := llmtest.New(t, llmtest.Options{Scripts: map[string]llmtest.Script{"claude-sonnet-4-6": script, "claude-sonnet-4-20250514": script}})
	p := provider(t, s, nil)
	for _, tc := range []struct{ name, model, schema, has string }{
		{"native", "claude-sonnet-4-6", closed, `"output_config":{"format":{"schema"`},
		{"open schema", "claude-sonnet-4-6", `{"type":"object","properties":{"ok":{"minimum":1}}}`, `"tool_choice":{"name":"answer","type":"tool"}`},
		{"older model", "claude-sonnet-4-20250514", closed, `"tool_choice":{"name":"answer","type":"tool"}`},
		{"array", "claude-sonnet-4-6", `{"type":"array"}`, "exactly one JSON value"},
	} {
		r := user("x")
		r.Schema = json.RawMessage(tc.schema)
		a := ask(t.Context(), t, p, tc.model, r)
		if body := string(s.Last().Body); a.err != nil || a.text != `{"ok":true}` || a.finish != llm.FinishEnd || !strings.Contains(body, tc.has) {
			t.Errorf("%s: %+v %s", tc.name, a, body)
		}
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
	r.Messages[0].Parts[1].Blob = "gone"
	if a = ask(t.Context(), t, provider(t, s, nil), "echo", r); kindOf(a.err) != llm.KindBadRequest {
		t.Errorf("a lost blob: %v", a.err)
	}
}

func TestBreakEndsTheRequest(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{})
	m, err := provider(t, s, nil).Model("text-1000-100")
	if err != nil {
		t.Fatal(err)
	}
	for d := range m.Stream(t.Context(), user("x")) {
		if d.Kind == llm.DeltaText {
			break
		}
	}
	if !s.WaitGone() {
		t.Error("the server still streams")
	}
}

func TestModels(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Key: key, Models: []string{"claude-sonnet-4-6", "claude-next"}})
	p := provider(t, s, nil)
	list, err := p.Models(t.Context())
	if err != nil || len(list) != 2 || list[0].Ref != "anthropic/claude-sonnet-4-6" || list[0].Window == 0 || list[1].Window != 0 {
		t.Fatalf("%v %+v", err, list)
	}
	if p.Default() != "claude-sonnet-4-6" {
		t.Errorf("default %q", p.Default())
	}
	_, err = provider(t, s, func(o *anthropic.Options) { o.APIKey = "wrong-key-1234" }).Models(t.Context())
	if kindOf(err) != llm.KindAuth {
		t.Errorf("wrong key: %v", err)
	}
}
