package session

import (
	"cmp"
	"context"
	"slices"

	"jarvis/core"
)

// archived finds, while chains go by in order, with which of them the spans of a session's archives begin and end.
type archived struct {
	archives []core.CopiedArchive
	spans    []archivedSpan // of all of them, in order
}

type archivedSpan struct {
	core.Span
	archive int
	begun   bool
}

// archivedOf reads a session's archives. A view without them has none.
func (s *Service) archivedOf(ctx context.Context, id core.SessionID, v core.View) (*archived, error) {
	a := &archived{}
	if v != core.ViewAll {
		return a, nil
	}
	for p := (core.Page{Limit: chainsPage}); ; {
		as, next, err := s.d.Archiver.Archives(ctx, id, p)
		if err != nil {
			return nil, err
		}
		for _, one := range as {
			for _, span := range one.Spans {
				a.spans = append(a.spans, archivedSpan{Span: span, archive: len(a.archives)})
			}
			one.Chains, one.Spans = 0, nil
			a.archives = append(a.archives, core.CopiedArchive{Archive: one})
		}
		if p.After = next; next == "" {
			break
		}
	}
	slices.SortFunc(a.spans, func(x, y archivedSpan) int { return cmp.Compare(x.From, y.From) })
	return a, nil
}

// see takes the next chain.
func (a *archived) see(c core.Chain) {
	for len(a.spans) > 0 && a.spans[0].To < c.Pos {
		a.spans = a.spans[1:]
	}
	if len(a.spans) == 0 || a.spans[0].From > c.Pos {
		return
	}
	span := &a.spans[0]
	in := &a.archives[span.archive]
	if !span.begun {
		span.begun = true
		in.Ranges = append(in.Ranges, core.ChainRange{First: c.ID})
	}
	in.Ranges[len(in.Ranges)-1].Last = c.ID
	in.Chains++
}
