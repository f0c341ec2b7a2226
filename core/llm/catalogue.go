package llm

import (
	"slices"
	"strings"
	"sync"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"jarvis/core"
)

// The types of a provider in the configuration.
const (
	TypeAnthropic  = "anthropic"
	TypeOpenAI     = "openai"
	TypeGoogle     = "google"
	TypeOpenRouter = "openrouter"
	TypeCompatible = "openai-compatible"
	TypeOllama     = "ollama"
	TypeLocal      = "local"
	TypeBuiltin    = "builtin"
)

// Catalogue knows windows, prices and abilities of the services' models without a network. It is read on first use, because
// a daemon that only ever answers locally should not pay for it. It is safe for concurrent use; one is enough for a process.
type Catalogue struct {
	once sync.Once
	m    map[string]shelf // by the catalogue's own provider ids
}

type shelf struct {
	models []Info // Ref without the provider
	large  string // the id of its default model
}

// NewCatalogue makes a catalogue that is not yet read.
func NewCatalogue() *Catalogue { return &Catalogue{} }

func (c *Catalogue) shelf(provider string) shelf {
	c.once.Do(func() {
		c.m = map[string]shelf{}
		for _, p := range embedded.GetAll() {
			c.m[string(p.ID)] = shelve(p)
		}
	})
	if provider == TypeGoogle {
		provider = string(catwalk.InferenceProviderGemini)
	}
	return c.m[provider]
}

// shelve copies what we keep, so that the decoded catalogue can be collected.
func shelve(p catwalk.Provider) shelf {
	s := shelf{large: strings.Clone(p.DefaultLargeModelID), models: make([]Info, 0, len(p.Models))}
	pdf := p.ID == catwalk.InferenceProviderAnthropic || p.ID == catwalk.InferenceProviderOpenAI ||
		p.ID == catwalk.InferenceProviderGemini || p.ID == catwalk.InferenceProviderOpenRouter
	for _, m := range p.Models {
		s.models = append(s.models, Info{
			Ref: strings.Clone(m.ID), Name: strings.Clone(m.Name), Window: int(m.ContextWindow), MaxOutput: int(m.DefaultMaxTokens),
			Price: price(m), Images: m.SupportsImages, PDF: m.SupportsImages && pdf, Tools: true, Reasoning: m.CanReason,
		})
	}
	return s
}

// price reads the catalogue's four prices. A cached price above the plain one is that of writing to the cache; elsewhere
// writing costs nothing extra and the one cached price is that of reading.
func price(m catwalk.Model) *Price {
	p := &Price{In: micro(m.CostPer1MIn), Out: micro(m.CostPer1MOut), CacheWrite: micro(m.CostPer1MInCached), CacheRead: micro(m.CostPer1MOutCached)}
	if p.CacheWrite < p.In {
		if p.CacheRead == 0 {
			p.CacheRead = p.CacheWrite
		}
		p.CacheWrite = p.In
	}
	if p.CacheRead == 0 {
		p.CacheRead = p.In // unknown: never count too little
	}
	return p
}

func micro(usd float64) core.MicroUSD {
	if !(usd > 0) || usd > 1e6 {
		return 0
	}
	return core.MicroUSD(usd*1e6 + 0.5)
}

// Known lists a service's models; service is a provider type, or a name that the catalogue knows (groq, deepseek, …).
func (c *Catalogue) Known(service string) []Info {
	return slices.Clone(c.shelf(service).models)
}

// Default is the model to take when nobody named one; "" when the catalogue does not know the service.
func (c *Catalogue) Default(service string) string {
	if service == TypeGoogle {
		return c.newest(service, "-flash", "-pro")
	}
	return c.shelf(service).large
}

// newest finds the first listed id that holds one of the parts, the earlier parts first. The catalogue lists the newest first;
// its own default for Gemini is a preview made for one purpose.
func (c *Catalogue) newest(service string, parts ...string) string {
	s := c.shelf(service)
	for _, part := range parts {
		for _, m := range s.models {
			if strings.HasSuffix(m.Ref, part) {
				return m.Ref
			}
		}
	}
	return s.large
}

// Find looks a model up. A dated id is found by its undated form, and the other way round.
func (c *Catalogue) Find(service, id string) (Info, bool) {
	models := c.shelf(service).models
	if i := slices.IndexFunc(models, func(m Info) bool { return m.Ref == id }); i >= 0 {
		return models[i], true
	}
	if i := slices.IndexFunc(models, func(m Info) bool { return undated(m.Ref) == undated(id) }); i >= 0 {
		m := models[i]
		m.Ref = id
		return m, true
	}
	return Info{}, false
}

// undated takes a "-20250929" or "-latest" from the end of an id.
func undated(id string) string {
	id = strings.TrimSuffix(id, "-latest")
	if i := strings.LastIndexByte(id, '-'); i > 0 && len(id)-i == 9 && strings.Trim(id[i+1:], "0123456789") == "" {
		return id[:i]
	}
	return id
}
