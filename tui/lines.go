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
		signals := make(chan os.Signal, 2)
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
		line, err := readLine(r, maxLine)
		if errors.Is(err, errLongLine) {
			l.code = l.complain(core.E(core.TooLarge, l.say.of("a message of more than %d MiB; send it as a file", maxLine>>20), "jarvis ask -f FILE", nil))
			continue
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

// maxLine is the usual limit of a prompt, in bytes.
const maxLine = 10 << 20

var errLongLine = errors.New("the line is too long")

// readLine reads up to a newline, and passes over a line of more than limit bytes without keeping it.
func readLine(r *bufio.Reader, limit int) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if len(line)+len(part) > limit {
			for full {
				_, err = r.ReadSlice('\n')
				full = errors.Is(err, bufio.ErrBufferFull)
			}
			return "", errLongLine
		}
		line = append(line, part...)
		if !full {
			return string(line), err
		}
	}
}

// answer sends one message and prints what comes.
func (l *lines) answer(ctx context.Context, text string) (leave bool, err error) {
	if said, leave, ok := l.command(ctx, text); ok {
		return leave, l.tell(said)
	}
	req := l.request(unslash(text))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	signals, ignore := l.listen()
	defer ignore()
	left := make(chan struct{}) // closed when the answer is not waited for any more
	go func() {
		if l.stopOn(ctx, signals, req.Chain) {
			close(left)
			cancel()
		}
	}()
	l.code = api.ExitError
	var last core.Event
	got, end := 0, byte('\n')
	for e, err := range l.d.Ask(ctx, req) {
		if gone(left) {
			break
		}
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
		case e.Type == core.EventCompaction:
			var d core.CompactionData
			if e.Detail(&d) == nil {
				_, _ = fmt.Fprintln(l.err, "jarvis: "+l.say.of("older messages are now a summary: %d → %d tokens", d.Before, d.After))
			}
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
	if gone(left) {
		l.code = api.ExitStopped
		return true, nil
	}
	l.finish(last)
	return false, nil
}

// tell prints what a command of the conversation answers.
func (l *lines) tell(said []string) error {
	for _, s := range said {
		if left, right, two := strings.Cut(s, "\t"); two {
			s = column(left) + right
		}
		if _, err := fmt.Fprintln(l.out, core.Printable(s)); err != nil {
			return err
		}
	}
	return nil
}

// stopOn stops the chain at the first Ctrl-C. It reports true when its end is not to be awaited: at the second, when the daemon
// cannot be told, or when it does not answer in time.
func (l *lines) stopOn(ctx context.Context, signals <-chan os.Signal, id core.ChainID) bool {
	select {
	case <-signals:
	case <-ctx.Done():
		return false
	}
	bounded, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	failed := make(chan struct{})
	go func() {
		if l.d.Stop(bounded, api.ChatStop{Chain: id}) != nil {
			close(failed)
		}
	}()
	select {
	case <-signals:
	case <-failed:
	case <-bounded.Done():
	}
	return ctx.Err() == nil
}

func gone(left <-chan struct{}) bool {
	select {
	case <-left:
		return true
	default:
		return false
	}
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
	if bad {
		var d core.ErrorData
		_ = last.Detail(&d)
		l.complain(core.E(d.Code, sentence, hint, nil))
		l.code = api.ExitOfFailure(d)
		return
	}
	var d core.DoneData
	_ = last.Detail(&d)
	l.code = api.ExitOfStop(d.StopReason)
	if sentence != "" {
		_, _ = fmt.Fprintln(l.err, "jarvis: "+sentence)
	}
}

func (l *lines) complain(err error) int {
	prefix := "jarvis: "
	for _, s := range l.failed(err) {
		_, _ = fmt.Fprintln(l.err, prefix+core.Printable(s))
		prefix = ""
	}
	return api.Exit(err)
}
