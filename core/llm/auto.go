package llm

import (
	"context"
	"errors"
	"iter"
	"net"
	"strings"
	"sync"
	"time"

	"jarvis/core"
)

// The ranks of the providers under "auto", first to last: the services people pay for, others of their own, Ollama, a small
// model on this machine. builtin/offline is behind them all.
var ranks = map[string]int{TypeAnthropic: 0, TypeOpenAI: 1, TypeGoogle: 2, TypeOpenRouter: 3, TypeCompatible: 4, TypeOllama: 5, TypeLocal: 6}

// route is one way that auto may take.
type route struct {
	p      Provider
	rank   int
	probed bool
	at     time.Time // of the last probe
	err    error     // why it does not answer; nil = it does
	model  Model
}

// small reports a model that only stands in when there is nothing else.
func (t *route) small() bool { return t.rank == ranks[TypeLocal] }

func routes(providers []Provider) []*route {
	var out []*route
	for rank := range len(ranks) {
		for _, p := range providers {
			if n, ok := ranks[typeOf(p)]; ok && n == rank {
				out = append(out, &route{p: p, rank: rank})
			}
		}
	}
	return out
}

// The times of probing.
const (
	probeTime  = 5 * time.Second  // for one provider
	probeAgain = 60 * time.Second // a provider that did not answer is asked again after this
)

// Reprobe forgets which providers answer; the next Default asks them anew.
func (r *Router) Reprobe() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.routes {
		t.probed = false
	}
}

// probe finds out whether a route answers, at most once a while. Called with gate held.
func (r *Router) probe(ctx context.Context, t *route) {
	now := r.o.Now()
	r.mu.Lock()
	fresh := t.probed && (t.err == nil || now.Sub(t.at) < probeAgain)
	r.mu.Unlock()
	if fresh {
		return
	}
	pctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	id, err := firstModel(pctx, t.p)
	if ctx.Err() != nil {
		return // the caller left; nothing is known
	}
	if err != nil && errors.Is(err, context.DeadlineExceeded) {
		err = Source{Provider: t.p.Name()}.Error(KindTimeout, "no answer within "+probeTime.String(), err)
	}
	var m Model
	if err == nil {
		m, err = r.model(pctx, t.p, id)
	}
	if err != nil {
		r.o.Log.DebugContext(ctx, "Provider does not answer", "provider", t.p.Name(), "error", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t.probed, t.at, t.err, t.model = true, now, err, m
}

// firstModel asks a provider for its models and chooses one. A service that has no list but answers is good enough.
func firstModel(ctx context.Context, p Provider) (string, error) {
	list, err := p.Models(ctx)
	want := ""
	if d, ok := p.(defaulter); ok {
		want = d.Default()
	}
	if err != nil {
		if want != "" && answers(err) {
			return want, nil
		}
		return "", err
	}
	if want != "" {
		return want, nil
	}
	for _, m := range list {
		if t := typeOf(p); (t == TypeOllama || t == TypeLocal) && !m.Installed {
			continue
		}
		if id := strings.TrimPrefix(m.Ref, p.Name()+"/"); !strings.Contains(id, "embed") {
			return id, nil
		}
	}
	return "", Source{Provider: p.Name()}.Error(KindUnavailable, "it has no model", nil)
}

// answers reports whether a provider that refused its list is there all the same: it has none, or it is busy.
func answers(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e.Status == 0 {
		return false
	}
	switch e.Kind {
	case KindNotFound, KindBadRequest, KindRateLimited, KindOverloaded, KindServer:
		return true
	}
	return false
}

// next gives the first route from i on that answers, and its model. Between the small local models and the rest there is a
// border that only a failed connection crosses.
func (r *Router) next(ctx context.Context, i int, small bool) (int, Model) {
	select {
	case r.gate <- struct{}{}:
		defer func() { <-r.gate }()
	case <-ctx.Done():
		return len(r.routes), nil
	}
	for ; i < len(r.routes); i++ {
		t := r.routes[i]
		if t.small() && !small {
			continue
		}
		r.probe(ctx, t)
		r.mu.Lock()
		ok, m := t.probed && t.err == nil, t.model
		r.mu.Unlock()
		if ok {
			return i, m
		}
	}
	return i, nil
}

// auto takes the first provider that answers. One that is configured and refuses (a bad key) is taken when there is no other,
// so that people see why; builtin/offline answers when there is no language model at all.
func (r *Router) auto(ctx context.Context) (Model, error) {
	i, m := r.next(ctx, 0, true)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ref, why := r.refused()
	switch {
	case m != nil:
		return &autoModel{r: r, i: i, first: m, why: why}, nil
	case why != nil:
		return &autoModel{r: r, i: len(r.routes), first: broken{ref, why}, why: why}, nil
	case r.o.Offline != nil:
		return Announce(r.o.Offline), nil
	}
	return nil, core.E(core.UpstreamUnavailable, "no language model is configured", "jarvis setup", nil)
}

// refused gives the first service that a person has configured and that did not answer: the ref it would have had, and why.
// Ollama does not count: everybody's configuration has its usual port.
func (r *Router) refused() (ref string, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.routes {
		if t.rank >= ranks[TypeOllama] || !t.probed || t.err == nil {
			continue
		}
		if d, ok := t.p.(defaulter); ok && d.Default() != "" {
			return t.p.Name() + "/" + d.Default(), t.err
		}
		return t.p.Name() + "/?", t.err
	}
	return "", nil
}

// broken is the model of a provider that does not answer: it says so.
type broken struct {
	ref string
	err error
}

func (b broken) Ref() string { return b.ref }
func (b broken) Info() Info  { return Info{Ref: b.ref, Name: b.ref} }

// Stream yields the error.
func (b broken) Stream(ctx context.Context, _ Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(Delta{}, err)
			return
		}
		yield(Delta{}, b.err)
	}
}

// autoModel is what "auto" has chosen for one chain, with the way on from there. It stays with whom it went to.
type autoModel struct {
	r *Router

	mu    sync.Mutex // guards what follows
	i     int        // the route of first; len(routes) = none
	first Model
	why   error // why a better one was not taken, until it was said; nil = there is none
}

func (a *autoModel) current() (m Model, i int, why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.first, a.i, a.why
}

func (a *autoModel) stay(m Model, i int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.first, a.i, a.why = m, i, nil
}

// Ref is the chosen model's.
func (a *autoModel) Ref() string {
	m, _, _ := a.current()
	return m.Ref()
}

// Info is the chosen model's.
func (a *autoModel) Info() Info {
	m, _, _ := a.current()
	return m.Info()
}

// Choose leaves to builtin/offline what its grammar fully matches, so that arithmetic is exact, where there is only a small
// local model. It chooses before the request is built, because the rules need tools and the small model takes none.
func (a *autoModel) Choose(req Request) Model {
	if _, i, _ := a.current(); i < len(a.r.routes) && a.r.routes[i].small() && a.r.matches(req) {
		return Announce(a.r.o.Offline)
	}
	return a
}

// Stream streams from the first route that answers.
func (a *autoModel) Stream(ctx context.Context, req Request) iter.Seq2[Delta, error] {
	return a.StreamIf(ctx, req, nil)
}

// StreamIf streams from the first route that answers and that may be asked.
func (a *autoModel) StreamIf(ctx context.Context, req Request, may func(Model) error) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		first, i, why := a.current()
		none := len(a.r.routes)
		notice := ""
		if why != nil && i < none { // people configured another one and should hear why it is not that
			notice = because(first, why)
		}
		started, offline, lost := false, false, false
		seq := failover(ctx, req, func(failed Model, err error) Model {
			if !started {
				started = true
				return first
			}
			if offline {
				return nil
			}
			if !errors.As(err, new(unasked)) { // else it is as it was: nobody was asked
				if lost = connection(err); lost && i < none {
					a.r.fail(i, err)
				}
			}
			var m Model
			if i, m = a.r.next(ctx, i+1, lost); m != nil {
				return m
			}
			if lost && a.r.matches(req) {
				offline = true
				return Announce(a.r.o.Offline)
			}
			return nil
		}, may, func(m Model) { a.stay(m, i) })
		begin(seq, notice, func() {})(yield)
	}
}

func (r *Router) matches(req Request) bool {
	return r.o.Offline != nil && r.o.Matcher != nil && r.o.Matcher.Matches(req)
}

// fail notes that a route was lost in use.
func (r *Router) fail(i int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.routes[i]
	t.probed, t.at, t.err = true, r.o.Now(), err
}

// connection reports that a provider could not be reached, in contrast to one that answers with an error.
func connection(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	var dial *net.OpError
	return e.Kind == KindNetwork || e.Kind == KindUnavailable ||
		e.Kind == KindTimeout && errors.As(e.Err, &dial) && dial.Op == "dial"
}
