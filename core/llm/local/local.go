package local

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
)

// Name is the provider's name, the first part of a ref.
const Name = "local"

// maxWindow bounds the context in tokens: the cache is allocated whole when a model is loaded.
const maxWindow = 8192

// Options say where things lie. ModelsDir and Program are needed, everything else has a default.
type Options struct {
	ModelsDir string           // <data>/models
	Program   string           // the path of jarvis-model
	Sources   *Sources         // what can be installed; nil = the embedded list
	Mirror    string           // model_mirror: base address of all files; "" = upstream
	HTTP      *http.Client     // for Pull; nil = http.DefaultClient
	Idle      time.Duration    // a worker without work ends after it; 0 = 5 minutes
	Hang      time.Duration    // a worker without progress for it is ended; 0 = 1 minute
	Now       func() time.Time // nil = time.Now
	Log       *slog.Logger     // nil = none
	LookupEnv func(string) (string, bool)
}

// Provider offers the models installed on this machine.
type Provider struct {
	opts  Options
	src   *Sources
	log   *slog.Logger
	check checker
	env   []string // of the worker

	mu      sync.Mutex // guards runners, noted, pulling, mirror, http
	mirror  string
	http    *http.Client
	runners map[string]*runner
	noted   map[string]bool // models whose note was given
	pulling map[string]bool

	grace     time.Duration // for a cancel to take effect
	closed    chan struct{}
	closeOnce sync.Once
}

var _ llm.Provider = (*Provider)(nil)

// New makes the provider. It touches neither disk nor process: the worker starts with the first answer.
func New(o Options) *Provider {
	if o.Sources == nil {
		o.Sources = DefaultSources()
	}
	if o.HTTP == nil {
		o.HTTP = http.DefaultClient
	}
	if o.Idle <= 0 {
		o.Idle = 5 * time.Minute
	}
	if o.Hang <= 0 {
		o.Hang = time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.LookupEnv == nil {
		o.LookupEnv = os.LookupEnv
	}
	o.ModelsDir, o.Program = absolute(o.ModelsDir), absolute(o.Program) // the worker runs in another folder
	return &Provider{
		opts: o, src: o.Sources, log: o.Log, env: workerEnv(o.LookupEnv), mirror: o.Mirror, http: o.HTTP,
		runners: map[string]*runner{}, noted: map[string]bool{}, pulling: map[string]bool{}, grace: cancelGrace, closed: make(chan struct{}),
	}
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil && path != "" {
		return abs
	}
	return path
}

// Fetching changes where the next Pull fetches from: the configuration is read anew while workers run. The files may lie
// elsewhere: unlike a prompt, a request for one holds no secret, and what comes is checked by its hash.
func (p *Provider) Fetching(mirror string, client *http.Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mirror = mirror
	if client != nil {
		follows := *client
		follows.CheckRedirect = nil
		p.http = &follows
	}
}

// Name is "local".
func (p *Provider) Name() string { return Name }

// Models lists what is installed and what Pull can install, by name.
func (p *Provider) Models(context.Context) ([]llm.Info, error) { return p.Available(), nil }

// Installed lists the models that can answer, by name. A folder that cannot be read is left out.
func (p *Provider) Installed() []llm.Info {
	var out []llm.Info
	entries, err := os.ReadDir(p.opts.ModelsDir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if m, err := readManifest(p.opts.ModelsDir, e.Name()); err == nil {
			out = append(out, m.info(true))
		}
	}
	return out
}

// Available lists everything that is installed or that Pull can install.
func (p *Provider) Available() []llm.Info {
	out := p.Installed()
	for _, m := range p.src.Models {
		if !slices.ContainsFunc(out, func(i llm.Info) bool { return i.Ref == Name+"/"+m.Name }) {
			out = append(out, manifestOf(m).info(false))
		}
	}
	slices.SortFunc(out, func(a, b llm.Info) int { return strings.Compare(a.Ref, b.Ref) })
	return out
}

// A model whose file is smaller than smallFile bytes does not know when it has said all; more tokens than smallAnswer from it
// are the same sentences again.
const (
	smallFile   = 512 << 20
	smallAnswer = 1024
)

func (m manifest) info(installed bool) llm.Info {
	w := maxWindow
	if m.Context > 0 {
		w = min(w, m.Context)
	}
	out := w
	if m.File.Size < smallFile {
		out = min(out, smallAnswer)
	}
	title := m.Title
	if title == "" {
		title = m.Name
	}
	return llm.Info{
		Ref: Name + "/" + m.Name, Name: title, Window: w, MaxOutput: out, Price: &llm.Price{},
		Schema: true, Local: true, Installed: installed,
	}
}

// Model finds an installed model. One that is not there is an *llm.Error whose hint installs it, when it can be.
func (p *Provider) Model(id string) (llm.Model, error) {
	m, err := readManifest(p.opts.ModelsDir, id)
	if err == nil {
		return &model{p: p, man: m}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, &llm.Error{
			Kind: llm.KindUnavailable, Provider: Name, Model: id, Message: "its manifest cannot be read: " + oneLine(err.Error()),
			Hint: "jarvis model pull " + Name + "/" + id, Err: err,
		}
	}
	e := &llm.Error{Kind: llm.KindNotFound, Provider: Name, Model: id, Message: "it is not installed", Err: err}
	if _, ok := p.src.model(id); ok {
		e.Hint = "jarvis model pull " + Name + "/" + id
	}
	return nil, e
}

// Remove deletes an installed model; its worker is ended first. core.NotFound when there is none.
func (p *Provider) Remove(ctx context.Context, name string) error {
	name = strings.TrimPrefix(name, Name+"/")
	dir := filepath.Join(p.opts.ModelsDir, name)
	if !nameRE.MatchString(name) {
		return notInstalled(name, fs.ErrNotExist)
	}
	if _, err := os.Stat(dir); err != nil {
		return notInstalled(name, err)
	}
	if _, ok := p.claim(name, nil); !ok {
		return core.E(core.Conflict, "local/"+name+" is being fetched", "jarvis model list", nil)
	}
	defer p.unclaim(name)
	r := p.runner(name)
	if err := r.acquire(ctx); err != nil {
		return err
	}
	defer r.release()
	r.end(2 * time.Second)
	// the manifest goes first: half a removal is no installed model
	if err := os.Remove(filepath.Join(dir, manifestName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fsError("remove model "+name, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fsError("remove model "+name, err)
	}
	return nil
}

func notInstalled(name string, cause error) error {
	return core.E(core.NotFound, "local/"+printable(name)+" is not installed", "jarvis model list", cause)
}

// Close ends all workers; answers that are running fail.
func (p *Provider) Close() error {
	p.closeOnce.Do(func() { close(p.closed) })
	p.mu.Lock()
	rs := make([]*runner, 0, len(p.runners))
	for _, r := range p.runners {
		rs = append(rs, r)
	}
	p.mu.Unlock()
	// A reader that takes nothing holds its worker for ever; that one dies with this process.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for _, r := range rs {
		if r.acquire(ctx) == nil {
			r.end(time.Second)
			r.release()
		}
	}
	return nil
}

func (p *Provider) runner(name string) *runner {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.runners[name]
	if r == nil {
		r = &runner{p: p, name: name, sem: make(chan struct{}, 1)}
		p.runners[name] = r
	}
	return r
}

// others are the runners of other models.
func (p *Provider) others(name string) []*runner {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*runner
	for n, r := range p.runners {
		if n != name {
			out = append(out, r)
		}
	}
	return out
}

// note gives a model's note the first time it is asked for.
func (p *Provider) note(m manifest) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.Note == "" || p.noted[m.Name] {
		return ""
	}
	p.noted[m.Name] = true
	return Name + "/" + m.Name + " " + m.Note
}

func printable(s string) string { return core.Printable(s) }
