package tui

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"jarvis/daemon/api"
	"jarvis/tui/view"
)

// Main runs this process's command line and returns its exit code.
func Main() int {
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is an error of the write, which ends quietly
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "render" {
		return renderMain(args[1:])
	}
	return chatMain(args)
}

// chatOptions are what the command line says of a conversation.
type chatOptions struct {
	session string // "" = a new one
	model   string // "" = the session's or the default
	newest  bool   // go on with the newest one
	offline bool   // do not start the daemon
}

// chatArgs reads `[--no-autostart] [--continue] [--model=MODEL] [SESSION]`.
func chatArgs(args []string, getenv func(string) string) (o chatOptions, err error) {
	v := getenv("JARVIS_NO_AUTOSTART")
	o.offline = v != "" && v != "0" && v != "false"
	for _, a := range args {
		switch {
		case a == "--no-autostart":
			o.offline = true
		case a == "--continue":
			o.newest = true
		case strings.HasPrefix(a, "--model="):
			o.model = strings.TrimPrefix(a, "--model=")
		case strings.HasPrefix(a, "-") || o.session != "":
			return o, errors.New("usage")
		default:
			o.session = a
		}
	}
	if o.newest && o.session != "" {
		return o, errors.New("usage")
	}
	return o, nil
}

func renderMain(args []string) int {
	signal.Ignore(os.Interrupt) // Ctrl-C is ask's to handle; this one ends when its input does
	f := &filter{
		in: os.Stdin, out: os.Stdout, now: time.Now, say: speechFor(os.Getenv),
		opt: view.Options{Theme: view.ThemeFor(os.Getenv)},
	}
	for len(args) > 0 {
		name, value, given := strings.Cut(args[0], "=")
		args = args[1:]
		switch name {
		case "--help", "-h":
			fmt.Println(f.say.of("usage: jarvis-tui render [--width N]"))
			return api.ExitOK
		case "--events":
			f.events = true
			continue
		case "--width":
			if !given && len(args) > 0 {
				value, args = args[0], args[1:]
			}
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				f.width = n
				continue
			}
		}
		fmt.Fprintln(os.Stderr, f.say.of("usage: jarvis-tui render [--width N]"))
		return api.ExitUsage
	}
	f.fixed = true
	if term.IsTerminal(int(os.Stdout.Fd())) {
		f.tty = os.Stdout
		f.fixed = os.Getenv("TERM") == "dumb"
		f.resized = resizes()
	}
	if err := f.run(); err != nil {
		fmt.Fprintln(os.Stderr, "jarvis-tui:", err)
		return api.ExitError
	}
	return api.ExitOK
}
