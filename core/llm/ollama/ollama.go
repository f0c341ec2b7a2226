// Package ollama talks to Ollama through its own API: its OpenAI endpoint cuts prompts silently, because only the own one takes
// the size of the window. It also installs and removes models. It may not retry, price or choose models: core/llm does.
package ollama

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"jarvis/core/llm"
)

// Options configure one provider.
type Options struct {
	Name       string // the first part of its refs; "" = ollama
	Host       string // as in OLLAMA_HOST: host, host:port or a URL; "" = its usual port on this machine
	APIKey     string // for one behind a proxy; "" = none
	Headers    map[string]string
	HTTPClient *http.Client // of llm.HTTPClient
	Blobs      llm.Blobs
	Models     []llm.Info // from the configuration; the first is the provider's default, its window bounds num_ctx
	Timeouts   llm.Timeouts
	Limits     llm.Limits
}

const (
	usualPort  = "11434"
	askTime    = 10 * time.Second  // for lists and facts
	maxListing = 16 << 20          // bytes
	pullTime   = 300 * time.Second // without news of a download
)

// Provider is one Ollama.
type Provider struct {
	o    Options
	base string
	book *llm.Book
}

// New makes a provider. It does not touch the network.
func New(o Options) (*Provider, error) {
	o.Name = cmp.Or(o.Name, llm.TypeOllama)
	base, err := BaseURL(o.Host)
	if err != nil {
		return nil, fmt.Errorf("provider %s: %w", o.Name, err)
	}
	o.Limits = o.Limits.Or()
	o.Timeouts = o.Timeouts.Or(llm.Timeouts{FirstToken: llm.SlowFirstToken})
	if o.HTTPClient == nil {
		if o.HTTPClient, err = llm.HTTPClient(llm.HTTPOptions{Timeouts: o.Timeouts}); err != nil {
			return nil, err
		}
	}
	return &Provider{o: o, base: base, book: llm.NewBook(o.Name, llm.TypeOllama, nil, o.Models)}, nil
}

// BaseURL turns what OLLAMA_HOST may hold into a URL without a last slash. An address to listen on everywhere is one to reach
// on this machine.
func BaseURL(host string) (string, error) {
	host = strings.TrimSpace(host)
	if host == "" {
		host = "127.0.0.1"
	}
	explicit := strings.Contains(host, "://")
	if !explicit {
		if strings.Count(host, ":") > 1 && !strings.HasPrefix(host, "[") {
			host = "[" + host + "]" // a bare IPv6 address
		}
		host = "http://" + host
	}
	base, err := llm.CleanBaseURL(host)
	if err != nil {
		return "", fmt.Errorf("host: %w", err)
	}
	u, err := url.Parse(base)
	if err != nil {
		return "", fmt.Errorf("host: %w", err)
	}
	name, port := u.Hostname(), u.Port()
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	if port == "" {
		port = usualPort
		if explicit && u.Scheme == "https" {
			port = "443"
		} else if explicit {
			port = "80"
			if ip := net.ParseIP(name); name == "localhost" || ip != nil && ip.IsLoopback() {
				port = usualPort // "http://localhost" is a slip, not a proxy
			}
		}
	}
	u.Host = net.JoinHostPort(name, port)
	return u.String(), nil
}

// Name is the first part of the provider's refs.
func (p *Provider) Name() string { return p.o.Name }

// Type is the provider's type in the configuration.
func (p *Provider) Type() string { return llm.TypeOllama }

// Default is the configured default model; "" = the first that is installed.
func (p *Provider) Default() string { return p.book.Default() }

// Model gives a model by its id; whether it is installed shows when it is used.
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

// send does one request and gives the answer's head; anything but success is an error.
func (p *Provider) send(ctx context.Context, w *llm.Watch, s llm.Source, method, path string, body any) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, w.Refused(s, fmt.Errorf("encode request: %w", err))
	}
	req, err := http.NewRequestWithContext(ctx, method, p.base+path, bytes.NewReader(data))
	if err != nil {
		return nil, w.Refused(s, fmt.Errorf("make request: %w", err))
	}
	req.Header.Set("Content-Type", "application/json")
	if p.o.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+p.o.APIKey)
	}
	for k, v := range p.o.Headers {
		req.Header.Set(k, v)
	}
	res, err := p.o.HTTPClient.Do(req)
	if err != nil {
		return nil, p.hint(w.Fail(s, err))
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close() //nolint:errcheck // read only
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return nil, w.Fail(s, err)
	}
	return nil, p.hint(s.Status(res.StatusCode, res.Header, text))
}

// hint adds the command that helps: a model that is not there can be installed.
func (p *Provider) hint(err error) error {
	e, ok := err.(*llm.Error) //nolint:errorlint // just made
	if ok && e.Kind == llm.KindNotFound && e.Model != "" {
		e.Hint = "jarvis model pull " + e.Provider + "/" + e.Model
	}
	return err
}

// get reads a small JSON answer.
func (p *Provider) get(ctx context.Context, s llm.Source, method, path string, body, into any) error {
	ctx, w := llm.NewWatch(ctx, llm.Timeouts{FirstToken: askTime})
	defer w.Stop()
	res, err := p.send(ctx, w, s, method, path, body)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // read only
	data, err := io.ReadAll(io.LimitReader(res.Body, maxListing))
	if err != nil {
		return w.Fail(s, err)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(data, into); err != nil {
		return s.Fail(err)
	}
	return nil
}

// Models lists what is installed. Windows and abilities are known only once a model has been used: asking for each would keep
// people waiting.
func (p *Provider) Models(ctx context.Context) ([]llm.Info, error) {
	var list struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := p.get(ctx, p.source(""), http.MethodGet, "/api/tags", nil, &list); err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(list.Models))
	for _, m := range list.Models {
		if m.Name == "" {
			continue
		}
		if _, ok := p.book.Told(m.Name); !ok {
			p.book.Tell(llm.Info{Ref: m.Name, Tools: true, Local: true, Installed: true, Price: &llm.Price{}, Schema: true}, false)
		}
		ids = append(ids, m.Name)
	}
	return p.book.List(ids), nil
}

// facts asks once what a model can do.
func (p *Provider) facts(ctx context.Context, s llm.Source) (llm.Info, error) {
	if m, ok := p.book.Told(s.Model); ok && m.Window > 0 {
		return m, nil
	}
	var show struct {
		Info         map[string]json.RawMessage `json:"model_info"`
		Capabilities []string                   `json:"capabilities"`
	}
	if err := p.get(ctx, s, http.MethodPost, "/api/show", map[string]string{"model": s.Model}, &show); err != nil {
		return llm.Info{}, err
	}
	m := llm.Info{Ref: s.Model, Local: true, Installed: true, Price: &llm.Price{}, Schema: true, Window: window(show.Info)}
	m.Tools = len(show.Capabilities) == 0 // an old Ollama does not say
	for _, c := range show.Capabilities {
		switch c {
		case "tools":
			m.Tools = true
		case "vision":
			m.Images = true
		case "thinking":
			m.Reasoning = true
		}
	}
	p.book.Tell(m, len(show.Capabilities) > 0)
	return m, nil
}

// unknownWindow is assumed when a model does not tell its own.
const unknownWindow = 8192

// window finds "<architecture>.context_length".
func window(info map[string]json.RawMessage) int {
	for k, v := range info {
		var n float64
		if strings.HasSuffix(k, ".context_length") && json.Unmarshal(v, &n) == nil && n >= 1 && n < 1<<31 {
			return int(n)
		}
	}
	return unknownWindow
}

// Remove deletes an installed model.
func (p *Provider) Remove(ctx context.Context, id string) error {
	return p.get(ctx, p.source(id), http.MethodDelete, "/api/delete", map[string]string{"model": id}, nil)
}
