package daemon

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/llm/local"
	"jarvis/daemon/api"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
	"jarvis/daemon/offline"
)

// one makes a single provider outside the daemon, for setup.
func one(h home.Home, c *config.Config, p config.Provider) (made llm.Provider, done func(), err error) {
	client, err := httpClient(c.Network)
	if err != nil {
		return nil, nil, err
	}
	f := factory{http: client, catalogue: llm.NewCatalogue(), log: slog.New(slog.DiscardHandler)}
	done = client.CloseIdleConnections
	if p.Type == config.TypeLocal {
		programs, err := home.Siblings()
		if err != nil {
			return nil, nil, err
		}
		worker, err := programs.Path(home.Model)
		if err != nil {
			return nil, nil, err
		}
		f.local = local.New(local.Options{ModelsDir: h.Models, Program: worker, Mirror: c.ModelMirror})
		f.local.Fetching(c.ModelMirror, client)
		done = func() { _ = f.local.Close() }
	}
	made, err = f.provider(p)
	if err != nil {
		done()
		return nil, nil, err
	}
	return made, done, nil
}

// setupModels lists the usable models of a provider, the best default first. It costs no tokens.
func setupModels(ctx context.Context, h home.Home, c *config.Config, p config.Provider) ([]string, error) {
	if p.Type == config.TypeBuiltin {
		return nil, nil
	}
	made, done, err := one(h, c, p) //nolint:contextcheck // ending a worker must not depend on who asked
	if err != nil {
		return nil, coreError(err)
	}
	defer done()
	list, err := made.Models(ctx)
	if err != nil {
		return nil, coreError(err)
	}
	var first string
	if d, ok := made.(interface{ Default() string }); ok {
		first = d.Default()
	}
	var out []string
	for _, m := range list {
		id := strings.TrimPrefix(m.Ref, p.Name+"/")
		switch {
		case m.Local && !m.Installed:
		case id == first:
			out = append([]string{id}, out...)
		default:
			out = append(out, id)
		}
	}
	return out, nil
}

// setupTest sends one short request to a model.
func setupTest(ctx context.Context, h home.Home, c *config.Config, p config.Provider, model string) error {
	made, done, err := one(h, c, p) //nolint:contextcheck // ending a worker must not depend on who asked
	if err != nil {
		return coreError(err)
	}
	defer done()
	m, err := made.Model(model)
	if err != nil {
		return coreError(err)
	}
	var tested api.ModelTested
	if err := tryModel(ctx, m, &tested); err != nil {
		return coreError(err)
	}
	if tested.Answer == "" {
		return core.E(core.UpstreamUnavailable, p.Name+"/"+model+" answered without a word", "jarvis model list", nil)
	}
	return nil
}

// doctorRequest sends one short request to a model and says what it cost.
func doctorRequest(ctx context.Context, h home.Home, c *config.Config, p config.Provider, model string) (offline.Asked, error) {
	made, done, err := one(h, c, p) //nolint:contextcheck // ending a worker must not depend on who asked
	if err != nil {
		return offline.Asked{}, coreError(err)
	}
	defer done()
	m, err := made.Model(model)
	if err != nil {
		return offline.Asked{}, coreError(err)
	}
	var tested api.ModelTested
	if err := tryModel(ctx, m, &tested); err != nil {
		return offline.Asked{}, coreError(err)
	}
	if tested.Answer == "" {
		return offline.Asked{}, core.E(core.UpstreamUnavailable, p.Name+"/"+model+" answered without a word", "jarvis model list", nil)
	}
	t := tested.Usage.Tokens
	return offline.Asked{Tokens: t.In + t.Out, CostUSD: tested.Usage.CostUSD, Took: time.Duration(tested.DurationMS) * time.Millisecond}, nil
}
