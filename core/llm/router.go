package llm

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"jarvis/core"
)

// Matcher tells whether builtin/offline's grammar fully understands a request.
type Matcher interface{ Matches(r Request) bool }

// RouterOptions make a Router.
type RouterOptions struct {
	Providers   []Provider // in the order of the configuration
	Catalogue   *Catalogue // to name services that are not configured; may be nil
	Aliases     map[string]string
	Default     string  // the configuration's model: "auto" (or "") or a name
	Offline     Model   // builtin/offline; nil = none
	Matcher     Matcher // of Offline; nil = it matches nothing
	Retry       Policy
	Concurrency Concurrency
	Now         func() time.Time // nil = time.Now
	Log         *slog.Logger     // nil = none
}

// Router finds models by what people type, and the one to take when they typed nothing. It is safe for concurrent use; the
// daemon makes a new one whenever its configuration changes, so that making one touches no network.
type Router struct {
	o       RouterOptions
	aliases map[string]string
	slots   *slots

	gate   chan struct{} // held while probing, so that a crowd at the start probes once
	mu     sync.Mutex    // guards what the routes know; taken inside gate, never while waiting for a provider
	routes []*route      // in the order that auto tries them
}

// NewRouter makes a router.
func NewRouter(o RouterOptions) *Router {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	r := &Router{o: o, aliases: Aliases(o.Aliases), slots: newSlots(o.Concurrency), gate: make(chan struct{}, 1)}
	r.routes = routes(o.Providers)
	return r
}

// The optional powers of a provider and of a model.
type (
	typed     interface{ Type() string }    // its type in the configuration
	defaulter interface{ Default() string } // the id to take when nobody named one; "" = the first of Models
	knower    interface{ Known() []Info }   // the models known without asking the service
	preparer  interface {
		Prepare(ctx context.Context) error
	} // asks for what Info must know before the first request
)

func typeOf(p Provider) string {
	if t, ok := p.(typed); ok {
		return t.Type()
	}
	return p.Name()
}

func known(p Provider) []Info {
	if k, ok := p.(knower); ok {
		return k.Known()
	}
	return nil
}

// Resolve finds a model by its name; "" and "auto" are the configured one.
func (r *Router) Resolve(ctx context.Context, name string) (Model, error) {
	name = strings.TrimSpace(name)
	if name == "" || name == "auto" {
		return r.Default(ctx)
	}
	return r.named(ctx, name)
}

// Default gives the configured model, or with "auto" the first that answers.
func (r *Router) Default(ctx context.Context) (Model, error) {
	if r.o.Default == "" || r.o.Default == "auto" {
		return r.auto(ctx)
	}
	m, err := r.named(ctx, r.o.Default)
	if err != nil {
		return nil, Blame(err, configuredModel, configuredHint)
	}
	if _, ok := m.(Chooser); ok { // an alias of auto
		return m, nil
	}
	return configured{m}, nil
}

// maxAliases bounds a chain of aliases, so that two that name each other end.
const maxAliases = 8

func (r *Router) named(ctx context.Context, name string) (Model, error) {
	for range maxAliases {
		full, ok := r.aliases[name]
		if !ok {
			break
		}
		name = full
	}
	if name == "auto" {
		return r.auto(ctx)
	}
	if provider, id, ok := strings.Cut(name, "/"); ok && id != "" {
		if p := r.provider(provider); p != nil {
			return r.model(ctx, p, id)
		}
		if r.o.Offline != nil && name == r.o.Offline.Ref() {
			return Announce(r.o.Offline), nil
		}
		if service(provider) {
			return nil, core.E(core.UpstreamUnavailable, "the provider "+provider+" is not configured", "jarvis setup", nil)
		}
	}
	if m, err := r.bare(ctx, name); m != nil || err != nil {
		return m, err
	}
	return nil, r.unknown(ctx, name)
}

func (r *Router) provider(name string) Provider {
	for _, p := range r.o.Providers {
		if p.Name() == name {
			return p
		}
	}
	return nil
}

// service reports whether a provider's name is one of the known services.
func service(name string) bool {
	switch name {
	case TypeAnthropic, TypeOpenAI, TypeGoogle, TypeOpenRouter, TypeOllama:
		return true
	}
	return false
}

// bare finds a name without a provider: in what is known first, because that asks nobody, then in what is installed.
func (r *Router) bare(ctx context.Context, name string) (Model, error) {
	for _, asks := range []bool{false, true} {
		for _, p := range r.o.Providers {
			list := known(p)
			if asks {
				if !installs(p) {
					continue
				}
				list = r.listing(ctx, p)
			}
			if id, ok := match(p, list, name); ok {
				return r.model(ctx, p, id)
			}
		}
	}
	return nil, nil
}

// installs reports whether a provider's list of models is on this machine or its neighbour's, so that asking is quick.
func installs(p Provider) bool {
	t := typeOf(p)
	return t == TypeOllama || t == TypeLocal || t == TypeBuiltin || t == TypeCompatible
}

// match finds a model by its bare id; an undated id finds a dated one, and Ollama's default tag may be left out.
func match(p Provider, list []Info, name string) (string, bool) {
	for _, same := range []func(id string) bool{
		func(id string) bool { return id == name },
		func(id string) bool { return strings.EqualFold(id, name) },
		func(id string) bool { return undated(id) == name || id == name+":latest" },
	} {
		for _, m := range list {
			if id := strings.TrimPrefix(m.Ref, p.Name()+"/"); same(id) {
				return id, true
			}
		}
	}
	return "", false
}

// listTime bounds how long one provider's list is waited for when a name is looked up.
const listTime = 5 * time.Second

func (r *Router) listing(ctx context.Context, p Provider) []Info {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	list, err := p.Models(ctx)
	if err != nil {
		r.o.Log.DebugContext(ctx, "Cannot list models", "provider", p.Name(), "error", err)
	}
	return list
}

// model gives a provider's model with everything that is the same for all: turns, retries, announcement and price.
func (r *Router) model(ctx context.Context, p Provider, id string) (Model, error) {
	m, err := p.Model(id)
	if err != nil {
		return nil, resolveError(err)
	}
	if q, ok := m.(preparer); ok {
		pctx, cancel := context.WithTimeout(ctx, listTime)
		defer cancel()
		if err := q.Prepare(pctx); err != nil { // it shows when the model is used
			r.o.Log.DebugContext(ctx, "Cannot ask for a model's facts", "model", m.Ref(), "error", err)
		}
	}
	if t := typeOf(p); t != TypeLocal && t != TypeBuiltin { // what fails on this machine fails again
		m = WithRetry(m, r.o.Retry)
	}
	return Announce(r.slots.limit(p.Name(), m)), nil
}

func resolveError(err error) error {
	if e, ok := err.(*Error); ok { //nolint:errorlint // only a bare one is ours to translate
		return e.Core()
	}
	return err
}

// unknown names the nearest models.
func (r *Router) unknown(ctx context.Context, name string) error {
	var names []string
	for a := range r.aliases {
		names = append(names, a)
	}
	slices.Sort(names)
	for _, p := range r.o.Providers {
		list := known(p)
		if len(list) == 0 && installs(p) {
			list = r.listing(ctx, p)
		}
		for _, m := range list {
			names = append(names, m.Ref)
		}
	}
	if r.o.Offline != nil {
		names = append(names, r.o.Offline.Ref())
	}
	msg := "unknown model " + Quote(name)
	if near := Nearest(name, names, 3); len(near) > 0 {
		msg += ", did you mean " + strings.Join(near, " or ") + "?"
	} else if s := r.elsewhere(name); s != "" {
		return core.E(core.BadRequest, msg+": it is a model of "+s+", which is not configured", "jarvis setup", nil)
	}
	return core.E(core.BadRequest, msg, "jarvis model list", nil)
}

// elsewhere finds the well-known service that has a model.
func (r *Router) elsewhere(name string) string {
	if r.o.Catalogue == nil {
		return ""
	}
	for _, s := range []string{TypeAnthropic, TypeOpenAI, TypeGoogle} {
		if _, ok := r.o.Catalogue.Find(s, name); ok && r.provider(s) == nil {
			return s
		}
	}
	return ""
}

// Quote shows a name that a person typed, cut to a length that fits a sentence.
func Quote(name string) string {
	name = OneLine(name)
	if rs := []rune(name); len(rs) > 80 {
		name = string(rs[:79]) + "…"
	}
	return `"` + name + `"`
}

// List gives every provider's models in the order of the configuration, and the errors of those that did not answer. Services
// are asked all at once; it costs no tokens.
func (r *Router) List(ctx context.Context) ([]Info, []error) {
	lists := make([][]Info, len(r.o.Providers))
	errs := make([]error, len(r.o.Providers))
	var wg sync.WaitGroup
	for i, p := range r.o.Providers {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, 2*listTime)
			defer cancel()
			lists[i], errs[i] = p.Models(ctx)
		})
	}
	wg.Wait()
	out := slices.Concat(lists...)
	if r.o.Offline != nil && !slices.ContainsFunc(out, func(m Info) bool { return m.Ref == r.o.Offline.Ref() }) {
		out = append(out, r.o.Offline.Info())
	}
	return out, slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// Find gives what is known of a model without asking anyone, for people who name it in a command.
func (r *Router) Find(name string) (provider Provider, id string, ok bool) {
	name = cmp.Or(r.aliases[name], name)
	prov, id, _ := strings.Cut(name, "/")
	p := r.provider(prov)
	return p, id, p != nil && id != ""
}
