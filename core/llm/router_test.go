package llm_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
)

// fakeProvider is a provider whose models answer or fail as told.
type fakeProvider struct {
	name, kind, def string
	models          []llm.Info
	listErr         error
	lists           int
	fail            error       // of its models
	after           []llm.Delta // before it
}

func (p *fakeProvider) Name() string    { return p.name }
func (p *fakeProvider) Type() string    { return p.kind }
func (p *fakeProvider) Default() string { return p.def }
func (p *fakeProvider) Known() []llm.Info {
	if p.kind == llm.TypeOllama {
		return nil
	}
	return p.models
}

func (p *fakeProvider) Models(context.Context) ([]llm.Info, error) {
	p.lists++
	return p.models, p.listErr
}

func (p *fakeProvider) Model(id string) (llm.Model, error) {
	return &fakeModel{ref: p.name + "/" + id, err: func() error { return p.fail }, after: p.after}, nil
}

type fakeModel struct {
	ref   string
	err   func() error
	after []llm.Delta // before the error
	price *llm.Price
	calls int
}

func (m *fakeModel) Ref() string    { return m.ref }
func (m *fakeModel) Info() llm.Info { return llm.Info{Ref: m.ref, Price: m.price} }

func (m *fakeModel) Stream(context.Context, llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		m.calls++
		for _, d := range m.after {
			if !yield(d, nil) {
				return
			}
		}
		if err := m.err(); err != nil {
			yield(llm.Delta{}, err)
			return
		}
		for _, d := range []llm.Delta{
			{Kind: llm.DeltaUsage, Usage: &core.Usage{In: 1}},
			{Kind: llm.DeltaText, Text: "hi from " + m.ref},
			{Kind: llm.DeltaUsage, Usage: &core.Usage{In: 1000, Out: 10}},
			{Kind: llm.DeltaFinish, Finish: llm.FinishEnd},
		} {
			if !yield(d, nil) {
				return
			}
		}
	}
}

type matcher func(llm.Request) bool

func (m matcher) Matches(r llm.Request) bool { return m(r) }

func infos(refs ...string) []llm.Info {
	var out []llm.Info
	for _, r := range refs {
		out = append(out, llm.Info{Ref: r, Installed: true})
	}
	return out
}

func netError(p string) error {
	return &llm.Error{Kind: llm.KindNetwork, Provider: p, Message: "no connection"}
}

// noWait retries without waiting.
var noWait = llm.Policy{Sleep: func(context.Context, time.Duration) error { return nil }, Jitter: func() float64 { return 0 }}

func router(o llm.RouterOptions) *llm.Router {
	o.Retry = noWait
	if o.Offline == nil {
		o.Offline = &fakeModel{ref: "builtin/offline", err: func() error { return nil }}
	}
	return llm.NewRouter(o)
}

// read gives the text, the notices and the error of a stream.
func read(seq iter.Seq2[llm.Delta, error]) (text string, notices []string, err error) {
	for d, e := range seq {
		if e != nil {
			return text, notices, e
		}
		switch d.Kind {
		case llm.DeltaText:
			text += d.Text
		case llm.DeltaNotice:
			notices = append(notices, d.Text)
		}
	}
	return text, notices, nil
}

func TestResolve(t *testing.T) {
	r := router(llm.RouterOptions{
		Providers: []llm.Provider{
			&fakeProvider{name: "anthropic", kind: llm.TypeAnthropic, def: "claude-sonnet-4-6", models: infos("anthropic/claude-sonnet-4-6", "anthropic/claude-haiku-4-5-20251001")},
			&fakeProvider{name: "work", kind: llm.TypeCompatible, models: infos("work/big", "work/org/large")},
			&fakeProvider{name: "ollama", kind: llm.TypeOllama, models: infos("ollama/llama3.1:8b", "ollama/qwen3:latest", "ollama/big")},
		},
		Catalogue: llm.NewCatalogue(),
		Aliases:   map[string]string{"mine": "work/big", "me": "mine", "loop": "loop2", "loop2": "loop"},
	})
	for name, want := range map[string]string{
		"anthropic/claude-sonnet-4-6": "anthropic/claude-sonnet-4-6",
		"anthropic/claude-next":       "anthropic/claude-next",
		"sonnet":                      "anthropic/claude-sonnet-4-6",
		"haiku":                       "anthropic/claude-haiku-4-5",
		"claude-haiku-4-5":            "anthropic/claude-haiku-4-5-20251001",
		"Claude-Sonnet-4-6":           "anthropic/claude-sonnet-4-6",
		"mine":                        "work/big",
		"me":                          "work/big",
		"big":                         "work/big",
		"org/large":                   "work/org/large",
		"llama3.1:8b":                 "ollama/llama3.1:8b",
		"qwen3":                       "ollama/qwen3:latest",
		"builtin/offline":             "builtin/offline",
		"":                            "anthropic/claude-sonnet-4-6",
		"auto":                        "anthropic/claude-sonnet-4-6",
	} {
		m, err := r.Resolve(t.Context(), name)
		if err != nil || m.Ref() != want {
			t.Errorf("%q: got %v, %v; want %s", name, m, err, want)
		}
	}
	for name, want := range map[string]string{
		"claude-sonet-4-6":   "did you mean anthropic/claude-sonnet-4-6",
		"sonet":              "did you mean sonnet",
		"llama3.1:7b":        "did you mean ollama/llama3.1:8b",
		"zzzzzzzzzz":         `unknown model "zzzzzzzzzz"`,
		"loop":               "unknown model",
		"gpt-5.5":            "it is a model of openai, which is not configured",
		"nowhere/x":          `unknown model "nowhere/x"`,
		"evil\x1b[31m\nname": `"evil [31m name"`,
	} {
		_, err := r.Resolve(t.Context(), name)
		if core.CodeOf(err) != core.BadRequest || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
	}
	if _, err := r.Resolve(t.Context(), "openai/gpt-5.5"); core.CodeOf(err) != core.UpstreamUnavailable {
		t.Errorf("a service without a key: %v", err)
	}
}

func TestAuto(t *testing.T) {
	auth := &llm.Error{Kind: llm.KindAuth, Provider: "anthropic", Status: 401, Message: "bad key"}
	busy := &llm.Error{Kind: llm.KindOverloaded, Provider: "anthropic", Status: 529, Message: "Overloaded"}
	cloud := func(list, use error) *fakeProvider {
		return &fakeProvider{name: "anthropic", kind: llm.TypeAnthropic, def: "claude", listErr: list, fail: use}
	}
	work := &fakeProvider{name: "work", kind: llm.TypeCompatible, models: infos("work/big")}
	ollama := &fakeProvider{name: "ollama", kind: llm.TypeOllama, models: infos("ollama/nomic-embed-text", "ollama/llama3.1:8b")}
	noOllama := &fakeProvider{name: "ollama", kind: llm.TypeOllama, listErr: netError("ollama")}
	local := &fakeProvider{name: "local", kind: llm.TypeLocal, models: infos("local/small")}
	for _, tc := range []struct {
		name      string
		providers []llm.Provider
		matches   bool
		text      string
		notice    string
		err       string
	}{
		{"the first by rank", []llm.Provider{local, ollama, work, cloud(nil, nil)}, true, "hi from anthropic/claude", "", ""},
		{"ollama's first chat model", []llm.Provider{ollama, local}, true, "hi from ollama/llama3.1:8b", "", ""},
		{"small model, not understood", []llm.Provider{noOllama, local}, false, "hi from local/small", "", ""},
		{"small model, understood", []llm.Provider{noOllama, local}, true, "hi from builtin/offline", "", ""},
		{"nothing", []llm.Provider{noOllama}, false, "hi from builtin/offline", "", ""},
		{"nothing at all", nil, true, "hi from builtin/offline", "", ""},
		{"bad key alone", []llm.Provider{cloud(auth, auth)}, true, "", "", "401 bad key"},
		{"bad key, another", []llm.Provider{cloud(auth, auth), ollama}, true, "hi from ollama/llama3.1:8b", "because anthropic: 401 bad key", ""},
		{"bad key, small model", []llm.Provider{cloud(auth, auth), local}, false, "hi from local/small", "because anthropic: 401 bad key", ""},
		{"no network", []llm.Provider{cloud(netError("anthropic"), nil)}, false, "", "", "no connection"},
		{"no network, understood", []llm.Provider{cloud(netError("anthropic"), nil)}, true, "hi from builtin/offline", "Answered by builtin/offline because anthropic: no connection", ""},
		{"lost in use", []llm.Provider{cloud(nil, netError("anthropic")), work}, false, "hi from work/big", "Answered by work/big because anthropic: no connection", ""},
		{"lost in use, small model", []llm.Provider{cloud(nil, netError("anthropic")), local}, false, "hi from local/small", "Answered by local/small", ""},
		{"lost in use, alone", []llm.Provider{cloud(nil, netError("anthropic"))}, false, "", "", "no connection"},
		{"busy, small model", []llm.Provider{cloud(nil, busy), local}, true, "", "", "529 Overloaded"},
		{"busy, another", []llm.Provider{cloud(nil, busy), work}, true, "hi from work/big", "Answered by work/big because anthropic: 529 Overloaded", ""},
		{"list refused, not the service", []llm.Provider{cloud(busy, nil)}, true, "hi from anthropic/claude", "", ""},
	} {
		r := router(llm.RouterOptions{Providers: tc.providers, Matcher: matcher(func(llm.Request) bool { return tc.matches })})
		m, err := r.Resolve(t.Context(), "auto")
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if c, ok := m.(llm.Chooser); ok {
			m = c.Choose(llm.Request{})
		}
		text, notices, err := read(m.Stream(t.Context(), llm.Request{}))
		if text != tc.text || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: got %q, %v", tc.name, text, err)
		}
		if joined := strings.Join(notices, "\n"); (tc.notice == "") != (joined == "") || !strings.Contains(joined, tc.notice) {
			t.Errorf("%s: notices %q", tc.name, notices)
		}
	}
}

func TestAutoProbesOnce(t *testing.T) {
	now := time.Unix(0, 0)
	p := &fakeProvider{name: "openai", kind: llm.TypeOpenAI, def: "gpt", listErr: netError("openai")}
	r := router(llm.RouterOptions{Providers: []llm.Provider{p}, Now: func() time.Time { return now }})
	for range 3 {
		if _, err := r.Default(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if p.lists != 1 {
		t.Errorf("asked %d times", p.lists)
	}
	p.listErr = nil
	now = now.Add(61 * time.Second)
	m, err := r.Default(t.Context())
	if err != nil || p.lists != 2 {
		t.Fatalf("not asked again: %d %v", p.lists, err)
	}
	if text, _, err := read(m.Stream(t.Context(), llm.Request{})); err != nil || text != "hi from openai/gpt" {
		t.Errorf("got %q %v", text, err)
	}
	r.Reprobe()
	if _, err = r.Default(t.Context()); err != nil || p.lists != 3 {
		t.Errorf("Reprobe: %d %v", p.lists, err)
	}
}

func TestList(t *testing.T) {
	r := router(llm.RouterOptions{Providers: []llm.Provider{
		&fakeProvider{name: "work", models: infos("work/big")},
		&fakeProvider{name: "down", listErr: netError("down")},
	}})
	list, errs := r.List(t.Context())
	var refs []string
	for _, m := range list {
		refs = append(refs, m.Ref)
	}
	if !slices.Equal(refs, []string{"work/big", "builtin/offline"}) || len(errs) != 1 {
		t.Errorf("got %v %v", refs, errs)
	}
}

func TestWrapped(t *testing.T) {
	r := router(llm.RouterOptions{Providers: []llm.Provider{&fakeProvider{name: "work", models: infos("work/big")}}})
	m, err := r.Resolve(t.Context(), "work/big")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []llm.DeltaKind
	for d, err := range m.Stream(t.Context(), llm.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, d.Kind)
		if d.Kind == llm.DeltaModel && d.Text != "work/big" {
			t.Errorf("model %q", d.Text)
		}
		if d.Kind == llm.DeltaUsage && !d.Usage.Unpriced {
			t.Error("an unknown price counts as nothing")
		}
	}
	want := []llm.DeltaKind{llm.DeltaModel, llm.DeltaUsage, llm.DeltaText, llm.DeltaUsage, llm.DeltaFinish}
	if !slices.Equal(kinds, want) {
		t.Errorf("got %v", kinds)
	}
}

func TestConcurrency(t *testing.T) {
	r := llm.NewRouter(llm.RouterOptions{
		Providers:   []llm.Provider{&fakeProvider{name: "work", models: infos("work/big")}},
		Concurrency: llm.Concurrency{PerModel: 1},
	})
	m, _ := r.Resolve(t.Context(), "work/big")
	next, stop := iter.Pull2(m.Stream(t.Context(), llm.Request{}))
	if _, err, ok := next(); err != nil || !ok {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := read(m.Stream(ctx, llm.Request{})); !errors.Is(err, context.Canceled) {
		t.Errorf("a second answer at once: %v", err)
	}
	stop()
	if text, _, err := read(m.Stream(t.Context(), llm.Request{})); err != nil || text == "" {
		t.Errorf("after the first: %v", err)
	}
}

// TestAutoStays holds that a chain stays with the model it went to: what failed is not tried again, and is not said again.
func TestAutoStays(t *testing.T) {
	lost := &fakeProvider{name: "anthropic", kind: llm.TypeAnthropic, def: "claude", fail: netError("anthropic")}
	work := &fakeProvider{name: "work", kind: llm.TypeCompatible, models: infos("work/big")}
	m, err := router(llm.RouterOptions{Providers: []llm.Provider{lost, work}}).Resolve(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 0} {
		text, notices, err := read(m.Stream(t.Context(), llm.Request{}))
		if err != nil || text != "hi from work/big" || len(notices) != want || m.Ref() != "work/big" {
			t.Errorf("request %d: %q %q %v", i, text, notices, err)
		}
	}
	if _, ok := m.(llm.Chooser); !ok {
		t.Error("auto does not choose before the request is built")
	}
}
