package offline

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

// setupOptions are the flags of setup.
type setupOptions struct {
	provider string
	kind     string
	baseURL  string
	model    string
	keyStdin bool
	yes      bool
	noTest   bool
}

// plan is what setup is going to test and to write.
type plan struct {
	name    string        // the provider to test
	kind    string        // what is written about it; "" = not written
	baseURL string        //
	keyVar  string        // variable that has the key
	key     config.Secret // or a typed key, which goes into a file of its own
	model   string        // what model: becomes; "" = it stays
}

func (a *App) setupCommand() *cobra.Command {
	var o setupOptions
	cmd := &cobra.Command{
		Use:   "setup",
		Short: a.t("Connect a language model"),
		Long: a.t("setup looks for keys in the environment, Ollama, and installed local models, tests one model and writes the\n" +
			"configuration. On a terminal it asks; with --yes, --provider or without a terminal it does not.\n" +
			"A key that you type goes into a file of its own (0600), never into the configuration."),
		Example: "  jarvis setup\n" +
			"  jarvis setup --yes\n" +
			"  jarvis setup --provider anthropic --key-stdin < key.txt\n" +
			"  jarvis setup --provider work --base-url https://llm.example/v1 --model work/big --key-stdin < key.txt",
		Args: a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.setup(cmd.Context(), cmd, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.provider, "provider", "", a.t("name of the provider to connect: anthropic, openai, google, openrouter, ollama, or one of your own"))
	f.StringVar(&o.kind, "type", "", a.t("kind of a provider of your own (default openai-compatible)"))
	f.StringVar(&o.baseURL, "base-url", "", a.t("address of the provider"))
	f.BoolVar(&o.keyStdin, "key-stdin", false, a.t("read the provider's key from stdin"))
	f.StringVar(&o.model, "model", "", a.t("model to use from now on: provider/model, or auto"))
	f.BoolVarP(&o.yes, "yes", "y", false, a.t("ask nothing"))
	_ = cmd.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions(append(config.Keyed(), config.TypeOllama), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions([]string{config.TypeCompatible, config.TypeAnthropic, config.TypeOllama}, cobra.ShellCompDirectiveNoFileComp))
	f.BoolVar(&o.noTest, "no-test", false, a.t("do not send a test request"))
	return cmd
}

func (a *App) setup(ctx context.Context, cmd *cobra.Command, o setupOptions) error {
	if o.provider == "" && (o.kind != "" || o.baseURL != "" || o.keyStdin) {
		return usage(cmd, a.t("--type, --base-url and --key-stdin need --provider"))
	}
	h, c, warnings, err := a.load()
	if err != nil {
		return err
	}
	a.warn(warnings)
	if err := h.EnsureConfig(); err != nil {
		return err
	}
	if o.provider != "" {
		return a.setupProvider(ctx, h, c, o)
	}
	found := a.survey(ctx, h, c)
	if a.output == "" || a.output == "table" {
		a.listFindings(found)
	}
	if a.Terminal && !o.yes && a.Ask != nil {
		return a.setupAsking(ctx, h, found, o)
	}
	return a.setupFound(ctx, h, c, found, o)
}

// setupProvider connects the provider that the flags name.
func (a *App) setupProvider(ctx context.Context, h home.Home, c *config.Config, o setupOptions) error {
	if typed := strings.TrimSpace(o.baseURL); config.Address(typed) != typed {
		o.baseURL = config.Address(typed)
		a.talk("%s", a.tf("Taken as %s", core.Printable(o.baseURL)))
	}
	if err := config.CheckProvider(o.provider, o.baseURL); err != nil {
		return err
	}
	p := plan{name: o.provider, kind: o.kind, baseURL: o.baseURL, model: o.model}
	if !o.keyStdin {
		p.keyVar = config.KeyVar(o.provider, a.Env.Get)
		if p.keyVar == "" && a.Terminal && !o.yes && a.Ask != nil && a.wantsKey(c, p) {
			key, err := a.Ask.Secret(ctx, a.tf("Key for %s (it is not shown)", o.provider))
			if err != nil {
				return err
			}
			p.key = config.Secret(strings.TrimSpace(key))
		}
		return a.carryOut(ctx, h, p, o)
	}
	key, err := a.readLine()
	if err != nil {
		return err
	}
	if p.key = config.Secret(strings.TrimSpace(key)); p.key == "" {
		return core.E(core.BadRequest, a.t("there is no key on stdin"), "jarvis setup --provider "+o.provider+" --key-stdin < key.txt", nil)
	}
	return a.carryOut(ctx, h, p, o)
}

// wantsKey reports whether a person has to be asked: a provider with keys that has none yet.
func (a *App) wantsKey(c *config.Config, p plan) bool {
	for _, have := range c.ProviderList(a.Env.Get) {
		if have.Name == p.name && (have.Key != "" || have.Token != "") {
			return false
		}
	}
	return p.baseURL != "" || slices.Contains(config.Keyed(), p.name)
}

// setupFound takes the first provider that answers its test, in the configuration's order.
func (a *App) setupFound(ctx context.Context, h home.Home, c *config.Config, found []finding, o setupOptions) error {
	if o.model != "" && o.model != "auto" {
		name, _, _ := strings.Cut(o.model, "/")
		for _, f := range found {
			if f.Name == name {
				return a.carryOut(ctx, h, planOf(f, o.model, a.Env.Get), o)
			}
		}
		return core.E(core.BadRequest, a.tf("there is no provider for the model %s", o.model), "jarvis setup --provider NAME --key-stdin --model "+o.model, nil)
	}
	failed := false
	for i, f := range found {
		if !f.usable() || f.Type == config.TypeBuiltin {
			continue
		}
		p := planOf(f, o.model, a.Env.Get)
		if failed { // auto would take the one before, which lists its models all the same
			p.model = f.Name + "/" + f.Models[0]
		}
		err := a.carryOut(ctx, h, p, o)
		if err == nil || ctx.Err() != nil || !isProviders(err) {
			return err
		}
		failed = true
		found[i].fail(err)
		a.talk("%s: %s", f.Name, core.Printable(err.Error()))
	}
	return a.nothingFound(ctx, h, c, found)
}

// isProviders reports a failure of the provider, after which the next one is tried.
func isProviders(err error) bool {
	switch core.CodeOf(err) {
	case core.UpstreamUnavailable, core.RateLimited, core.Unauthorized:
		return true
	}
	return false
}

func (a *App) nothingFound(ctx context.Context, h home.Home, c *config.Config, found []finding) error {
	builtin := false
	for _, f := range found {
		builtin = builtin || f.Type == config.TypeBuiltin && f.OK
	}
	// A file to look at, also when there is nothing to write into it.
	a.record(ctx, h, "config.set", "model", true)
	if _, err := config.Update(h.Config, a.Env, func(now []byte) ([]byte, error) { return plan{}.apply(h.Config, now) }); err != nil {
		return err
	}
	if a.output == "json" || a.output == "yaml" {
		return a.summary(h, c.Model, found)
	}
	a.talk("%s", a.t("No language model is connected."))
	if builtin {
		a.talk("%s", a.t("Until then builtin/offline answers: time, arithmetic, units, todo. It is not a language model."))
	}
	a.talk("%s jarvis setup --provider anthropic --key-stdin < key.txt", a.t("Next:"))
	a.talk("%s jarvis model pull", a.t("Or a small local model:"))
	return nil
}

// planOf is what a finding needs written: a key of the environment is named, never copied.
func planOf(f finding, model string, getenv func(string) string) plan {
	p := plan{name: f.Name, model: model}
	if f.From != "file" && f.From == config.KeyVar(f.Name, getenv) {
		p.keyVar = f.From
	}
	return p
}
