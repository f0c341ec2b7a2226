// Package anthropic talks to Anthropic's messages API. Requests are built and sent by the official SDK; its stream of typed
// events is not used, because decoding one costs more than everything else the daemon does with a token. It may not retry,
// price or choose models: core/llm does.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"jarvis/core/llm"
)

// Options configure one provider.
type Options struct {
	Name       string // the first part of its refs
	BaseURL    string // without /v1; "" = Anthropic's own
	APIKey     string
	AuthToken  string // an OAuth token; used when there is no key
	Headers    map[string]string
	HTTPClient *http.Client // of llm.HTTPClient
	Blobs      llm.Blobs
	Models     []llm.Info // from the configuration; the first is the provider's default
	Catalogue  *llm.Catalogue
	Timeouts   llm.Timeouts
	Limits     llm.Limits
}

const (
	baseURL     = "https://api.anthropic.com"
	oauthBeta   = "oauth-2025-04-20" // without it OAuth tokens are refused
	listTimeout = 10 * time.Second
)

// Provider is Anthropic or a service that speaks its API.
type Provider struct {
	o      Options
	client anthropic.Client
	book   *llm.Book
}

// New makes a provider. It does not touch the network.
func New(o Options) (*Provider, error) {
	o.Name = cmp.Or(o.Name, llm.TypeAnthropic)
	base, err := llm.CleanBaseURL(cmp.Or(o.BaseURL, baseURL))
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
		option.WithBaseURL(strings.TrimSuffix(base, "/v1")), option.WithHTTPClient(o.HTTPClient), option.WithMaxRetries(0),
	}
	// The headers by hand: the SDK sends a key as a bearer token, which many a proxy in front of the API does not take.
	switch {
	case o.APIKey != "":
		opts = append(opts, option.WithHeader("X-Api-Key", o.APIKey))
	case o.AuthToken != "":
		opts = append(opts, option.WithHeader("Authorization", "Bearer "+o.AuthToken), option.WithHeader("Anthropic-Beta", oauthBeta))
	}
	for k, v := range o.Headers {
		opts = append(opts, option.WithHeader(k, v))
	}
	// A literal instead of NewClient: that would read ANTHROPIC_… variables and credential files.
	return &Provider{o: o, client: anthropic.Client{Options: opts}, book: llm.NewBook(o.Name, llm.TypeAnthropic, o.Catalogue, o.Models)}, nil
}

// Name is the first part of the provider's refs.
func (p *Provider) Name() string { return p.o.Name }

// Type is the provider's type in the configuration.
func (p *Provider) Type() string { return llm.TypeAnthropic }

// Default is the id of the model to take when nobody named one.
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
	secrets := []string{p.o.APIKey, p.o.AuthToken}
	for _, v := range p.o.Headers {
		secrets = append(secrets, v)
	}
	return llm.Source{Provider: p.o.Name, Model: id, Secrets: secrets}
}

// keyless reports a service that refuses without a key, before it is asked.
func (p *Provider) keyless(s llm.Source) *llm.Error {
	if p.o.APIKey != "" || p.o.AuthToken != "" || len(p.o.Headers) > 0 || p.o.BaseURL != "" {
		return nil
	}
	return s.Error(llm.KindAuth, "no API key is configured", nil)
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
	if err := p.client.Get(ctx, "v1/models?limit=1000", nil, &body); err != nil {
		return nil, fail(w, s, err)
	}
	var list struct {
		Data []struct {
			ID   string `json:"id"`
			Name string `json:"display_name"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, s.Fail(err)
	}
	ids := make([]string, 0, len(list.Data))
	for _, m := range list.Data {
		if m.ID != "" {
			ids = append(ids, m.ID)
		}
	}
	return p.book.List(ids), nil
}

// fail classes an error of the SDK.
func fail(w *llm.Watch, s llm.Source, err error) error {
	var api *anthropic.Error
	if errors.As(err, &api) {
		h := http.Header{}
		if api.Response != nil {
			h = api.Response.Header
		}
		return s.Status(api.StatusCode, h, []byte(api.RawJSON()))
	}
	return w.Fail(s, err)
}
