package llm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"jarvis/core"
)

// Book is what one provider knows of its models: what the configuration says, then what the service has told, then the
// catalogue. It is safe for concurrent use.
type Book struct {
	provider   string
	service    string
	catalogue  *Catalogue
	configured []Info

	mu   sync.RWMutex // guards what follows
	told map[string]Info
	able map[string]bool // the service told what the model takes, not only its size
}

// NewBook makes the book of a provider. service names it in the catalogue (its type, or a name the catalogue knows);
// catalogue may be nil. The Ref of a configured model may lack the provider's name.
func NewBook(provider, service string, catalogue *Catalogue, configured []Info) *Book {
	b := &Book{provider: provider, service: service, catalogue: catalogue, told: map[string]Info{}, able: map[string]bool{}}
	for _, m := range configured {
		m.Ref = strings.TrimPrefix(m.Ref, provider+"/")
		if p := m.Price; p != nil && p.CacheRead == 0 && p.CacheWrite == 0 { // not said: never count too little
			m.Price = &Price{In: p.In, Out: p.Out, CacheRead: p.In, CacheWrite: p.In}
		}
		b.configured = append(b.configured, m)
	}
	return b
}

// Tell keeps what the service says of a model; Ref is the id. able: also what it takes (images, tools), not only its size.
func (b *Book) Tell(m Info, able bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told[m.Ref] = m
	b.able[m.Ref] = able
}

// Told gives what the service said of a model.
func (b *Book) Told(id string) (Info, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	m, ok := b.told[id]
	return m, ok
}

// Info joins what is known of a model; known is false when nobody has heard of it.
func (b *Book) Info(id string) (m Info, known bool) {
	m = Info{Ref: b.provider + "/" + id, Tools: true}
	sure := false // somebody told what it takes
	if b.catalogue != nil {
		if c, ok := b.catalogue.Find(b.service, id); ok {
			m, known, sure = over(m, c), true, true
		}
	}
	if t, ok := b.Told(id); ok {
		m, known = over(m, t), true
		m.Tools = t.Tools
	}
	b.mu.RLock()
	sure = sure || b.able[id]
	b.mu.RUnlock()
	m.MaybeImages, m.MaybePDF = !sure && !m.Images, !sure && !m.PDF
	for _, c := range b.configured {
		if c.Ref == id {
			m, known = said(over(m, c)), true
		}
	}
	m.Ref = b.provider + "/" + id
	m.Name = cmp.Or(m.Name, id)
	return m, known
}

// said puts a person's word over all else.
func said(m Info) Info {
	s := m.Said
	if s == nil {
		return m
	}
	if s.Images != nil {
		m.Images, m.MaybeImages = *s.Images, false
	}
	if s.PDF != nil {
		m.PDF, m.MaybePDF = *s.PDF, false
	}
	if s.Tools != nil {
		m.Tools = *s.Tools
	}
	return m
}

// over lays what b says over a.
func over(a, b Info) Info {
	a.Name = cmp.Or(b.Name, a.Name)
	a.Window = cmp.Or(b.Window, a.Window)
	a.MaxOutput = cmp.Or(b.MaxOutput, a.MaxOutput)
	a.Price = cmp.Or(b.Price, a.Price)
	a.Images = a.Images || b.Images
	a.PDF = a.PDF || b.PDF
	a.Tools = a.Tools || b.Tools
	a.Reasoning = a.Reasoning || b.Reasoning
	a.Schema = a.Schema || b.Schema
	a.Local = a.Local || b.Local
	a.Installed = a.Installed || b.Installed
	a.Said = cmp.Or(b.Said, a.Said)
	return a
}

// List gives the infos of these ids and of the configured models, each once.
func (b *Book) List(ids []string) []Info {
	for _, m := range b.configured {
		ids = append(ids, m.Ref)
	}
	seen := map[string]bool{}
	out := make([]Info, 0, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			m, _ := b.Info(id)
			out = append(out, m)
		}
	}
	return out
}

// Known gives every model that is known without asking the service.
func (b *Book) Known() []Info {
	var ids []string
	if b.catalogue != nil {
		for _, m := range b.catalogue.Known(b.service) {
			ids = append(ids, m.Ref)
		}
	}
	b.mu.RLock()
	told := make([]string, 0, len(b.told))
	for id := range b.told {
		told = append(told, id)
	}
	b.mu.RUnlock()
	slices.Sort(told)
	return b.List(append(ids, told...))
}

// Default is the model to take when nobody named one: the first configured one, else the catalogue's; "" = ask the service.
func (b *Book) Default() string {
	if len(b.configured) > 0 {
		return b.configured[0].Ref
	}
	if b.catalogue != nil {
		return b.catalogue.Default(b.service)
	}
	return ""
}

// Refuse says why a model cannot take what a request holds, nil when it can or when nobody has told what it takes.
func (b *Book) Refuse(s Source, r Request) *Error {
	m, _ := b.Info(s.Model)
	for _, msg := range r.Messages {
		if msg.Role != core.RoleUser {
			continue
		}
		for _, p := range msg.Parts {
			switch {
			case p.Type != PartBlob:
			case IsImage(p.MediaType) && !m.Images && !m.MaybeImages:
				return s.Error(KindBadRequest, fmt.Sprintf("the model takes no images (%s)", p.Name), nil)
			case p.MediaType == MediaPDF && !m.PDF && !m.MaybePDF:
				return s.Error(KindBadRequest, fmt.Sprintf("the model takes no PDF files (%s)", p.Name), nil)
			}
		}
	}
	return nil
}
