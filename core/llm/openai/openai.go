// Package openai talks to OpenAI and to every service that speaks its chat completions: OpenRouter, Gemini's compatible
// endpoint, vLLM, LM Studio, llama.cpp and the like. Requests are built and sent by the official SDK; its stream of typed
// events is not used, because decoding one costs more than everything else the daemon does with a token. It may not retry,
// price or choose models: core/llm does.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"jarvis/core/llm"
)

// Options configure one provider.
type Options struct {
	Name       string // the first part of its refs
	Type       string // llm.TypeOpenAI, TypeGoogle, TypeOpenRouter or TypeCompatible
	BaseURL    string // "" = the type's own
	APIKey     string
	Headers    map[string]string
	HTTPClient *http.Client // of llm.HTTPClient
	Blobs      llm.Blobs
	Models     []llm.Info // from the configuration; the first is the provider's default
	Catalogue  *llm.Catalogue
	Timeouts   llm.Timeouts
	Limits     llm.Limits
}

// The services' addresses.
var baseURLs = map[string]string{
	llm.TypeOpenAI:     "https://api.openai.com/v1",
	llm.TypeGoogle:     "https://generativelanguage.googleapis.com/v1beta/openai",
	llm.TypeOpenRouter: "https://openrouter.ai/api/v1",
}

// Provider is one service.
type Provider struct {
	o      Options
	client openai.Client
	book   *llm.Book
}

// New makes a provider. It does not touch the network.
func New(o Options) (*Provider, error) {
	base, err := llm.CleanBaseURL(cmp.Or(o.BaseURL, baseURLs[o.Type]))
	if err != nil {
		return nil, fmt.Errorf("provider %s: base_url: %w", o.Name, err)
	}
	o.Limits, o.Timeouts = o.Limits.Or(), o.Timeouts.At(base)
	if o.HTTPClient == nil {
		if o.HTTPClient, err = llm.HTTPClient(llm.HTTPOptions{Timeouts: o.Timeouts}); err != nil {
			return nil, err
		}
	}
	opts := []option.RequestOption{
		option.WithBaseURL(base + "/"), option.WithHTTPClient(o.HTTPClient), option.WithMaxRetries(0),
		option.WithUnsafeAllowHTTP(), // a server of one's own often has no TLS; the configuration warns
	}
	if o.APIKey != "" {
		opts = append(opts, option.WithAPIKey(o.APIKey))
	}
	if o.Type == llm.TypeOpenRouter {
		opts = append(opts, option.WithHeader("X-Title", "jarvis"))
	}
	for k, v := range o.Headers {
		opts = append(opts, option.WithHeader(k, v))
	}
	// A literal instead of NewClient: that would read OPENAI_… variables, also for other services.
	return &Provider{o: o, client: openai.Client{Options: opts}, book: llm.NewBook(o.Name, service(o), o.Catalogue, o.Models)}, nil
}

// service is the provider's name in the catalogue: a compatible one is known by its own (groq, deepseek, …).
func service(o Options) string {
	if o.Type == llm.TypeCompatible {
		return o.Name
	}
	return o.Type
}

// Name is the first part of the provider's refs.
func (p *Provider) Name() string { return p.o.Name }

// Type is the provider's type in the configuration.
func (p *Provider) Type() string { return p.o.Type }

// Default is the id of the model to take when nobody named one; "" = the first that Models gives.
func (p *Provider) Default() string { return p.book.Default() }

// Known lists the models that are known without the network.
func (p *Provider) Known() []llm.Info { return p.book.Known() }

// Model gives a model by its id; whether the service has it shows when it is used.
func (p *Provider) Model(id string) (llm.Model, error) {
	if id == "" {
		return nil, p.source("").Error(llm.KindNotFound, "no model is named", nil)
	}
	return &model{p: p, id: id}, nil
}

func (p *Provider) source(id string) llm.Source {
	secrets := []string{p.o.APIKey}
	for _, v := range p.o.Headers {
		secrets = append(secrets, v)
	}
	return llm.Source{Provider: p.o.Name, Model: id, Secrets: secrets}
}

// keyless reports a service that refuses without a key, before it is asked.
func (p *Provider) keyless(s llm.Source) *llm.Error {
	if p.o.APIKey != "" || p.o.Type == llm.TypeCompatible || len(p.o.Headers) > 0 || p.o.BaseURL != "" {
		return nil
	}
	return s.Error(llm.KindAuth, "no API key is configured", nil)
}

// listed is a model as the services list it; each adds its own fields.
type listed struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	ContextLength int    `json:"context_length"` // OpenRouter
	MaxModelLen   int    `json:"max_model_len"`  // vLLM
	Meta          struct {
		Window int `json:"n_ctx_train"` // llama.cpp
	} `json:"meta"`
	Architecture struct {
		Input []string `json:"input_modalities"`
	} `json:"architecture"`
	Parameters []string `json:"supported_parameters"`
	Top        struct {
		MaxOutput int `json:"max_completion_tokens"`
	} `json:"top_provider"`
	Pricing *pricing `json:"pricing"`
}

// Models asks the service for its list.
func (p *Provider) Models(ctx context.Context) ([]llm.Info, error) {
	s := p.source("")
	if e := p.keyless(s); e != nil {
		return nil, e
	}
	ctx, w := llm.NewWatch(ctx, llm.Timeouts{FirstToken: listTimeout})
	defer w.Stop()
	var body []byte
	if err := p.client.Get(ctx, "models", nil, &body); err != nil {
		return nil, fail(w, s, err)
	}
	var list struct {
		Data []listed `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, s.Fail(err)
	}
	ids := make([]string, 0, len(list.Data))
	for _, m := range list.Data {
		m.ID = strings.TrimPrefix(m.ID, "models/") // Gemini's
		if m.ID == "" || (p.o.Type == llm.TypeOpenAI && !chats(m.ID)) {
			continue
		}
		if info, ok := m.info(); ok {
			p.book.Tell(info, m.Architecture.Input != nil)
		}
		ids = append(ids, m.ID)
	}
	return p.book.List(ids), nil
}

// others are parts of OpenAI's ids of models that do not chat.
var others = []string{
	"embedding", "tts", "whisper", "dall-e", "moderation", "image", "transcribe", "realtime", "audio", "sora",
	"davinci", "babbage", "instruct",
}

func chats(id string) bool {
	for _, o := range others {
		if strings.Contains(id, o) {
			return false
		}
	}
	return true
}

// fail classes an error of the SDK.
func fail(w *llm.Watch, s llm.Source, err error) error {
	var api *openai.Error
	if errors.As(err, &api) {
		body, h := api.RawJSON(), http.Header{}
		if api.Response != nil {
			h = api.Response.Header
		}
		return s.Status(api.StatusCode, h, []byte(body))
	}
	return w.Fail(s, err)
}
