package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

func (a *App) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: a.t("Show and change the configuration"),
		Long: a.t("One YAML file holds the configuration; what it does not name has its default. A variable JARVIS_ and the\n" +
			"path in capitals (JARVIS_LOG_LEVEL) goes over it. A running daemon takes up every change at once, but listen,\n" +
			"tls and store, which need a restart. Keys are never printed."),
		Example: "  jarvis config show\n  jarvis config set log.level debug\n  jarvis config edit",
		Args:    a.noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.configShow(), a.configGet(), a.configSet(), a.configEdit(), a.configPath(), a.configSchema())
	return cmd
}

func (a *App) configShow() *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   a.t("Print every value in force, and where it comes from"),
		Long:    a.t("Print every value in force, and where it comes from. -o yaml is a whole file.") + "\n\n" + documented(),
		Example: "  jarvis config show\n  jarvis config show -o yaml",
		Args:    a.noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, c, warnings, err := a.load()
			if err != nil {
				return a.notInForce(err)
			}
			a.warn(warnings)
			return a.show(c)
		},
	}
}

// notInForce adds to a broken file what a running daemon does meanwhile.
func (a *App) notInForce(err error) error {
	a.talk("%s", a.t("The file is not in force; a running daemon keeps the last good configuration."))
	return err
}

func (a *App) show(c *config.Config) error {
	switch a.output {
	case "yaml":
		n, err := c.Tree()
		if err != nil {
			return err
		}
		return a.writeYAML(n)
	case "json":
		n, err := c.Tree()
		if err != nil {
			return err
		}
		return a.writeJSON(n)
	}
	rows, err := c.Rows()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", a.t("KEY"), a.t("VALUE"), a.t("FROM"))
	for _, r := range rows {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", core.Printable(r.Path), core.Printable(r.Value), a.source(r.Source))
	}
	return w.Flush()
}

// source is where a value comes from, in the locale's language.
func (a *App) source(s string) string {
	if line, ok := strings.CutPrefix(s, "line "); ok {
		return a.t("line") + " " + line
	}
	if s == "default" {
		return a.t("default")
	}
	return s
}

func (a *App) configGet() *cobra.Command {
	return &cobra.Command{
		Use:               "get KEY",
		Short:             a.t("Print one value in force"),
		Example:           "  jarvis config get listen\n  jarvis config get providers -o json",
		Args:              a.exactly(1, "KEY"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(_ *cobra.Command, args []string) error {
			_, c, _, err := a.load()
			if err != nil {
				return a.notInForce(err)
			}
			n, err := c.Get(args[0])
			if err != nil {
				return err
			}
			switch a.output {
			case "json":
				return a.writeJSON(n)
			case "yaml":
				return a.writeYAML(n)
			}
			s, err := config.Plain(n)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.Out, core.Printable(s))
			return err
		},
	}
}

func (a *App) configSet() *cobra.Command {
	unset := false
	cmd := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: a.t("Change one value of the file"),
		Long: a.t("Change one value of the file; comments, order and everything else in it stay as they are. The whole file is\n" +
			"checked before it is replaced. A list is [a, b] or a,b; a group is {key: value}; - reads the value from stdin,\n" +
			"which keeps a key out of the shell's history."),
		Example: "  jarvis config set model anthropic/claude-sonnet-4-6\n" +
			"  jarvis config set providers.work.base_url https://llm.example/v1\n" +
			"  jarvis config set providers.work.api_key - < key.txt\n" +
			"  jarvis config set network.allow_private 192.168.0.0/16,nas.local\n" +
			"  jarvis config set --unset providers.work",
		Args: func(cmd *cobra.Command, args []string) error {
			if unset {
				return a.exactly(1, "--unset KEY")(cmd, args)
			}
			return a.exactly(2, "KEY VALUE")(cmd, args)
		},
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			if unset {
				return a.unset(cmd.Context(), args[0])
			}
			value := args[1]
			if value == "-" {
				text, err := a.readLine()
				if err != nil {
					return err
				}
				value = text
			}
			return a.set(cmd.Context(), args[0], value, args[1] != "-")
		},
	}
	cmd.Flags().BoolVar(&unset, "unset", false, a.t("take the key out of the file, so that its default is in force"))
	return cmd
}

func (a *App) unset(ctx context.Context, path string) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	a.record(ctx, h, "config.unset", path, true)
	done, err := config.Unset(h.Config, path, a.Env)
	if err != nil {
		a.record(ctx, h, "config.unset", path, false)
		return a.blame(h, err)
	}
	a.saidChanged(done, path)
	return nil
}

func (a *App) set(ctx context.Context, path, value string, typed bool) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	if err := h.EnsureConfig(); err != nil {
		return err
	}
	a.record(ctx, h, "config.set", path, true)
	done, err := config.Set(h.Config, path, value, a.Env)
	if err != nil {
		a.record(ctx, h, "config.set", path, false)
		return a.blame(h, err)
	}
	if config.IsSecret(path) && typed && config.Literal(value) {
		a.talk("%s", a.t("The key now stands in the file, and perhaps in the shell's history. Better: jarvis setup, or file:PATH as the value."))
	}
	a.saidChanged(done, path)
	a.doubt(done.Config, path, value)
	return nil
}

// doubt says that no provider stands behind a model's name that was just set. It asks nobody, so a server that lists models with
// a slash of their own may know it all the same.
func (a *App) doubt(c *config.Config, path, value string) {
	name, _, ok := strings.Cut(value, "/")
	if !ok || c == nil || path != "model" && !strings.HasPrefix(path, "aliases.") || c.Aliases[value] != "" {
		return
	}
	for _, p := range c.ProviderList(a.Env.Get) {
		if p.Name == name {
			return
		}
	}
	a.talk("%s", a.tf("There is no provider %s here; ask what %s means with: jarvis model test %s", core.Printable(name), core.Printable(value), core.Printable(value)))
}

// blame makes an error the file's when the file was broken before: what was typed is no usage error then.
func (a *App) blame(h home.Home, err error) error {
	if _, _, before := config.Load(h.Config, a.Env); before != nil {
		return broken{err}
	}
	return err
}

// saidChanged tells what a change of the file does not do by itself.
func (a *App) saidChanged(done config.Changed, path string) {
	a.warn(done.Warnings)
	if done.Hidden != "" {
		a.talk("%s", a.tf("%s is overridden by the variable %s", path, done.Hidden))
	}
	if len(done.Restart) > 0 {
		a.talk("%s", a.tf("%s takes effect after: jarvis daemon restart", strings.Join(done.Restart, ", ")))
	}
}

// maxLine bounds what `-` reads, in bytes.
const maxLine = 64 << 10

func (a *App) readLine() (string, error) {
	b, err := io.ReadAll(io.LimitReader(a.In, maxLine+1))
	if err != nil {
		return "", core.E(core.BadRequest, a.t("stdin cannot be read"), "jarvis config set --help", err)
	}
	if len(b) > maxLine {
		return "", core.E(core.TooLarge, a.t("the value on stdin is too large"), "jarvis config set --help", nil)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

func (a *App) configPath() *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: a.t("Print where the file lies; it need not exist"),
		Args:  a.noArgs,
		RunE: func(*cobra.Command, []string) error {
			h, err := a.home()
			if err != nil {
				return err
			}
			if a.output == "json" {
				return json.NewEncoder(a.Out).Encode(map[string]string{"path": h.Config})
			}
			_, err = fmt.Fprintln(a.Out, h.Config)
			return err
		},
	}
}

func (a *App) configSchema() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   a.t("Print the file's JSON schema, for editors"),
		Example: "  jarvis config schema > config.schema.json",
		Args:    a.noArgs,
		RunE: func(*cobra.Command, []string) error {
			b, err := config.Schema()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.Out, "%s\n", b)
			return err
		},
	}
}

func (a *App) writeYAML(n *yaml.Node) error {
	b, err := yaml.Dump(n)
	if err != nil {
		return fmt.Errorf("write yaml: %w", err)
	}
	_, err = a.Out.Write(b)
	return err
}

func (a *App) writeJSON(n *yaml.Node) error {
	var v any
	if err := n.Load(&v); err != nil {
		return fmt.Errorf("write json: %w", err)
	}
	e := json.NewEncoder(a.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func (a *App) exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return usage(cmd, a.tf("%s takes %s", cmd.CommandPath(), what))
	}
}

// completeKeys offers the keys of the file, and the values that one of them may have.
func (a *App) completeKeys(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, l := range config.Leaves() {
		switch {
		case len(args) == 0 && strings.HasPrefix(l.Path, typed) && !strings.Contains(l.Path, "NAME") && !strings.Contains(l.Path, ".N."):
			out = append(out, cobra.CompletionWithDesc(l.Path, l.Doc))
		case len(args) == 1 && cmd.Name() == "set" && l.Path == args[0]:
			for _, e := range l.Enum {
				if strings.HasPrefix(e, typed) {
					out = append(out, e)
				}
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// documented lists every key with its sentence, for help and man page; the indentation keeps its lines apart in both.
func documented() string {
	var b strings.Builder
	for _, l := range config.Leaves() {
		fmt.Fprintf(&b, "    %s\n        %s\n", l.Path, l.Doc)
	}
	return strings.TrimRight(b.String(), "\n")
}
