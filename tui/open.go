package tui

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/home"
	"jarvis/daemon/locale"
	"jarvis/tui/view"
)

func chatMain(args []string) int {
	say := speechFor(os.Getenv)
	if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		fmt.Println(say.of("usage: jarvis chat [-m MODEL] [-c | SESSION]"))
		return api.ExitOK
	}
	o, err := chatArgs(args, os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, say.of("usage: jarvis chat [-m MODEL] [-c | SESSION]"))
		return api.ExitUsage
	}
	h, err := home.Find(os.Getenv)
	if err != nil {
		return complain(say, err)
	}
	var mu sync.Mutex // guards warnings and warn: what follows the settings warns too
	var warnings []string
	warn := func(text string) { warnings = append(warnings, text) }
	c := &chat{
		d: client.New(client.Options{Home: h, NoAutostart: o.offline, Getenv: os.Getenv, Warn: func(text string) {
			mu.Lock()
			defer mu.Unlock()
			warn(text)
		}}),
		say: say, getenv: os.Getenv, now: time.Now, offline: o.offline, newest: o.newest, model: o.model,
		opt: view.Options{Width: fallbackWidth, Theme: view.ThemeFor(os.Getenv)},
	}
	ctx := context.Background()
	st, err := c.connect(ctx, o.session)
	if err != nil {
		return complain(say, err)
	}
	if !isTerminal(os.Stdin) || !isTerminal(os.Stdout) || os.Getenv("TERM") == "dumb" {
		for _, w := range warnings {
			fmt.Fprintln(os.Stderr, "jarvis: "+core.Printable(w))
		}
		warn = func(text string) { fmt.Fprintln(os.Stderr, "jarvis: "+core.Printable(text)) }
		return c.linesMain(ctx)
	}
	return c.talkMain(ctx, st, c.session != "", warnings)
}

// complain prints an error and the next command, and gives the exit code.
func complain(say speech, err error) int {
	sentence, hint := explain(say, err)
	fmt.Fprintln(os.Stderr, "jarvis: "+core.Printable(sentence))
	if hint == "" {
		hint = "jarvis help"
	}
	for _, l := range locale.Try(say.of("Try:"), hint) {
		fmt.Fprintln(os.Stderr, core.Printable(l))
	}
	return api.Exit(err)
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// talkMain opens the conversation on the terminal and gives it back as it was, however it ends.
func (c *chat) talkMain(ctx context.Context, st api.Status, resume bool, warnings []string) (code int) {
	size := func() (int, int, error) { return term.GetSize(int(os.Stdout.Fd())) }
	w, h, _ := size()
	sc := newScreen(os.Stdout, w, h, false)
	c.opt.Width = sc.width
	k := &talk{chat: c, sc: sc, size: size, ed: &editor{folded: foldLabel(c.say)}, pace: pace{now: c.now}}
	for _, cmd := range commands() {
		k.ed.names = append(k.ed.names, cmd.name)
	}
	k.greet(st, warnings)
	if resume {
		if err := k.resume(ctx); err != nil {
			return complain(c.say, err)
		}
	}
	undo, err := rawMode(os.Stdin, os.Stdout)
	if err != nil {
		return c.linesMain(ctx)
	}
	defer undo() // also when something panics: the shell must get its terminal back
	watched, unwatch := context.WithCancel(ctx)
	defer unwatch()
	k.in, k.resized, k.states = readBytes(os.Stdin), resizes(), k.watch(watched)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	k.signals = signals
	k.suspend = suspender(func() { undo() }, func() error {
		undo, err = rawMode(os.Stdin, os.Stdout)
		return err
	})
	switch err := k.run(ctx); {
	case errors.Is(err, errSignal):
		return api.ExitTerminated
	case err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.EIO):
		undo()
		return complain(c.say, err)
	}
	return api.ExitOK
}

// greet says in two or three lines who answers and how to leave.
func (k *talk) greet(st api.Status, warnings []string) {
	model := st.Model
	if k.answers != "" {
		model = k.answers
	}
	head := "jarvis " + strings.SplitN(st.Version, "+", 2)[0]
	if model != "" {
		head += " · " + k.say.of("%s answers", model)
	}
	k.out = append(k.out, view.Message("", "", head, k.opt.Theme.Heading3, k.opt)...)
	k.out = append(k.out, view.Message("", "", k.say.of("Ctrl-D leaves, Ctrl-C stops an answer, /help shows the rest."), k.opt.Theme.Dim, k.opt)...)
	// What answers this conversation may be asked for by name; only the daemon knows whether there is a model at all.
	if st.Model == offlineModel {
		k.out = append(k.out, view.Message("", "", k.say.of(
			"No language model is connected yet: it can tell the time, calculate and keep your todo list. Connect one: jarvis setup"),
			k.opt.Theme.Number, k.opt)...)
	}
	for _, w := range append(warnings, st.Warnings...) {
		k.out = append(k.out, view.Message("! ", k.opt.Theme.Number, w, k.opt.Theme.Dim, k.opt)...)
	}
	k.out = append(k.out, view.Line{})
}

// resume shows the newest messages and takes a running chain up again.
func (k *talk) resume(ctx context.Context) error {
	lines, typed, open, err := k.recall(ctx)
	if err != nil {
		return err
	}
	k.out = append(k.out, lines...)
	if len(lines) > 0 && open == "" {
		k.out = append(k.out, view.Line{})
	}
	for _, t := range typed {
		k.ed.remember(t)
	}
	if open != "" {
		k.follow(ctx, open, func(ctx context.Context) iter.Seq2[core.Event, error] { return k.d.Events(ctx, open, 0) })
	}
	return nil
}
