package ollama_test

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
	"jarvis/core/llm/llmtest"
	"jarvis/core/llm/ollama"
)

// blobs is a store of attachments in memory.
type blobs map[core.Digest][]byte

func (b blobs) Get(_ context.Context, d core.Digest) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(b[d])), nil
}

func provider(t *testing.T, s *llmtest.Server, change func(*ollama.Options)) *ollama.Provider {
	t.Helper()
	o := ollama.Options{
		Host: s.URL, Timeouts: llm.Timeouts{Connect: time.Second, FirstToken: 30 * time.Second, BetweenTokens: 30 * time.Second},
		Blobs: blobs{"img": []byte("\x89PNG"), "pdf": []byte("%PDF-1.7")},
	}
	if change != nil {
		change(&o)
	}
	p, err := ollama.New(o)
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

// sent is the part of a request's body that the tests look at.
func sent(t *testing.T, s *llmtest.Server) (out struct {
	Options struct {
		NumCtx int `json:"num_ctx"`
	}
	Tools    []any
	Format   json.RawMessage
	Think    any
	Truncate *bool
},
) {
	t.Helper()
	if err := json.Unmarshal(s.Last().Body, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAnswer(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Scripts: map[string]llmtest.Script{"counted": {Text: "hi", Usage: llmtest.Usage{In: 100, Out: 5}}}})
	p := provider(t, s, nil)
	for _, tc := range []struct{ model, text, reasoning, finish string }{
		{"echo", "You said: hällo", "", llm.FinishEnd},
		{"reason", "I have thought.", "Let me think about it.", llm.FinishEnd},
		{"max-tokens", "This is cut", "", llm.FinishMaxTokens},
		{"text-500", llmtest.Words(500), "", llm.FinishEnd},
	} {
		a := ask(t.Context(), t, p, tc.model, user("hällo"))
		if a.err != nil || a.text != tc.text || a.reasoning != tc.reasoning || a.finish != tc.finish {
			t.Errorf("%s: got %q, %q, %q, %v", tc.model, a.text, a.reasoning, a.finish, a.err)
		}
	}
	if a := ask(t.Context(), t, p, "counted", user("x")); a.usage != (core.Usage{In: 100, Out: 5}) {
		t.Errorf("usage %+v", a.usage)
	}
}

func TestWindow(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{})
	p := provider(t, s, nil)
	small := provider(t, s, func(o *ollama.Options) { o.Models = []llm.Info{{Ref: "echo", Window: 6000}} })
	for _, tc := range []struct {
		name string
		p    llm.Provider
		size int
		max  int
		want int // 0 = refused
	}{
		{"short", p, 10, 1000, 4096},
		{"answer counts", p, 10, 4096, 8192},
		{"long", p, 60_000, 4096, 32768},
		{"very long", p, 450_000, 4096, 131072},
		{"too long", p, 800_000, 4096, 0},
		{"configured window", small, 10, 8000, 6000},
		{"over the configured window", small, 40_000, 1000, 0},
	} {
		r := user(strings.Repeat("x", tc.size))
		r.MaxTokens = tc.max
		a := ask(t.Context(), t, tc.p, "echo", r)
		if tc.want == 0 {
			if e := (*llm.Error)(nil); !errors.As(a.err, &e) || e.Kind != llm.KindTooLong {
				t.Errorf("%s: %v", tc.name, a.err)
			}
			continue
		}
		if got := sent(t, s); a.err != nil || got.Options.NumCtx != tc.want || got.Truncate == nil || *got.Truncate {
			t.Errorf("%s: num_ctx %d, %v", tc.name, got.Options.NumCtx, a.err)
		}
	}
	m, _ := p.Model("echo")
	if m.Info().Window != 131072 || !m.Info().Images || m.Info().Price == nil {
		t.Errorf("info %+v", m.Info())
	}
}

func TestErrors(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Models: []string{"llama3.1:8b"}})
	for _, tc := range []struct {
		model  string
		kind   llm.Kind
		status int
		text   string
	}{
		{"missing-model", llm.KindNotFound, 404, "not found"},
		{"status-500", llm.KindServer, 500, ""},
		{"status-503", llm.KindOverloaded, 503, ""},
		{"hang", llm.KindTimeout, 0, "no answer within 100ms"},
		{"hang-mid", llm.KindTimeout, 0, "nothing came for 100ms"},
		{"cut", llm.KindCut, 0, "closed before the answer was complete"},
		{"bad-event", llm.KindMalformed, 0, "not valid JSON"},
		{"bad-args", llm.KindMalformed, 0, "not valid JSON"},
		{"empty", llm.KindEmpty, 0, "empty"},
		{"big-line", llm.KindMalformed, 0, "over the limit of 16 MiB"},
	} {
		// Only what waits in vain gets a short time: a busy machine must not fail the others.
		change := func(o *ollama.Options) {
			switch tc.model {
			case "hang":
				o.Timeouts.FirstToken = 100 * time.Millisecond
			case "hang-mid":
				o.Timeouts.BetweenTokens = 100 * time.Millisecond
			}
		}
		a := ask(t.Context(), t, provider(t, s, change), tc.model, user("hi"))
		var e *llm.Error
		if !errors.As(a.err, &e) || e.Kind != tc.kind || e.Status != tc.status || !strings.Contains(e.Error(), tc.text) {
			t.Errorf("%s: got %v", tc.model, a.err)
			continue
		}
		if tc.kind == llm.KindNotFound && e.Core().Hint != "jarvis model pull ollama/missing-model" {
			t.Errorf("hint %q", e.Core().Hint)
		}
	}
	a := ask(t.Context(), t, provider(t, s, func(o *ollama.Options) { o.Host = "127.0.0.1:1" }), "echo", user("hi"))
	if e := (*llm.Error)(nil); !errors.As(a.err, &e) || e.Kind != llm.KindNetwork {
		t.Errorf("no server: %v", a.err)
	}
}

func TestToolsAndFormat(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Scripts: map[string]llmtest.Script{"plain": {}}})
	p := provider(t, s, nil)
	r := user(`call calculate {"expression":"1+1"}`)
	r.Tools = []llm.Tool{{Name: "calculate", Schema: []byte(`{"type":"object"}`)}}
	a := ask(t.Context(), t, p, "echo", r)
	if a.err != nil || len(a.calls) != 1 || a.finish != llm.FinishToolUse || string(a.calls[0].Args) != `{"expression":"1+1"}` {
		t.Fatalf("got %+v", a)
	}
	r.Messages = append(r.Messages, llm.Message{Role: core.RoleAssistant, Parts: []llm.Part{*a.calls[0]}},
		llm.Message{Role: core.RoleUser, Parts: []llm.Part{{Type: llm.PartToolResult, Call: a.calls[0].Call, Name: "calculate", Text: "2"}}})
	if a = ask(t.Context(), t, p, "echo", r); a.err != nil || a.text != "The result: 2" {
		t.Fatalf("got %+v", a)
	}
	r = user("x")
	r.Tools = []llm.Tool{{Name: "calculate", Schema: []byte(`{"type":"object"}`)}}
	if a = ask(t.Context(), t, provider(t, s, nil), "plain", r); a.err != nil || len(sent(t, s).Tools) != 0 || sent(t, s).Think != nil {
		t.Errorf("a model without tools: %v %s", a.err, s.Last().Body)
	}
	r = user("x")
	r.Schema, r.Thinking = []byte(`{"type":"array"}`), "low"
	if a = ask(t.Context(), t, p, "json", r); a.err != nil || string(sent(t, s).Format) != `{"type":"array"}` || sent(t, s).Think != true {
		t.Errorf("format: %v %s", a.err, s.Last().Body)
	}
	r = user("x")
	r.Messages[0].Parts = append(r.Messages[0].Parts, llm.Part{Type: llm.PartBlob, Blob: "img", MediaType: "image/png"})
	if a = ask(t.Context(), t, p, "echo", r); a.err != nil || a.text != "You said: x [image]" {
		t.Errorf("image: %q %v", a.text, a.err)
	}
	r.Messages[0].Parts[1].MediaType = "application/pdf"
	if a = ask(t.Context(), t, p, "echo", r); a.err == nil {
		t.Error("a PDF was taken")
	}
}

func TestInstall(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{Models: []string{"llama3.1:8b"}})
	p := provider(t, s, nil)
	var seen []string
	err := p.Pull(t.Context(), "qwen3:4b", func(step string, done, total int64) { seen = append(seen, fmt.Sprint(step, done, "/", total)) })
	if err != nil || len(seen) != 5 || seen[2] != "pulling 1234500/1000" {
		t.Fatalf("%v %q", err, seen)
	}
	list, err := p.Models(t.Context())
	if err != nil || len(list) != 2 || list[1].Ref != "ollama/qwen3:4b" || !list[1].Installed || !list[1].Local {
		t.Fatalf("%v %+v", err, list)
	}
	if err := p.Remove(t.Context(), "qwen3:4b"); err != nil {
		t.Fatal(err)
	}
	var e *llm.Error
	if err := p.Remove(t.Context(), "qwen3:4b"); !errors.As(err, &e) || e.Kind != llm.KindNotFound {
		t.Errorf("removed twice: %v", err)
	}
	if err := p.Pull(t.Context(), "missing", nil); !errors.As(err, &e) || e.Kind != llm.KindNotFound {
		t.Errorf("a model that is none: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = p.Pull(ctx, "slow", func(string, int64, int64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestBreakEndsTheRequest(t *testing.T) {
	s := llmtest.New(t, llmtest.Options{})
	m, err := provider(t, s, nil).Model("text-1000-100")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range m.Stream(t.Context(), user("x")) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if !s.WaitGone() {
		t.Error("the server still streams")
	}
}

func TestBaseURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "http://127.0.0.1:11434",
		"0.0.0.0":                    "http://127.0.0.1:11434",
		"0.0.0.0:8080":               "http://127.0.0.1:8080",
		":8080":                      "http://127.0.0.1:8080",
		"gpu":                        "http://gpu:11434",
		"gpu:1":                      "http://gpu:1",
		"http://localhost":           "http://localhost:11434",
		"http://gpu":                 "http://gpu:80",
		"https://gpu.example":        "https://gpu.example:443",
		"https://gpu.example/ollama": "https://gpu.example:443/ollama",
		"http://gpu:9/":              "http://gpu:9",
		"::1":                        "http://[::1]:11434",
		"[::1]:9":                    "http://[::1]:9",
		"::":                         "http://127.0.0.1:11434",
		" gpu ":                      "http://gpu:11434",
	} {
		if got, err := ollama.BaseURL(in); err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"ftp://x", "http://user:secret@x", "http://x?y=1", "http://"} {
		if got, err := ollama.BaseURL(in); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
	}
}
