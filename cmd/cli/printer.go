package cli

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"syscall"

	"jarvis/core"
)

// printer shows the events of one chain: as text, as JSON lines, or through the renderer.
type printer struct {
	app    *App
	json   bool // one event a line
	stream bool // as it comes, or when it is whole
	schema bool
	out    io.Writer
	render *renderer
	sent   []core.Event // what the renderer was given to show

	printed int // bytes of the answer that stdout has
}

func (a *App) newPrinter(o AskOptions) *printer {
	p := &printer{app: a, json: a.output == "json", stream: !o.NoStream, schema: o.Schema != "", out: a.Out}
	if a.OutTTY && !o.Raw && !p.json && !p.schema && p.stream {
		r, err := a.startRenderer()
		if err != nil {
			// The answer matters more than its looks.
			a.talk("jarvis: %v", err)
			return p
		}
		p.render = r
		a.hold()
	}
	return p
}

// event shows one event; errClosedPipe when nobody reads stdout any more.
func (p *printer) event(e core.Event) error {
	if p.render != nil {
		if e.Type == core.EventText || e.Type == core.EventNotice || e.Type == core.EventCompaction {
			p.sent = append(p.sent, e)
		}
		if err := p.render.event(e); err == nil {
			return nil
		}
		return p.plain()
	}
	if p.json {
		if !p.stream {
			return nil
		}
		return p.line(e)
	}
	switch e.Type {
	case core.EventText:
		if p.stream {
			return p.text(e.Text)
		}
	case core.EventRetry:
		var d core.RetryData
		if err := e.Detail(&d); err == nil && p.app.ErrTTY {
			p.app.talk("%s", p.app.tf("%s: %s; trying again in %.1f s", d.Provider, d.Cause, float64(d.WaitMS)/1000))
		}
	case core.EventNotice:
		p.app.talk("jarvis: %s", e.Text)
	case core.EventCompaction:
		if line, ok := p.app.compacted(e); ok {
			p.app.talk("%s", line)
		}
	}
	return nil
}

// plain goes on without the renderer, which has died: what it was given is shown again as text, because nobody can tell how
// much of it reached the screen.
func (p *printer) plain() error {
	err := p.render.close()
	p.render = nil
	if os.Getenv("TERM") != "dumb" {
		_ = writeAll(p.out, showCursor)
	}
	p.app.release()
	if err != nil {
		p.app.talk("jarvis: %v", err)
	}
	sent := p.sent
	p.sent = nil
	for _, e := range sent {
		if err := p.event(e); err != nil {
			return err
		}
	}
	return nil
}

// showCursor undoes what a dead renderer may have left.
const showCursor = "\r\x1b[0m\x1b[?25h"

// text writes a piece of the answer.
func (p *printer) text(s string) error {
	p.printed += len(s)
	if p.app.OutTTY {
		s = core.Printable(s)
	}
	return pipeError(writeAll(p.out, s))
}

func (p *printer) line(e core.Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if p.app.OutTTY {
		b = core.PrintableJSON(b)
	}
	_, err = p.out.Write(append(b, '\n'))
	return pipeError(err)
}

// close shows what is left when the chain has ended: the last event, or the whole answer, or its missing rest.
func (p *printer) close(last core.Event) error {
	if p.render != nil {
		err := p.render.close()
		if err == nil {
			p.app.release()
			return nil
		}
		if err := p.plain(); err != nil {
			return err
		}
	}
	if !last.Type.Terminal() {
		return nil
	}
	if p.json {
		if p.stream {
			return nil
		}
		return p.line(last)
	}
	// Whatever a broken connection has swallowed, the terminal event has. Of a failed answer only a stream shows the part there
	// is, and never in the place of a schema's value.
	partial := last.Type == core.EventError
	if rest := last.Text; len(rest) > p.printed && (!partial || p.stream && !p.schema) {
		if err := p.text(rest[p.printed:]); err != nil {
			return err
		}
	}
	if p.printed > 0 && p.app.OutTTY && last.Text != "" && last.Text[len(last.Text)-1] != '\n' {
		return pipeError(writeAll(p.out, "\n"))
	}
	return nil
}

func pipeError(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return errClosedPipe
	}
	return err
}
