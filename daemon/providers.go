package daemon

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"net/http"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/llm/anthropic"
	"jarvis/core/llm/local"
	"jarvis/core/llm/ollama"
	"jarvis/core/llm/openai"
	"jarvis/daemon/config"
)

// factory makes providers of what the configuration says.
type factory struct {
	http      *http.Client
	blobs     llm.Blobs
	catalogue *llm.Catalogue
	limits    llm.Limits
	local     *local.Provider // one for the life of the daemon: its workers stay warm; nil = none
	log       *slog.Logger
}

// providers gives those of the configuration in its order. One that cannot be made stands there with its error: whoever asks
// for it learns why, and the others work.
func (f factory) providers(c *config.Config, getenv func(string) string) []llm.Provider {
	var out []llm.Provider
	for _, p := range c.ProviderList(getenv) {
		if p.Type == config.TypeBuiltin || p.Type == config.TypeLocal && f.local == nil {
			continue
		}
		made, err := f.provider(p)
		if err != nil {
			f.log.Warn("Provider cannot be used", "provider", p.Name, "error", err)
			made = unusable{name: p.Name, kind: p.Type, err: err}
		}
		out = append(out, made)
	}
	return out
}

func (f factory) provider(p config.Provider) (llm.Provider, error) {
	if p.Problem != nil {
		return nil, p.Problem
	}
	headers := map[string]string{}
	for k, v := range p.Headers {
		headers[k] = v.Reveal()
	}
	switch p.Type {
	case config.TypeAnthropic:
		return anthropic.New(anthropic.Options{
			Name: p.Name, BaseURL: p.BaseURL, APIKey: p.Key.Reveal(), AuthToken: p.Token.Reveal(), Headers: headers,
			HTTPClient: f.http, Blobs: f.blobs, Models: infos(p), Catalogue: f.catalogue, Limits: f.limits,
		})
	case config.TypeOllama:
		return ollama.New(ollama.Options{
			Name: p.Name, Host: p.BaseURL, APIKey: p.Key.Reveal(), Headers: headers,
			HTTPClient: f.http, Blobs: f.blobs, Models: infos(p), Limits: f.limits,
		})
	case config.TypeLocal:
		return f.local, nil
	}
	return openai.New(openai.Options{
		Name: p.Name, Type: p.Type, BaseURL: p.BaseURL, APIKey: cmp.Or(p.Key, p.Token).Reveal(), Headers: headers,
		HTTPClient: f.http, Blobs: f.blobs, Models: infos(p), Catalogue: f.catalogue, Limits: f.limits,
	})
}

// infos is what the configuration says of a provider's models.
func infos(p config.Provider) []llm.Info {
	var out []llm.Info
	for _, m := range p.Models {
		i := llm.Info{Ref: m.ID, Name: m.ID, Window: m.ContextWindow, MaxOutput: m.MaxOutput, Said: &llm.Abilities{Images: m.Images, PDF: m.PDF, Tools: m.Tools}}
		if u := m.USDPerMTok; u != nil {
			i.Price = &llm.Price{In: micro(u.In), Out: micro(u.Out), CacheRead: micro(u.CacheRead), CacheWrite: micro(u.CacheWrite)}
		}
		out = append(out, i)
	}
	return out
}

func micro(usd float64) core.MicroUSD { return core.MicroUSD(math.Round(usd * 1e6)) }

// unusable is a provider that could not be made.
type unusable struct {
	name, kind string
	err        error
}

// Name is the provider's.
func (u unusable) Name() string { return u.name }

// Type is the provider's.
func (u unusable) Type() string { return u.kind }

// Models gives the reason.
func (u unusable) Models(context.Context) ([]llm.Info, error) { return nil, u.fail() }

// Model gives the reason.
func (u unusable) Model(string) (llm.Model, error) { return nil, u.fail() }

func (u unusable) fail() error {
	return &llm.Error{Kind: llm.KindUnavailable, Provider: u.name, Message: u.err.Error(), Hint: hintOf(u.err), Err: u.err}
}

func hintOf(err error) string {
	var e *core.Error
	if asCore(err, &e) && e.Hint != "" {
		return e.Hint
	}
	return "jarvis config edit"
}
