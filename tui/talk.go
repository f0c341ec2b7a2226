package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/locale"
	"jarvis/tui/view"
)

const (
	prompt   = "› "
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
	stopTime = 5 * time.Second
)

// talk is the conversation on a terminal: one loop that owns the screen, the line that is typed and the answer that comes.
type talk struct {
	*chat
	sc   *screen
	ed   *editor
	keys keys
	size func() (int, int, error)

	in      <-chan []byte
	events  chan incoming
	resized <-chan os.Signal
	signals <-chan os.Signal
	states  <-chan api.Status // at each change of the settings; nil = nobody tells
	suspend func() error

	t        *transcript // of the chain that is being answered, nil when none is
	chain    core.ChainID
	cancel   context.CancelFunc
	last     core.Event
	out      []view.Line           // final lines for the next frame
	attended core.SessionID        // whose questions are listened to
	deaf     context.CancelFunc    // ends that
	foreign  <-chan question       // asked in the conversation, on any screen
	others   []question            // those that came with an answer
	known    map[core.ChainID]bool // chains that were shown here
	later    *api.Status           // settings that were changed while the answer came
	waiting  []string              // messages typed while an answer came
	stopped  bool                  // a stop was asked for
	armed    bool                  // the next Ctrl-C leaves
	pace     pace
}

// incoming is one step of the chain that is followed.
type incoming struct {
	event core.Event
	err   error
	over  bool
}

// errLeave ends the loop in order.
var errLeave = errors.New("leave")

// run is the conversation until the user leaves. The terminal is in raw mode.
func (k *talk) run(ctx context.Context) error {
	defer k.detach()
	defer k.unattend()
	escape := time.NewTimer(time.Hour)
	frame := time.NewTimer(0)
	defer escape.Stop()
	defer frame.Stop()
	for {
		k.attend(ctx)
		var err error
		select {
		case b, ok := <-k.in:
			if !ok {
				return k.leave(ctx)
			}
			err = k.take(ctx, k.keys.feed(b))
		case <-escape.C:
			err = k.take(ctx, k.keys.expire())
		case i := <-k.events:
			err = k.step(ctx, i)
		case q := <-k.foreign:
			k.overhear(ctx, q)
		case st := <-k.states:
			k.changed(st)
		case <-k.resized:
			err = k.resize()
		case <-frame.C:
		case <-k.signals:
			_ = k.leave(ctx)
			return errSignal
		}
		if errors.Is(err, errLeave) {
			return k.leave(ctx)
		}
		if err != nil {
			return err
		}
		if w := k.keys.wait(); w > 0 {
			escape.Reset(w)
		}
		next, err := k.frame()
		if err != nil {
			return err
		}
		frame.Reset(next)
	}
}

// errSignal: the process was told to end.
var errSignal = errors.New("signal")

// take handles keys.
func (k *talk) take(ctx context.Context, keys []key) error {
	for _, key := range keys {
		if key.name != "ctrl+c" {
			k.armed = false
		}
		switch {
		case key.paste:
			k.ed.paste(key.text)
			continue
		case key.text != "":
			k.ed.typed(key.text)
			continue
		}
		var err error
		switch k.ed.key(key.name) {
		case submitted:
			err = k.submit(ctx)
		case interrupted:
			err = k.interrupt(ctx)
		case ended:
			return errLeave
		case redraw:
			k.sc.shown, k.sc.crow, k.sc.col = nil, 0, -1
			err = k.sc.write("\x1b[2J\x1b[H")
		case suspended:
			err = k.stopSelf()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// submit sends what is typed, or keeps it until the answer that is coming has ended.
func (k *talk) submit(ctx context.Context) error {
	text := strings.TrimSpace(k.ed.text())
	if text == "" {
		return nil
	}
	if k.t != nil {
		k.waiting = append(k.waiting, text)
		k.ed.clear(true)
		return nil
	}
	k.ed.clear(true)
	return k.send(ctx, text)
}

// send shows a message and asks for its answer, or runs a command.
func (k *talk) send(ctx context.Context, text string) error {
	k.out = append(k.out, k.said(text)...)
	if answer, leave, ok := k.command(ctx, text); ok {
		if leave {
			return errLeave
		}
		k.out = append(append(k.out, k.spoken(answer)...), view.Line{})
		return nil
	}
	req := k.request(unslash(text))
	k.follow(ctx, req.Chain, func(ctx context.Context) iter.Seq2[core.Event, error] { return k.d.Ask(ctx, req) })
	return nil
}

// follow reads a chain's events in the background.
func (k *talk) follow(ctx context.Context, id core.ChainID, open func(context.Context) iter.Seq2[core.Event, error]) {
	ctx, k.cancel = context.WithCancel(ctx)
	k.chain, k.stopped, k.last = id, false, core.Event{}
	if k.known == nil {
		k.known = map[core.ChainID]bool{}
	}
	k.known[id] = true
	k.t = newTranscript(k.opt, k.say, k.now)
	events := make(chan incoming)
	k.events = events
	go func() {
		defer func() {
			// A panic here would end the program past every deferred call: the shell would keep a raw terminal.
			if p := recover(); p != nil {
				select {
				case events <- incoming{err: fmt.Errorf("reading the answer: %v", p)}:
				case <-ctx.Done():
				}
			}
		}()
		for e, err := range open(ctx) {
			select {
			case events <- incoming{event: e, err: err}:
			case <-ctx.Done():
				return
			}
		}
		select {
		case events <- incoming{over: true}:
		case <-ctx.Done():
		}
	}()
}

func (k *talk) detach() {
	if k.cancel != nil {
		k.cancel()
		k.cancel = nil
	}
}

// step takes one event of the chain.
func (k *talk) step(ctx context.Context, i incoming) error {
	if !i.over && i.err == nil {
		k.saw(i.event)
		k.t.event(i.event)
		k.last = i.event
		return nil
	}
	lines := k.t.close()
	k.out = append(k.out, lines...)
	var note []view.Line
	sentence, hint, bad := k.ending(k.last)
	if i.err != nil {
		sentence, hint = explain(k.say, i.err)
		bad = true
	}
	if sentence != "" && bad {
		note = view.Message("✗ ", k.opt.Theme.Bad, sentence, "", k.opt)
	} else if sentence != "" {
		note = view.Message("· ", k.opt.Theme.Dim, sentence, k.opt.Theme.Dim, k.opt)
	}
	if hint != "" {
		note = append(note, k.spoken(locale.Try(k.say.of("Try:"), firstLine(hint)))...)
	}
	if len(note) > 0 && k.t.lines > 0 {
		k.out = append(k.out, view.Line{})
	}
	k.out = append(append(k.out, note...), view.Line{})
	k.detach()
	k.t, k.events, k.chain = nil, nil, ""
	if k.later != nil {
		k.changed(*k.later)
	}
	for len(k.others) > 0 && k.t == nil {
		next := k.others[0]
		k.others = k.others[1:]
		k.overhear(ctx, next)
	}
	for len(k.waiting) > 0 && k.t == nil {
		next := k.waiting[0]
		k.waiting = k.waiting[1:]
		if err := k.send(ctx, next); err != nil {
			return err
		}
	}
	return nil
}

// interrupt is Ctrl-C: it stops the answer, empties the line, and at an empty one leaves the second time.
func (k *talk) interrupt(ctx context.Context) error {
	switch {
	case k.t != nil && k.stopped:
		return errLeave
	case k.t != nil:
		k.stopped = true
		k.waiting = nil
		k.t.status = k.say.of("stopping …")
		id := k.chain
		go func() {
			ctx, cancel := context.WithTimeout(ctx, stopTime)
			defer cancel()
			_ = k.d.Stop(ctx, api.ChatStop{Chain: id}) // the stream tells whether it worked
		}()
	case !k.ed.empty():
		k.ed.clear(false)
	case k.armed:
		return errLeave
	default:
		k.armed = true
	}
	return nil
}

func (k *talk) resize() error {
	w, h, err := k.size()
	if err != nil {
		return nil //nolint:nilerr // then the old size is as good as any
	}
	gone, err := k.sc.resize(w, h)
	if err != nil {
		return err
	}
	k.opt.Width = k.sc.width
	if k.t != nil {
		k.t.resize(k.sc.width, gone)
	}
	return nil
}

// frame paints what has changed and says when the next one is due.
func (k *talk) frame() (time.Duration, error) {
	if wait := k.pace.wait(); wait > 0 && k.t != nil {
		return wait, nil
	}
	k.pace.begin()
	room := k.sc.room()
	lines, above, col := []view.Line(nil), 0, -1
	if k.t == nil || !k.ed.empty() || len(k.waiting) > 0 {
		lines, above, col = view.Input(view.Field{Prompt: prompt, Cells: k.ed.cells, Cursor: k.ed.cur}, k.opt, max(room-2, 1))
		if k.armed {
			lines = append(lines, view.Note("  ", "", k.say.of("Ctrl-C again or Ctrl-D leaves."), k.opt)...)
			above++
		}
	}
	var open []view.Line
	if k.t != nil {
		var done []view.Line
		done, open = k.t.frame(max(room-len(lines)-1, 1))
		k.out = append(k.out, done...)
		if len(k.waiting) > 0 {
			open = append(open, view.Note("  ", "", k.say.of("then: %s", k.waiting[0]), k.opt)...)
			open = open[max(0, len(open)-max(room-len(lines)-1, 1)):]
		}
		if len(lines) > 0 && len(open) > 0 {
			open = append(open, view.Line{})
		}
	}
	err := k.sc.paintAt(k.out, append(open[:len(open):len(open)], lines...), above, col)
	k.out = nil
	k.pace.end()
	if k.t == nil {
		return time.Hour, err
	}
	return spinTime, err
}

// leave paints what is left and says how to come back.
func (k *talk) leave(context.Context) error {
	if k.t != nil {
		k.out = append(k.out, k.t.close()...)
	}
	if k.session != "" {
		k.out = append(k.out, view.Note("", "", k.say.of("Come back with: jarvis chat %s", core.Short(string(k.session))), k.opt)...)
	}
	err := k.sc.paint(k.out, nil)
	k.out = nil
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EIO) {
		return nil
	}
	return err
}

// stopSelf is Ctrl-Z: the shell gets the terminal back until fg.
func (k *talk) stopSelf() error {
	if k.suspend == nil {
		return nil
	}
	if err := k.sc.paint(nil, nil); err != nil {
		return err
	}
	if err := k.suspend(); err != nil {
		return err
	}
	return k.resize()
}

// readBytes hands on what the terminal sends.
func readBytes(r io.Reader) <-chan []byte {
	ch := make(chan []byte)
	go func() {
		defer close(ch)
		buf := make([]byte, 32<<10)
		for {
			n, err := r.Read(buf)
			if n > 0 {
				ch <- append([]byte(nil), buf[:n]...)
			}
			if err != nil {
				return
			}
		}
	}()
	return ch
}

// rawMode puts the terminal into raw mode with bracketed paste; undo is safe to call twice.
func rawMode(in *os.File, out io.Writer) (undo func(), err error) {
	old, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	_, _ = io.WriteString(out, pasteOn)
	return func() {
		_, _ = io.WriteString(out, pasteOff+showCur)
		_ = term.Restore(int(in.Fd()), old)
	}, nil
}
