package offline

import (
	"context"
	"errors"
	"strings"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

// choice is one line of the first question.
type choice struct {
	label string
	plan  func(ctx context.Context) (plan, error)
}

// setupAsking lets the person choose what to connect, until something works or they have had enough.
func (a *App) setupAsking(ctx context.Context, h home.Home, found []finding, o setupOptions) error {
	choices := a.choices(found, o.model)
	labels := make([]string, len(choices))
	for i, c := range choices {
		labels[i] = c.label
	}
	for {
		i, err := a.Ask.Choose(ctx, a.t("Which language model shall answer?"), labels)
		if err != nil {
			return err
		}
		if choices[i].plan == nil {
			a.talk("%s", a.t("Nothing was changed"))
			return nil
		}
		p, err := choices[i].plan(ctx)
		if err != nil {
			return err
		}
		err = a.carryOut(ctx, h, p, o)
		if err == nil || errors.Is(err, errAborted) || ctx.Err() != nil {
			return err
		}
		a.talk("%s", core.Printable(err.Error()))
		again, aerr := a.Ask.Confirm(ctx, a.t("Try something else?"))
		if aerr != nil || !again {
			return err
		}
	}
}

// choices are what was found, then what a key would open.
func (a *App) choices(found []finding, model string) []choice {
	var out []choice
	have := map[string]bool{}
	for _, f := range found {
		if !f.usable() || f.Type == config.TypeBuiltin {
			continue
		}
		first := len(have) == 0
		have[f.Name] = true
		out = append(out, choice{f.Name + ": " + core.Printable(a.state(f)), func(ctx context.Context) (plan, error) { return a.choose(ctx, f, first, model) }})
	}
	for _, name := range config.Keyed() {
		if !have[name] {
			out = append(out, choice{a.tf("%s: with a key", name), func(ctx context.Context) (plan, error) { return a.askKey(ctx, name, model) }})
		}
	}
	return append(
		out,
		choice{a.t("a server of your own (OpenAI-compatible)"), func(ctx context.Context) (plan, error) { return a.askServer(ctx, model) }},
		choice{a.t("none now"), nil},
	)
}

// choose asks for the model of a provider that is there. auto leaves it to the order of what answers, so it is offered for
// the provider that comes first in it only.
func (a *App) choose(ctx context.Context, f finding, first bool, model string) (plan, error) {
	p := planOf(f, model, a.Env.Get)
	if model != "" {
		return p, nil
	}
	if first && f.Type == config.TypeLocal { // a small model named outright would keep the rules from what they know better
		p.model = "auto"
		return p, nil
	}
	var refs, labels []string
	if first {
		refs, labels = append(refs, "auto"), append(labels, a.t("auto (always the first that answers)"))
	}
	for _, m := range f.Models {
		refs, labels = append(refs, f.Name+"/"+m), append(labels, f.Name+"/"+core.Printable(m))
	}
	i, err := a.Ask.Choose(ctx, a.t("Which model?"), labels)
	if err == nil {
		p.model = refs[i]
	}
	return p, err
}

func (a *App) askKey(ctx context.Context, name, model string) (plan, error) {
	key, err := a.Ask.Secret(ctx, a.tf("Key for %s (it is not shown)", name))
	return plan{name: name, key: config.Secret(strings.TrimSpace(key)), model: model}, err
}

func (a *App) askServer(ctx context.Context, model string) (plan, error) {
	url, err := a.askGood(ctx, a.t("Address, as https://llm.example/v1"), "", func(s string) error { return config.CheckProvider("x", either(config.Address(s), "?")) })
	if err != nil {
		return plan{}, err
	}
	if typed := strings.TrimSpace(url); config.Address(typed) != typed {
		url = config.Address(typed)
		a.talk("%s", a.tf("Taken as %s", core.Printable(url)))
	}
	name, err := a.askGood(ctx, a.t("A short name for it"), "work", func(s string) error { return config.CheckProvider(strings.TrimSpace(s), "") })
	if err != nil {
		return plan{}, err
	}
	key, err := a.Ask.Secret(ctx, a.t("Its key (empty when it needs none)"))
	p := plan{name: strings.TrimSpace(name), baseURL: strings.TrimSpace(url), key: config.Secret(strings.TrimSpace(key)), model: model}
	if err == nil && p.model == "" {
		err = a.askModel(ctx, &p)
	}
	return p, err
}

// askGood asks until the answer is one that can be used, or the person leaves: a mistake shows where it was made.
func (a *App) askGood(ctx context.Context, title, preset string, check func(string) error) (string, error) {
	for {
		s, err := a.Ask.Text(ctx, title, preset)
		if err != nil {
			return "", err
		}
		if err = check(s); err == nil {
			return s, nil
		}
		a.talk("%s", core.Printable(err.Error()))
	}
}

func (a *App) askModel(ctx context.Context, p *plan) error {
	id, err := a.Ask.Text(ctx, a.t("Name of a model there (empty: the first it lists)"), "")
	if id = strings.TrimSpace(id); id != "" {
		p.model = p.name + "/" + id
	}
	return err
}
