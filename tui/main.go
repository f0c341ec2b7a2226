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

// chatArgs reads `[--no-autostart] [SESSION]`.
func chatArgs(args []string, getenv func(string) string) (session string, offline bool, err error) {
	v := getenv("JARVIS_NO_AUTOSTART")
	offline = v != "" && v != "0" && v != "false"
	for _, a := range args {
		switch {
		case a == "--no-autostart":
			offline = true
		case strings.HasPrefix(a, "-") || session != "":
			return "", offline, errors.New("usage")
		default:
			session = a
		}
	}
	return session, offline, nil
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
