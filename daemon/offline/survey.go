package offline

import (
	"context"
	"errors"
	"sync"
	"time"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

// probeTime is how long a provider may take to list its models.
const probeTime = 5 * time.Second

// finding is what setup learned of one provider.
type finding struct {
	Name    string   `json:"name" yaml:"name"`
	Type    string   `json:"type" yaml:"type"`
	From    string   `json:"from" yaml:"from"` // file, a variable, or found
	OK      bool     `json:"ok" yaml:"ok"`
	Models  []string `json:"models" yaml:"models"`
	Problem string   `json:"problem,omitempty" yaml:"problem,omitempty"`
	Hint    string   `json:"hint,omitempty" yaml:"hint,omitempty"`

	provider config.Provider
}

// survey asks every provider at once for its models, in the order of the configuration.
func (a *App) survey(ctx context.Context, h home.Home, c *config.Config) []finding {
	list := c.ProviderList(a.Env.Get)
	out := make([]finding, len(list))
	var wg sync.WaitGroup
	for i, p := range list {
		wg.Go(func() { out[i] = a.probe(ctx, h, c, p) })
	}
	wg.Wait()
	return out
}

func (a *App) probe(ctx context.Context, h home.Home, c *config.Config, p config.Provider) finding {
	f := finding{Name: p.Name, Type: p.Type, From: p.From, Models: []string{}, provider: p}
	if f.From == "" {
		f.From = "found"
	}
	if p.Problem != nil {
		f.fail(p.Problem)
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if a.Models == nil {
		f.fail(a.missing())
		return f
	}
	models, err := a.Models(ctx, h, c, p)
	if errors.Is(err, context.DeadlineExceeded) {
		err = core.E(core.UpstreamUnavailable, a.tf("%s did not list its models within %d seconds", p.Name, int(probeTime.Seconds())), "jarvis setup", err)
	}
	if err != nil {
		f.fail(err)
		return f
	}
	if p.Type == config.TypeBuiltin && len(models) == 0 {
		models = []string{"offline"}
	}
	f.OK, f.Models = true, append(f.Models, models...)
	return f
}

func (f *finding) fail(err error) {
	f.Problem = core.Printable(err.Error())
	f.Hint = hintOf(err)
}

// usable reports whether the finding can answer: it is there and has a model.
func (f finding) usable() bool { return f.OK && len(f.Models) > 0 }

// quiet reports something that is not there and was never asked for: Ollama that does not run, no local model.
func (f finding) quiet() bool { return !f.usable() && f.From == "found" }
