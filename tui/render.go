package tui

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/term"

	"jarvis/core"
	"jarvis/tui/view"
)

// filter is `jarvis-tui render`: Markdown, or the events of one chain, from in to a terminal.
type filter struct {
	in      io.Reader
	out     io.Writer
	events  bool
	width   int // 0 = the terminal's
	tty     *os.File
	fixed   bool
	opt     view.Options
	say     speech
	now     func() time.Time
	resized <-chan os.Signal
}

// input is one piece of what came in.
type input struct {
	text  string
	event core.Event
	err   error
}

// run copies until in ends. A closed pipe at the other end is no error.
func (f *filter) run() error {
	sc := newScreen(f.out, f.width, 0, f.fixed)
	f.measure(sc)
	f.opt.Width = sc.width
	t := newTranscript(f.opt, f.say, f.now)
	err := f.loop(sc, t, f.read())
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

func (f *filter) measure(sc *screen) {
	if f.tty == nil {
		return
	}
	w, h, err := term.GetSize(int(f.tty.Fd()))
	if err != nil {
		return
	}
	if f.width > 0 {
		w = f.width
	}
	sc.size(w, h)
}

func (f *filter) loop(sc *screen, t *transcript, in <-chan input) error {
	p := pace{now: f.now}
	timer := time.NewTimer(spinAfter)
	defer timer.Stop()
	for {
		select {
		case i, ok := <-in:
			if !ok || i.err != nil {
				err := sc.paint(t.close(), nil)
				if err == nil && ok && !errors.Is(i.err, io.EOF) {
					err = i.err
				}
				return err
			}
			if f.events {
				t.event(i.event)
			} else {
				t.markdown(i.text)
			}
		case <-f.resized:
			if err := f.resize(sc, t); err != nil {
				return err
			}
		case <-timer.C:
		}
		wait := p.wait()
		if wait <= 0 {
			p.begin()
			done, open := t.frame(sc.room())
			p.end()
			if err := sc.paint(done, open); err != nil {
				return err
			}
			wait = spinTime
		}
		timer.Reset(wait)
	}
}

func (f *filter) resize(sc *screen, t *transcript) error {
	w, h, err := term.GetSize(int(f.tty.Fd()))
	if err != nil || f.width > 0 {
		return nil //nolint:nilerr // then the old size is as good as any
	}
	gone, err := sc.resize(w, h)
	if err != nil {
		return err
	}
	t.resize(sc.width, gone)
	return nil
}

// read hands on what comes in, in pieces.
func (f *filter) read() <-chan input {
	ch := make(chan input)
	go func() {
		defer close(ch)
		if f.events {
			readEvents(f.in, ch)
			return
		}
		buf := make([]byte, 32<<10)
		for {
			n, err := f.in.Read(buf)
			if n > 0 {
				ch <- input{text: string(buf[:n])}
			}
			if err != nil {
				ch <- input{err: err}
				return
			}
		}
	}()
	return ch
}

// readEvents reads one event a line; a line that is none is passed over.
func readEvents(in io.Reader, ch chan<- input) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		var e core.Event
		if len(line) > 1 && json.Unmarshal(line, &e) == nil {
			ch <- input{event: e}
		}
		if err != nil {
			ch <- input{err: err}
			return
		}
	}
}

// pace keeps frames at most twenty a second and their rendering below a quarter of the time.
type pace struct {
	now  func() time.Time
	from time.Time
	next time.Time
}

func (p *pace) wait() time.Duration { return p.next.Sub(p.now()) }
func (p *pace) begin()              { p.from = p.now() }
func (p *pace) end() {
	p.next = p.from.Add(max(frameTime, 4*p.now().Sub(p.from)))
}
