package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/locale"
)

// askTime is how long a model may take for one short answer.
const askTime = 10 * time.Second

// Asked is what one short request came to.
type Asked struct {
	Tokens  int64
	CostUSD *float64 // nil = the price is not known
	Took    time.Duration
}

// askModels sends one short request to each provider that can be used, all at once. It costs tokens, so that somebody must have
// wanted it.
func (d *doctor) askModels(ctx context.Context, found []finding) {
	if d.Request == nil {
		d.because("request", stateSkipped, d.missing())
		return
	}
	out := make([]check, len(found))
	var wg sync.WaitGroup
	for i, f := range found {
		if f.usable() && f.Type != config.TypeBuiltin {
			wg.Go(func() { out[i] = d.askOne(ctx, f) })
		}
	}
	wg.Wait()
	if ctx.Err() != nil {
		return
	}
	for _, c := range out {
		if c.Name != "" {
			d.add(c.Name, c.State, c.Message, c.Hint)
		}
	}
}

// askOne asks the configured model, when it is this provider's, or the one that stands first.
func (d *doctor) askOne(ctx context.Context, f finding) check {
	model := f.Models[0]
	wanted := d.config.Model
	if to, ok := d.config.Aliases[wanted]; ok {
		wanted = to
	}
	if provider, id, ok := strings.Cut(wanted, "/"); ok && provider == f.Name {
		model = id
	}
	ref := f.Name + "/" + model
	wait := cmp.Or(d.around.ask, askTime)
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	type result struct {
		Asked
		err error
	}
	done := make(chan result, 1)
	go func() { // one that does not listen to ctx holds nobody up
		a, err := d.Request(ctx, d.h, d.config, f.provider, model)
		done <- result{a, err}
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
		r.err = ctx.Err()
	}
	c := check{Name: "request/" + f.Name, Hint: "jarvis model test " + ref}
	switch {
	case errors.Is(r.err, context.DeadlineExceeded) || r.err != nil && ctx.Err() != nil:
		c.State, c.Message = stateWarning, d.tf("%s did not answer within %d seconds", ref, int(wait.Seconds()))
	case r.err != nil:
		c.State, c.Message = stateProblem, locale.Message(d.lang(), core.Printable(r.err.Error()))
		if h := hintOf(r.err); h != "" {
			c.Hint = h
		}
	default:
		cost := d.t("its price is not known")
		if r.CostUSD != nil {
			cost = fmt.Sprintf("$%.6f", *r.CostUSD)
		}
		c.State, c.Hint = stateOK, ""
		c.Message = d.tf("%s answered in %d ms with %d tokens: %s", ref, r.Took.Milliseconds(), r.Tokens, cost)
	}
	return c
}
