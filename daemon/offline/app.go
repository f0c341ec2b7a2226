// Package offline is jarvisd's command tree: run, and what works without a daemon, also when configuration or store are what
// is broken. It knows the configuration and the home; whatever needs an implementation comes in by Deps, so it may not import
// daemon, a store or a provider.
package offline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
	"jarvis/daemon/locale"
)

// RunOptions are how `jarvis daemon run` was called.
type RunOptions struct {
	Home home.Home
	Env  config.Env
	// Detached is set by auto-start: a busy port is then a warning instead of an error.
	Detached bool
	// NewStore starts with an empty store where the old one is gone or was put aside.
	NewStore bool
}

// ImportOptions name what `model-import` puts into the home: weights and libraries that make local-model has fetched.
type ImportOptions struct {
	Home    home.Home
	Weights string // GGUF file
	Libs    string // folder or archive of llama.cpp's libraries
}

// Deps is what the daemon's wiring gives. A nil function makes its command say that this build has none.
type Deps struct {
	Version string
	// Run is the daemon until ctx ends (SIGTERM, SIGINT: orderly shutdown) or it fails.
	Run func(ctx context.Context, o RunOptions) error
	// Models lists the usable models of a provider, the best default first; it costs no tokens.
	Models func(ctx context.Context, h home.Home, c *config.Config, p config.Provider) ([]string, error)
	// Test sends one short request to a model, named without its provider.
	Test func(ctx context.Context, h home.Home, c *config.Config, p config.Provider, model string) error
	// Request sends one short request to a model, named without its provider, and says what it cost.
	Request func(ctx context.Context, h home.Home, c *config.Config, p config.Provider, model string) (Asked, error)
	// Index looks at the folder of the search index and changes nothing in it.
	Index func(ctx context.Context, h home.Home) (IndexLook, error)
	// Look checks the store and changes nothing in it.
	Look func(ctx context.Context, h home.Home) (StoreLook, error)
	// ImportModel installs a local model from files.
	ImportModel func(ctx context.Context, o ImportOptions, progress func(file string, done, total int64)) error
	// Backups checks and restores backups.
	Backups BackupDeps
	// Audit reads and writes the audit file.
	Audit AuditDeps
}

// App is one call: Deps and the world outside, so that tests can give their own.
type App struct {
	Deps
	In       io.Reader
	Out, Err io.Writer
	Env      config.Env
	Terminal bool // a person can be asked
	Ask      Asker

	output string
	json   bool
	prefix string
	label  string
	around machine
}

// Main runs the command line of this process and returns its exit code.
func Main(d Deps) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal kills: a shutdown that hangs must not need kill -9.
	context.AfterFunc(ctx, stop)
	a := &App{
		Deps: d, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ(),
		Terminal: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
	}
	a.Ask = forms{in: os.Stdin, out: os.Stderr, plain: a.Env.Get("TERM") == "dumb"}
	return a.Main(ctx, os.Args[1:])
}

// Main runs one command line and returns its exit code. Errors are printed here, with the next command to type.
func (a *App) Main(ctx context.Context, args []string) int {
	a.prefix, a.label = home.Command, a.t("Try:")
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	root := a.command() //nolint:contextcheck // cobra hands the context to the commands itself
	a.speakUsage(root)
	root.SetArgs(fromCommand(args))
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	return a.report(root.ExecuteContext(ctx))
}

// fromCommand puts `run` where it stands in the tree: below daemon, as people type it.
func fromCommand(args []string) []string {
	at := 0
	if len(args) > 0 && strings.HasPrefix(args[0], "__complete") {
		at = 1
	}
	if len(args) > at && args[at] == "run" {
		return append(append(append([]string{}, args[:at]...), "daemon"), args[at:]...)
	}
	return args
}

// broken marks an error that is the file's or the daemon's and not the command line's: exit 1.
type broken struct{ err error }

func (b broken) Error() string { return b.err.Error() }
func (b broken) Unwrap() error { return b.err }

// report prints an error and gives the exit code.
func (a *App) report(err error) int {
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return api.ExitOK
	}
	message, hint, code := err.Error(), "jarvis help", api.ExitError
	var h *home.Error
	var e *core.Error
	var file broken
	switch {
	case errors.Is(err, errFound):
		return api.ExitError
	case errors.Is(err, errAborted) || errors.Is(err, context.Canceled):
		a.talk("%s: %s", a.prefix, a.t("stopped"))
		return api.ExitStopped
	case errors.As(err, &h):
		message, hint = h.Message, h.Hint
	case errors.As(err, &e):
		message, hint = e.Message, e.Hint
		if !errors.As(err, &file) {
			code = api.Exit(err)
		}
	}
	a.talk("%s: %s", a.prefix, core.Printable(message))
	if hint == "" {
		hint = "jarvis help"
	}
	for _, line := range locale.Try(a.label, hint) {
		a.talk("%s", core.Printable(line))
	}
	return code
}

func (a *App) talk(format string, args ...any) { _, _ = fmt.Fprintf(a.Err, format+"\n", args...) }

func (a *App) warn(list []config.Warning) {
	for _, w := range list {
		text := a.t("Warning:") + " " + w.Message
		if w.Hint != "" {
			text += " (" + w.Hint + ")"
		}
		a.talk("%s", core.Printable(text))
	}
}

func (a *App) home() (home.Home, error) { return home.Find(a.Env.Get) }

// load finds the home and reads its configuration.
func (a *App) load() (home.Home, *config.Config, []config.Warning, error) {
	h, err := a.home()
	if err != nil {
		return h, nil, nil, err
	}
	c, warnings, err := config.Load(h.Config, a.Env)
	if err != nil {
		return h, nil, nil, broken{err}
	}
	return h, c, warnings, nil
}
