// Package cli is the command tree of the thin command: one file per noun, streams, exit codes and hints. It is linked into
// every short command, so it imports daemon/client, daemon/api, daemon/home and core only; whatever needs the configuration
// or the screen is another program, which it executes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/home"
)

// App is what the commands see of the world outside, so that tests can give their own.
type App struct {
	In     *os.File
	Out    io.Writer
	Err    io.Writer
	Getenv func(string) string
	// OutTTY and ErrTTY say whether the descriptor is a terminal.
	OutTTY, ErrTTY bool

	noAutostart bool
	output      string
	json        bool
	verbose     bool
	user        string
	args        []string // of this call
	runs        string   // the command that runs, as "jarvis ask"; "" = none yet

	mu    sync.Mutex // guards what follows, and Err
	holds bool       // another program has the terminal
	held  []string   // lines for Err
}

// Main runs the command line of this process and returns its exit code.
func Main() int {
	// A closed pipe (`| head`) is an error of the write, not the death of the process: ask must still stop its chain.
	signal.Ignore(syscall.SIGPIPE)
	app := &App{
		In: os.Stdin, Out: &lastByte{w: os.Stdout, same: sameFile(os.Stdout, os.Stderr)}, Err: os.Stderr, Getenv: os.Getenv,
		OutTTY: isTerminal(os.Stdout), ErrTTY: isTerminal(os.Stderr),
	}
	return app.Run(context.Background(), os.Args[1:])
}

// Run runs one command line and returns its exit code; errors are printed with the next command to type.
func (a *App) Run(ctx context.Context, args []string) int {
	a.args = args
	root := NewCommand(a) //nolint:contextcheck // cobra hands the context to the commands itself
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	err := root.ExecuteContext(ctx)
	if errors.Is(err, errClosedPipe) { // not just any EPIPE: that of the socket is a daemon that died
		return api.ExitOK
	}
	return a.report(err)
}

// flagError says in words what the flag library says in Go's.
func (a *App) flagError(err error) string {
	text := err.Error()
	var value, flag string
	if n, _ := fmt.Sscanf(text, "invalid argument %q for %q flag:", &value, &flag); n == 2 {
		if i := strings.LastIndex(flag, "--"); i >= 0 {
			flag = flag[i:]
		}
		return a.tf("%s does not take %q", flag, value)
	}
	if rest, ok := strings.CutPrefix(text, "unknown shorthand flag: '"); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
		return a.tf("%s   (a value that begins with a minus stands behind --)", text)
	}
	return text
}

// NewCommand builds the command tree. It is exported for the generator of man pages and completions.
func NewCommand(a *App) *cobra.Command {
	root := &cobra.Command{
		Use:   "jarvis",
		Short: a.t("A workstation for AI agents in the terminal"),
		Long: a.t("jarvis talks to language models and lets them work for you. Without a command it opens a conversation;\n" +
			"jarvis ask prints one answer. A daemon in the background holds everything, and starts by itself."),
		Example: `  jarvis ask "What is 17% of 2,400?"
  git diff | jarvis ask "write the commit message"
  jarvis chat`,
		Args:              a.noArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.screen(cmd.Context(), nil) },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.runs = cmd.CommandPath()
			return a.checkGlobals()
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = false
	flags := root.PersistentFlags()
	flags.BoolVar(&a.noAutostart, "no-autostart", false, a.t("do not start the daemon when it is not running"))
	flags.StringVarP(&a.output, "output", "o", "", a.t("form of the output: table, json or yaml"))
	flags.BoolVar(&a.json, "json", false, a.t("short for -o json; on a stream: one event a line"))
	flags.BoolVarP(&a.verbose, "verbose", "v", false, a.t("print model, tokens, cost and time on stderr"))
	flags.StringVar(&a.user, "user", "", a.t("act for another user (for the owner)"))
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError(cmd, a.flagError(err)) })
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
	addVersion(root, a)
	root.AddGroup(
		&cobra.Group{ID: "talk", Title: a.t("Talk:")},
		&cobra.Group{ID: "manage", Title: a.t("Look after things:")},
		&cobra.Group{ID: "system", Title: a.t("The program itself:")},
	)
	group(root, "talk", a.askCommand(), a.chatCommand(), a.sessionCommand(), a.todoCommand())
	group(root, "manage", a.modelCommand(), a.usageCommand(), a.backupCommand(), a.auditCommand(), a.offlineCommand("config", a.t("Show and change the configuration")))
	group(root, "system", a.daemonCommand(), a.offlineCommand("setup", a.t("Connect a language model")),
		a.offlineCommand("doctor", a.t("Examine the installation and say what to do")), a.versionCommand())
	a.speakUsage(root)
	root.SetHelpCommandGroupID("system")
	root.SetCompletionCommandGroupID("system")
	preludeBash(root, a.Out)
	return root
}

func group(root *cobra.Command, id string, cmds ...*cobra.Command) {
	for _, c := range cmds {
		c.GroupID = id
		root.AddCommand(c)
	}
}

// home finds where things lie.
func (a *App) home() (home.Home, error) { return home.Find(a.Getenv) }

// client makes a client of this user's daemon. It dials only when it is used.
func (a *App) client() (*client.Client, error) {
	h, err := a.home()
	if err != nil {
		return nil, err
	}
	return client.New(client.Options{
		Home:        h,
		NoAutostart: !a.autostarts(),
		Getenv:      a.Getenv,
		Warn:        func(text string) { a.talk("%s", text) },
	}), nil
}

// autostarts reports whether the daemon may be started for this command.
func (a *App) autostarts() bool { return !a.noAutostart && !isSet(a.Getenv("JARVIS_NO_AUTOSTART")) }

// checkGlobals refuses what the global flags cannot mean.
func (a *App) checkGlobals() error {
	if a.json && a.output == "" {
		a.output = "json"
	}
	switch a.output {
	case "", "table", "json", "yaml":
	default:
		return core.E(core.BadRequest, a.tf("-o takes table, json or yaml, not %q", a.output), a.runs+" --help", nil)
	}
	if a.user != "" {
		return core.E(core.Unsupported, a.t("there is only the owner yet, so --user has nobody to name"), "jarvis help", nil)
	}
	return nil
}

func isSet(v string) bool { return v != "" && v != "0" && v != "false" }
