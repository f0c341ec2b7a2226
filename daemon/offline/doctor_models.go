package offline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"jarvis/daemon/config"
	"jarvis/daemon/locale"
)

// checkModels asks every provider for its models, which costs no tokens, looks whether one of them can answer, and
// asks them when that is wanted.
func (d *doctor) checkModels(ctx context.Context) {
	if d.config == nil {
		d.skipped("models", d.t("without a configuration no provider is known"), "jarvis config edit")
		return
	}
	found := d.survey(ctx, d.h, d.config)
	if ctx.Err() != nil {
		return
	}
	for _, f := range found {
		d.provider(f)
	}
	d.chosenModel(found)
	if d.ask {
		d.askModels(ctx, found)
	}
}

func (d *doctor) provider(f finding) {
	name := "provider/" + f.Name
	problem := locale.Message(d.lang(), f.Problem)
	switch {
	case f.Type == config.TypeBuiltin:
	case f.Type == config.TypeLocal && f.OK && len(f.Models) == 0:
		d.skipped(name, d.t("no local model is installed"), "jarvis model pull")
	case f.Type == config.TypeLocal && !f.OK:
		d.warning(name, problem, cmp.Or(f.Hint, "jarvis model list"))
	case f.usable():
		d.ok(name, d.state(f))
	case f.quiet():
		d.skipped(name, d.t("it does not answer, and nobody asked for it"), "")
	case f.OK:
		d.warning(name, d.state(f), "jarvis model list")
	default:
		d.problem(name, problem, cmp.Or(f.Hint, "jarvis setup"))
	}
}

// chosenModel holds the configured model against those that the providers list.
func (d *doctor) chosenModel(found []finding) {
	model := d.config.Model
	if to, ok := d.config.Aliases[model]; ok {
		model = to
	}
	provider, id, named := strings.Cut(model, "/")
	i := slices.IndexFunc(found, func(f finding) bool { return f.Name == provider })
	switch {
	case model == "" || model == "auto" || !named:
		if !slices.ContainsFunc(found, func(f finding) bool { return f.usable() && f.Type != config.TypeBuiltin }) {
			d.warning("model", d.t("no language model is connected; until then builtin/offline answers"), "jarvis setup")
			return
		}
		d.ok("model", d.t("a language model can answer"))
	case i < 0:
		// A server that lists models with a slash of their own may know it all the same.
		d.warning("model", d.tf("there is no provider %s for the configured model %s", provider, model), "jarvis model test "+model)
	case !found[i].usable():
		d.problem("model", d.tf("the configured model %s cannot answer now", model), cmp.Or(found[i].Hint, "jarvis setup"))
	case !slices.Contains(found[i].Models, id):
		d.warning("model", d.tf("%s does not list the configured model %s", provider, model), "jarvis model test "+model)
	default:
		d.ok("model", d.tf("the configured model %s can answer", model))
	}
}
