package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"jarvis/core"
	"jarvis/daemon/home"
)

// printer shows the events of one chain: as text, as JSON lines, or through the renderer.
type printer struct {
	app    *App
	json   bool // one event a line
	stream bool // as it comes, or when it is whole
	schema bool
	out    io.Writer
	render *renderer

	printed int // bytes of the answer that stdout has
}

func (a *App) newPrinter(o AskOptions) *printer {
	p := &printer{app: a, json: a.output == "json", stream: !o.NoStream, schema: o.Schema != "", out: a.Out}
	if a.OutTTY && !o.Raw && !p.json && !p.schema && p.stream {
		r, err := a.startRenderer()
		if err != nil {
			// The answer matters more than its looks.
			a.talk("jarvis: %v", err)
		}
		p.render = r
	}
	return p
}

// event shows one event; errClosedPipe when nobody reads stdout any more.
func (p *printer) event(e core.Event) error {
	if p.render != nil {
		return p.render.event(e)
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
	}
	return nil
}

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
	_, err = p.out.Write(append(b, '\n'))
	return pipeError(err)
}

// close shows what is left when the chain has ended: the last event, or the whole answer, or its missing rest.
func (p *printer) close(last core.Event) error {
	if p.render != nil {
		return p.render.close()
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

// renderer is `jarvis-tui render --events`, started as git starts a pager. While it runs it alone writes to the terminal.
type renderer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

func (a *App) startRenderer() (*renderer, error) {
	programs, err := home.Siblings()
	if err != nil {
		return nil, err
	}
	path, err := programs.Path("jarvis-tui")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "render", "--events") //nolint:noctx // it ends by itself when its input ends
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the renderer: %w", err)
	}
	return &renderer{cmd: cmd, in: in}, nil
}

func (r *renderer) event(e core.Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = r.in.Write(append(b, '\n'))
	return pipeError(err)
}

func (r *renderer) close() error {
	_ = r.in.Close()
	if err := r.cmd.Wait(); err != nil {
		return fmt.Errorf("the renderer: %w", err)
	}
	return nil
}
