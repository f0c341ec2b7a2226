package offline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"

	"go.yaml.in/yaml/v4"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

// pair is one value that setup writes.
type pair struct{ path, value string }

// pairs are the values of the plan.
func (p plan) pairs() []pair {
	at := func(key string) string { return config.JoinPath("providers", p.name, key) }
	var out []pair
	if p.kind != "" {
		out = append(out, pair{at("type"), p.kind})
	}
	if p.baseURL != "" {
		out = append(out, pair{at("base_url"), p.baseURL})
	}
	switch {
	case p.key != "":
		out = append(out, pair{at("api_key"), "file:secrets/" + p.name})
	case p.keyVar != "":
		out = append(out, pair{at("api_key"), "${" + p.keyVar + "}"})
	}
	if p.model != "" {
		out = append(out, pair{"model", p.model})
	}
	return out
}

// apply is the file's text with the plan in it.
func (p plan) apply(file string, text []byte) ([]byte, error) {
	for _, e := range p.pairs() {
		keys, err := config.ParsePath(e.path)
		if err != nil {
			return nil, err
		}
		if text, err = config.SetText(file, text, keys, e.value); err != nil {
			return nil, err
		}
	}
	if len(text) == 0 { // so that there is a file to look at
		return config.SetText(file, nil, []string{"model"}, "auto")
	}
	return text, nil
}

// carryOut tests the plan's model and writes the plan. Nothing is written when the test fails.
func (a *App) carryOut(ctx context.Context, h home.Home, p plan, o setupOptions) error {
	old, err := home.ReadRegular(h.Config, 1<<20)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return core.E(core.Internal, a.tf("%s cannot be read", h.Config), "ls -l "+h.Config, err)
	}
	text, err := p.apply(h.Config, old)
	if err != nil {
		return err
	}
	c, _, err := config.Parse(h.Config, text, a.Env)
	if err != nil {
		return a.unwritten(h, old, err)
	}
	provider, err := a.provider(c, p)
	if err != nil {
		return err
	}
	f := finding{Name: p.name, Type: provider.Type, From: "file", provider: provider, Models: []string{}}
	if !o.noTest {
		if f, err = a.try(ctx, h, c, provider, p.model); err != nil {
			return p.unsaved(err)
		}
	}
	if p.key != "" {
		a.record(ctx, h, "secret.set", p.name, true)
		if err := home.WriteFile(filepath.Join(h.Secrets, p.name), []byte(p.key.Reveal()+"\n")); err != nil {
			return err
		}
	}
	a.record(ctx, h, "config.set", "providers."+p.name, true)
	done, err := config.Update(h.Config, a.Env, func(now []byte) ([]byte, error) { return p.apply(h.Config, now) })
	if err != nil {
		return err
	}
	if a.output == "json" || a.output == "yaml" {
		return a.summary(h, done.Config.Model, []finding{f})
	}
	a.saidChanged(done, "")
	a.talk("%s", a.tf("%s is connected; the configuration is %s", p.name, h.Config))
	a.talk("%s jarvis ask \"%s\"", a.t("Next:"), a.t("What can you do?"))
	return nil
}

// unwritten takes the place in the file out of an error when the file itself is in order: the text with that line is not written.
func (a *App) unwritten(h home.Home, old []byte, err error) error {
	var e *core.Error
	if _, _, before := config.Parse(h.Config, old, a.Env); before != nil || !errors.As(err, &e) {
		return err
	}
	message := place.ReplaceAllString(strings.ReplaceAll(e.Message, h.Config, ""), "")
	return core.E(e.Code, message, "jarvis setup --help", err)
}

// place is a line and a column before a message.
var place = regexp.MustCompile(`(?m)^:\d+(:\d+)?: `)

// unsaved keeps a failed test from naming a command about a provider that was not written.
func (p plan) unsaved(err error) error {
	var e *core.Error
	if !errors.As(err, &e) {
		return err
	}
	about := strings.HasPrefix(e.Hint, "jarvis model test ") || strings.HasPrefix(e.Hint, "jarvis config get providers.")
	if p.baseURL != "" { // a server of one's own that does not answer: its list of models is no next step either
		about = about || strings.HasPrefix(e.Hint, "jarvis model ")
	}
	if !about {
		return err
	}
	hint := "jarvis setup --provider " + p.name
	if p.baseURL != "" {
		hint += " --base-url " + p.baseURL + "   # is the address right?"
	}
	return core.E(e.Code, e.Message, hint, err)
}

// provider finds the plan's provider in the configuration that it would make.
func (a *App) provider(c *config.Config, p plan) (config.Provider, error) {
	for _, have := range c.ProviderList(a.Env.Get) {
		if have.Name != p.name {
			continue
		}
		if p.key != "" { // its file is not written yet
			have.Key, have.Token, have.Problem = p.key, "", nil
		}
		if have.Problem != nil {
			return have, have.Problem
		}
		if needsKey(have) {
			return have, core.E(core.BadRequest, a.tf("there is no key for %s", p.name), "jarvis setup --provider "+p.name+" --key-stdin < key.txt", nil)
		}
		return have, nil
	}
	hint := "jarvis setup --provider " + p.name + " --key-stdin < key.txt"
	if !config.Known(p.name) {
		hint = "jarvis setup --provider " + p.name + " --base-url https://HOST/v1 --key-stdin < key.txt"
	}
	return config.Provider{}, core.E(core.BadRequest, a.tf("there is no key for %s", p.name), hint, nil)
}

// needsKey reports a service that answers nobody without one. At another address it is a server of one's own.
func needsKey(p config.Provider) bool {
	return p.Key == "" && p.Token == "" && len(p.Headers) == 0 && config.Public(p)
}

// try lists the provider's models and sends one of them a short request.
func (a *App) try(ctx context.Context, h home.Home, c *config.Config, p config.Provider, ref string) (finding, error) {
	f := a.probe(ctx, h, c, p)
	_, model, _ := strings.Cut(ref, "/")
	if model == "" {
		if !f.OK {
			return f, core.E(core.UpstreamUnavailable, f.Problem, either(f.Hint, "jarvis setup --provider "+p.Name+" --key-stdin < key.txt"), nil)
		}
		if len(f.Models) == 0 {
			return f, core.E(core.UpstreamUnavailable, a.tf("%s has no model", p.Name), "jarvis setup --provider "+p.Name+" --model "+p.Name+"/MODEL", nil)
		}
		model = f.Models[0]
	}
	if a.Test == nil {
		return f, nil
	}
	a.talk("%s", a.tf("Testing %s …", core.Printable(p.Name+"/"+model)))
	if err := a.Test(ctx, h, c, p, model); err != nil {
		return f, err
	}
	f.OK = true
	a.talk("%s", a.t("It answers."))
	return f, nil
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func hintOf(err error) string {
	var e *core.Error
	if errors.As(err, &e) {
		return e.Hint
	}
	var h *home.Error
	if errors.As(err, &h) {
		return h.Hint
	}
	return ""
}

// listFindings prints what is there, and what is configured but does not answer.
func (a *App) listFindings(found []finding) {
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	for _, f := range found {
		if f.quiet() {
			continue
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", f.Name, a.from(f), core.Printable(a.state(f)))
	}
	_ = w.Flush()
}

func (a *App) from(f finding) string {
	switch f.From {
	case "file":
		return a.t("configuration")
	case "found":
		return a.t("found")
	}
	return f.From
}

func (a *App) state(f finding) string {
	switch n := len(f.Models); {
	case !f.OK:
		return f.Problem
	case n == 0:
		return a.t("answers, but has no model")
	case n == 1:
		return f.Models[0]
	default:
		return a.tf("%d models, as %s", n, f.Models[0])
	}
}

// summary is what a script reads.
func (a *App) summary(h home.Home, model string, found []finding) error {
	s := struct {
		Config    string    `json:"config" yaml:"config"`
		Model     string    `json:"model" yaml:"model"`
		Providers []finding `json:"providers" yaml:"providers"`
	}{h.Config, model, found}
	if a.output == "yaml" {
		b, err := yaml.Dump(s)
		if err != nil {
			return fmt.Errorf("write yaml: %w", err)
		}
		_, err = a.Out.Write(b)
		return err
	}
	e := json.NewEncoder(a.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(s)
}
