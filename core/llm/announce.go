package llm

import (
	"context"
	"iter"

	"jarvis/core"
)

// Announce says which model answers (DeltaModel, once, before its first token) and prices what it used; it is the one place
// that does. Usage that comes before the first token is held back, so that a refused attempt leaves none behind. An answer
// whose price nobody knows begins with a usage that says so, because some services never tell one.
func Announce(m Model) Model { return &announcing{m} }

type announcing struct{ Model }

// Stream streams with the announcement.
func (m *announcing) Stream(ctx context.Context, r Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		var held *Delta
		said := false
		for d, err := range m.Model.Stream(ctx, r) {
			if err != nil {
				yield(Delta{}, err)
				return
			}
			switch {
			case d.Kind == DeltaUsage && d.Usage != nil:
				d = m.price(d)
				if !said {
					held = &d
					continue
				}
			case d.Kind == DeltaRetry:
				held = nil
			case d.Kind == DeltaModel:
				said = true // a composite model has announced its part
			case !said && (d.shows() || d.Kind == DeltaFinish):
				said = true
				if !yield(Delta{Kind: DeltaModel, Text: m.Ref()}, nil) {
					return
				}
				if held == nil && m.Info().Price == nil {
					held = &Delta{Kind: DeltaUsage, Usage: &core.Usage{Unpriced: true}}
				}
				if held != nil && !yield(*held, nil) {
					return
				}
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

// price adds the cost unless the provider has told it.
func (m *announcing) price(d Delta) Delta {
	if d.Usage.Cost != 0 {
		return d
	}
	u := m.Info().Price.Cost(*d.Usage)
	d.Usage = &u
	return d
}
