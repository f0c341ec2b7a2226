package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"jarvis/core"
	"jarvis/daemon/api"
)

// linesMain is the conversation without a whole terminal: each line of stdin is a message, stdout gets the answers. A script
// gets the model's bytes and nothing else; what else there is to say goes to stderr.
func (c *chat) linesMain(ctx context.Context) int {
	l := &lines{chat: c, in: os.Stdin, out: os.Stdout, err: os.Stderr}
	if isTerminal(os.Stdin) {
		l.prompt = "> "
	}
	l.shown = isTerminal(os.Stdout)
	l.listen = func() (<-chan os.Signal, func()) {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, os.Interrupt)
		return signals, func() { signal.Stop(signals) }
	}
	err := l.run(ctx)
	if errors.Is(err, syscall.EPIPE) {
		return api.ExitOK
	}
	if err != nil {
		return complain(c.say, err)
	}
	return l.code
}

type lines struct {
	*chat
	in       io.Reader
	out, err io.Writer
	prompt   string
	shown    bool // out is a terminal: what is not ours is escaped
	code     int  // of the last answer
	// listen takes Ctrl-C over while an answer comes; elsewhere it ends the program.
	listen func() (<-chan os.Signal, func())
}

// run answers line by line until the input ends.
func (l *lines) run(ctx context.Context) error {
	r := bufio.NewReaderSize(l.in, 64<<10)
	for {
		if _, err := io.WriteString(l.out, l.prompt); err != nil {
			return err
		}
		line, err := r.ReadString('\n')
		if len(line) > maxTyped {
			return core.E(core.TooLarge, l.say.of("a message of more than 1 MiB; send it as a file"), "jarvis ask -f FILE", nil)
		}
		if text := strings.TrimSpace(line); text != "" {
			leave, err := l.answer(ctx, clean(text))
			if leave || err != nil {
				return err
			}
		}
		if err != nil {
			return nil //nolint:nilerr // the end of the input is the end of the conversation
		}
	}
}

// answer sends one message and prints what comes.
func (l *lines) answer(ctx context.Context, text string) (leave bool, err error) {
	if said, leave, ok := l.command(ctx, text); ok {
		for _, s := range said {
			if left, right, two := strings.Cut(s, "\t"); two {
				s = column(left) + right
			}
			if _, err := fmt.Fprintln(l.out, core.Printable(s)); err != nil {
				return true, err
			}
		}
		return leave, nil
	}
	req := l.request(unslash(text))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	signals, ignore := l.listen()
	defer ignore()
	go func() {
		select {
		case <-signals:
			_ = l.d.Stop(ctx, api.ChatStop{Chain: req.Chain})
		case <-ctx.Done():
		}
	}()
	l.code = api.ExitError
	var last core.Event
	got, end := 0, byte('\n')
	for e, err := range l.d.Ask(ctx, req) {
		if err != nil {
			l.code = l.complain(err)
			return false, nil
		}
		l.saw(e)
		piece := ""
		switch {
		case e.Type == core.EventText:
			piece = e.Text
		case e.Type == core.EventNotice:
			_, _ = fmt.Fprintln(l.err, "jarvis: "+core.Printable(e.Text))
		case e.Type.Terminal() && len(e.Text) > got:
			piece = e.Text[got:]
		}
		if piece != "" {
			got, end = got+len(piece), piece[len(piece)-1]
			if err := l.print(piece); err != nil {
				_ = l.d.Stop(context.WithoutCancel(ctx), api.ChatStop{Chain: req.Chain})
				return true, err
			}
		}
		last = e
	}
	if got > 0 && end != '\n' {
		if err := l.print("\n"); err != nil {
			return true, err
		}
	}
	l.finish(last)
	return false, nil
}

func (l *lines) print(s string) error {
	if l.shown {
		s = core.Printable(s)
	}
	_, err := io.WriteString(l.out, s)
	return err
}

// finish keeps the exit code of the chain and says why it ended, when that is not plain.
func (l *lines) finish(last core.Event) {
	sentence, hint, bad := l.ending(last)
	l.code = api.ExitOK
	if bad {
		var d core.ErrorData
		_ = last.Detail(&d)
		l.code = l.complain(core.E(d.Code, sentence, hint, nil))
		return
	}
	var d core.DoneData
	if last.Detail(&d) == nil && d.StopReason == core.Stopped {
		l.code = api.ExitStopped
	}
	if sentence != "" {
		_, _ = fmt.Fprintln(l.err, "jarvis: "+sentence)
	}
}

func (l *lines) complain(err error) int {
	for _, s := range l.failed(err) {
		_, _ = fmt.Fprintln(l.err, "jarvis: "+core.Printable(s))
	}
	return api.Exit(err)
}
