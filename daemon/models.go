package daemon

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/llm/local"
	"jarvis/daemon/api"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

// models resolves names by the configuration in force, and serves the routes about models. It is safe for concurrent use.
type models struct {
	env       config.Env
	blobs     llm.Blobs
	catalogue *llm.Catalogue
	local     *local.Provider
	builtin   builtin
	log       *slog.Logger
	probe     chan struct{} // something changed: find out anew what auto means
	probed    chan struct{} // closed when what auto means was found out for the first time

	found   sync.Once  // closes probed
	mu      sync.Mutex // guards what follows
	router  *llm.Router
	ref     string // what auto meant last
	problem error  // why no model answers
	config  error  // why the configuration could not be taken up
}

func newModels(d *daemon, blobs llm.Blobs) (*models, error) {
	m := &models{env: d.o.Env, blobs: blobs, catalogue: llm.NewCatalogue(), builtin: newBuiltin(d.log.Logger), log: d.log.Logger, probe: make(chan struct{}, 1), probed: make(chan struct{})}
	programs, err := home.Siblings()
	if err != nil {
		return nil, err
	}
	c := d.conf.Current()
	worker, err := programs.Path(home.Model)
	if err != nil {
		d.log.Info("No model worker", "error", err)
	}
	m.local = local.New(local.Options{ModelsDir: d.modelsDir(), Program: worker, Mirror: c.ModelMirror, Log: d.log.Logger})
	m.rebuild(c)
	return m, nil
}

// rebuild makes a router of a configuration; one call at a time. It touches no network.
func (m *models) rebuild(c *config.Config) {
	client, err := httpClient(c.Network)
	m.mu.Lock()
	m.config = err
	have := m.router != nil
	m.mu.Unlock()
	if err != nil {
		m.log.Error("Network configuration cannot be used", "error", err)
		if have {
			return
		}
		if client, err = llm.HTTPClient(llm.HTTPOptions{}); err != nil {
			return
		}
	}
	m.local.Fetching(c.ModelMirror, client)
	f := factory{
		http: client, blobs: m.blobs, catalogue: m.catalogue, local: m.local, log: m.log,
		limits: llm.Limits{Line: int(c.Limits.ModelLine), Arguments: int(c.Limits.ToolArguments), Blob: int(c.Limits.Attachment)},
	}
	o := llm.RouterOptions{
		Providers: f.providers(c, m.env.Get), Catalogue: m.catalogue, Aliases: c.Aliases, Default: c.Model, Log: m.log,
		Concurrency: llm.Concurrency{PerModel: c.Concurrency.PerModel, PerProvider: c.Concurrency.PerProvider},
	}
	router := llm.NewRouter(m.builtin.with(o)) // it may have read key files: nobody waits for that
	m.mu.Lock()
	m.router = router
	m.mu.Unlock()
	poke(m.probe)
}

func (m *models) current() (*llm.Router, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.router == nil {
		return nil, core.E(core.BadRequest, "the network configuration cannot be used", "jarvis config edit", m.config)
	}
	return m.router, nil
}

// Resolve finds a model by what a person typed.
func (m *models) Resolve(ctx context.Context, name string) (llm.Model, error) {
	r, err := m.current()
	if err != nil {
		return nil, err
	}
	model, err := r.Resolve(ctx, name)
	if name == "" || name == "auto" {
		m.note(ctx, model, err)
	}
	return model, err
}

func (m *models) note(ctx context.Context, model llm.Model, err error) {
	if ctx.Err() != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.problem = err
	if err == nil {
		m.ref = model.Ref()
	}
}

// serve finds out what auto means: at start, after a change, and now and then while nothing answers.
func (m *models) serve(ctx context.Context) error {
	const again = time.Minute
	m.builtin.make() // off the way of the start, and before somebody needs it
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.probe:
		case <-t.C:
		}
		_, err := m.Resolve(ctx, "")
		m.found.Do(func() { close(m.probed) })
		if t.Stop(); err != nil {
			m.log.Debug("No model answers", "error", err)
			t.Reset(again)
		}
	}
}

// firstProbe bounds how long a question waits for the first answer of the providers: one that hangs must not hold up a greeting.
const firstProbe = 1500 * time.Millisecond

// settle waits until what auto means was found out once, but not for long.
func (m *models) settle(ctx context.Context) {
	t := time.NewTimer(firstProbe)
	defer t.Stop()
	select {
	case <-m.probed:
	case <-ctx.Done():
	case <-t.C:
	}
}

// chosen is what auto means, as far as is known.
func (m *models) chosen() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ref
}

func (m *models) state() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.problem != nil:
		return "none: " + m.problem.Error()
	case m.ref == "":
		return stateProbing
	}
	return stateReady
}

// problems are for status.
func (m *models) problems() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, err := range []error{m.config, m.problem} {
		if err != nil {
			out = append(out, err.Error())
		}
	}
	return out
}

func (m *models) close() error { return m.local.Close() }

// List gives every provider's models, and those that could be fetched.
func (m *models) List(ctx context.Context) ([]api.Model, error) {
	r, err := m.current()
	if err != nil {
		return nil, err
	}
	list, errs := r.List(ctx)
	for _, i := range m.local.Available() {
		if !slices.ContainsFunc(list, func(o llm.Info) bool { return o.Ref == i.Ref }) {
			list = append(list, i)
		}
	}
	if def, err := r.Default(ctx); err == nil {
		m.note(ctx, def, nil)
	}
	out := make([]api.Model, 0, len(list)+len(errs))
	for _, i := range list {
		out = append(out, m.row(i))
	}
	for _, err := range errs {
		var e *llm.Error
		// Nobody has Ollama just because everybody's configuration has its usual port.
		if errors.As(err, &e) && (e.Provider != llm.TypeOllama || e.Kind != llm.KindNetwork) {
			out = append(out, api.Model{Ref: e.Provider + "/?", Provider: e.Provider, Note: e.Error()})
		}
	}
	return out, nil
}

func (m *models) row(i llm.Info) api.Model {
	provider, _, _ := strings.Cut(i.Ref, "/")
	row := api.Model{
		Ref: i.Ref, Name: i.Name, Provider: provider, Window: i.Window, Local: i.Local,
		Installed: i.Installed || !i.Local, Default: i.Ref == m.chosen(),
	}
	if o, ok := m.local.Offer(i.Ref); ok && i.Local && !i.Installed {
		row.Size, row.Note = o.Size, o.Problem
	}
	if i.Price != nil {
		row.Priced, row.InUSD, row.OutUSD = true, float64(i.Price.In)/1e6, float64(i.Price.Out)/1e6
	}
	return row
}

// Pull fetches a model: a local one from upstream, one of Ollama through Ollama.
func (m *models) Pull(ctx context.Context, name string, progress func(api.PullProgress)) error {
	p, id, err := m.owner(name)
	if err != nil {
		return err
	}
	pull, ok := p.(interface {
		Pull(ctx context.Context, name string, progress func(step string, done, total int64)) error
	})
	if !ok {
		return core.E(core.Unsupported, "models of "+p.Name()+" cannot be fetched, they run at the provider", "jarvis model list", nil)
	}
	err = pull.Pull(ctx, id, func(step string, done, total int64) {
		progress(api.PullProgress{File: step, Bytes: done, Total: total})
	})
	if err == nil {
		m.changed()
	}
	return coreError(err)
}

// Remove removes an installed model.
func (m *models) Remove(ctx context.Context, ref string) error {
	p, id, err := m.owner(ref)
	if err != nil {
		return err
	}
	rm, ok := p.(interface {
		Remove(ctx context.Context, name string) error
	})
	if !ok {
		return core.E(core.Unsupported, "models of "+p.Name()+" cannot be removed, they run at the provider", "jarvis model list", nil)
	}
	if err := rm.Remove(ctx, id); err != nil {
		return coreError(err)
	}
	m.changed()
	return nil
}

// owner finds the provider that a name belongs to; a bare name is a local model's.
func (m *models) owner(name string) (llm.Provider, string, error) {
	if !strings.Contains(name, "/") {
		return m.local, name, nil
	}
	r, err := m.current()
	if err != nil {
		return nil, "", err
	}
	if p, id, ok := r.Find(name); ok {
		return p, id, nil
	}
	if id, ok := strings.CutPrefix(name, local.Name+"/"); ok {
		return m.local, id, nil
	}
	return nil, "", core.E(core.NotFound, "there is no model "+llm.Quote(name), "jarvis model list", nil)
}

// changed asks anew which models there are.
func (m *models) changed() {
	if r, err := m.current(); err == nil {
		r.Reprobe()
	}
	poke(m.probe)
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// coreError translates a provider's error for people.
func coreError(err error) error {
	var e *llm.Error
	if errors.As(err, &e) {
		return e.Core()
	}
	return err
}

func asCore(err error, e **core.Error) bool { return errors.As(err, e) }
