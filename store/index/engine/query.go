package engine

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"jarvis/core"
)

// The fields of a document.
const (
	fText    = "text"
	fUser    = "user"
	fSession = "session"
	fAgent   = "agent"
	fRole    = "role"
	fType    = "type"
	fMarked  = "marked"
	fCreated = "created"
)

// The bounds of a search.
const (
	maxHits    = 200
	maxFrom    = 10_000
	maxMatches = 64
	maxPhrase  = 12 // words that are looked for at once; a longer phrase is several
	maxWords   = 60 // of a phrase that count
	exactBoost = 2  // the word itself before its inflections
)

var errNothing = errors.New("there is no word to look for")

func userTerm(u core.UserID) string { return strconv.FormatInt(int64(u), 10) }

func is(field, value string) query.Query {
	q := query.NewTermQuery(value)
	q.SetField(field)
	return q
}

func anyOf[T ~string](field string, values []T) query.Query {
	qs := make([]query.Query, len(values))
	for i, v := range values {
		qs[i] = is(field, string(v))
	}
	return query.NewDisjunctionQuery(qs)
}

// build turns a query into bleve's. The filters do not count in the score.
func (e *Engine) build(q *core.Query) (query.Query, bool, error) {
	must := []query.Query{is(fUser, userTerm(q.User))}
	if len(q.Roles) > 0 {
		must = append(must, anyOf(fRole, q.Roles))
	}
	if len(q.Agents) > 0 {
		must = append(must, anyOf(fAgent, q.Agents))
	}
	if len(q.Types) > 0 {
		must = append(must, anyOf(fType, q.Types))
	}
	if q.Session != "" {
		must = append(must, is(fSession, string(q.Session)))
	}
	if q.Marked {
		must = append(must, is(fMarked, "1"))
	}
	if !q.After.IsZero() || !q.Before.IsZero() {
		must = append(must, created(q.After, q.Before))
	}
	for _, m := range must {
		m.(query.BoostableQuery).SetBoost(0)
	}
	var not []query.Query
	ranked := false
	for _, t := range q.Terms {
		tq := e.term(t)
		switch {
		case tq == nil: // a term without a letter says nothing
		case t.Not:
			not = append(not, tq)
		default:
			must, ranked = append(must, tq), true
		}
	}
	if !ranked && len(must) == 1 {
		return nil, false, errNothing
	}
	if len(not) == 0 {
		return query.NewConjunctionQuery(must), ranked, nil
	}
	b := query.NewBooleanQuery(must, nil, not)
	return b, ranked, nil
}

func created(after, before time.Time) query.Query {
	var lo, hi *float64
	if !after.IsZero() {
		v := seconds(after)
		lo = &v
	}
	if !before.IsZero() {
		v := seconds(before)
		hi = &v
	}
	yes, no := true, false
	q := query.NewNumericRangeInclusiveQuery(lo, hi, &yes, &no)
	q.SetField(fCreated)
	return q
}

// seconds is exact to a microsecond for the next two centuries.
func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

func (e *Engine) term(t core.Term) query.Query {
	ws := e.words.plain(t.Text)
	switch {
	case len(ws) == 0:
		return nil
	case t.Prefix:
		last := ws[len(ws)-1]
		p := query.NewPrefixQuery(last)
		p.SetField(fText)
		if len(ws) == 1 {
			return p
		}
		return query.NewConjunctionQuery([]query.Query{e.exact(ws[:len(ws)-1]), p})
	case t.Phrase || len(ws) > 1:
		return e.exact(ws)
	}
	qs := []query.Query{}
	for i, f := range forms([]byte(strings.TrimSpace(firstWord(e, t.Text)))) {
		q := query.NewTermQuery(f)
		q.SetField(fText)
		if i == 0 {
			q.SetBoost(exactBoost)
		}
		qs = append(qs, q)
	}
	return query.NewDisjunctionQuery(qs)
}

// firstWord is the one word of a text, as it was typed.
func firstWord(e *Engine, text string) string {
	for _, tok := range e.words.t.Tokenize([]byte(text)) {
		return string(tok.Term)
	}
	return ""
}

// exact finds words that follow each other. The parts of a long phrase share a word each.
func (e *Engine) exact(ws []string) query.Query {
	if len(ws) == 1 {
		return is(fText, ws[0])
	}
	if len(ws) <= maxPhrase {
		return query.NewPhraseQuery(ws, fText)
	}
	var parts []query.Query
	for ws = ws[:min(len(ws), maxWords)]; len(ws) > 1; ws = ws[min(len(ws), maxPhrase)-1:] {
		parts = append(parts, query.NewPhraseQuery(ws[:min(len(ws), maxPhrase)], fText))
	}
	return query.NewConjunctionQuery(parts)
}

// request bounds and orders a search.
func request(q query.Query, ranked bool, from, limit int) *bleve.SearchRequest {
	r := bleve.NewSearchRequestOptions(q, min(max(limit, 1), maxHits), min(max(from, 0), maxFrom), false)
	r.IncludeLocations = ranked
	newest := &search.SortField{Field: fCreated, Desc: true, Type: search.SortFieldAsNumber, Mode: search.SortFieldDefault, Missing: search.SortFieldMissingLast}
	if ranked {
		r.Sort = search.SortOrder{&search.SortScore{Desc: true}, newest}
	} else {
		r.Sort = search.SortOrder{newest}
		r.Score = "none"
	}
	return r
}
