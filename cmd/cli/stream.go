package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"text/tabwriter"

	"go.yaml.in/yaml/v4"
	"golang.org/x/term"

	"jarvis/core"
)

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// talk prints a line for people on stderr. On a terminal control characters in it are spelled out.
func (a *App) talk(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if a.ErrTTY {
		line = core.Printable(line)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.holds {
		a.held = append(a.held, line)
		return
	}
	if out, ok := a.Out.(*lastByte); ok && out.open() {
		line = "\n" + line
	}
	fmt.Fprintln(a.Err, line)
}

// lastByte remembers how stdout ended, so that a line on stderr does not stick to it where both come to the same place.
type lastByte struct {
	w    io.Writer
	same bool // as stderr

	mu   sync.Mutex // guards last
	last byte
}

func sameFile(a, b *os.File) bool {
	x, err := a.Stat()
	if err != nil {
		return false
	}
	y, err := b.Stat()
	return err == nil && os.SameFile(x, y)
}

func (l *lastByte) Write(p []byte) (int, error) {
	n, err := l.w.Write(p)
	if n > 0 {
		l.mu.Lock()
		l.last = p[n-1]
		l.mu.Unlock()
	}
	return n, pipeError(err)
}

// open reports whether stdout stands in the middle of a line; it is told once.
func (l *lastByte) open() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	open := l.same && l.last != 0 && l.last != '\n'
	l.last = 0
	return open
}

// hold keeps back what there is to say while another program writes to the terminal; release says it.
func (a *App) hold() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.holds = true
}

func (a *App) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.holds = false
	for _, line := range a.held {
		fmt.Fprintln(a.Err, line)
	}
	a.held = nil
}

// shown makes a foreign string safe for stdout when that is a terminal.
func (a *App) shown(s string) string {
	if a.OutTTY {
		return core.Printable(s)
	}
	return s
}

// print writes data in the form that -o asks for; table is called for people.
func (a *App) print(v any, table func(w io.Writer)) error {
	switch a.output {
	case "json":
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if a.OutTTY {
			enc.SetIndent("", "  ")
		}
		if err := enc.Encode(v); err != nil {
			return err
		}
		if a.OutTTY {
			return writeAll(a.Out, string(core.PrintableJSON(b.Bytes())))
		}
		return writeAll(a.Out, b.String())
	case "yaml":
		// By way of JSON, so that both forms have the same names.
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		var plain any
		if err := json.Unmarshal(b, &plain); err != nil {
			return err
		}
		out, err := yaml.Marshal(plain)
		if err != nil {
			return err
		}
		return writeAll(a.Out, a.shown(string(out)))
	}
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	table(w)
	return w.Flush()
}

// row writes one line of a table; cells are made safe and kept to one line.
func (a *App) row(w io.Writer, cells ...string) {
	for i, c := range cells {
		c = strings.Join(strings.Fields(c), " ")
		cells[i] = a.shown(strings.ReplaceAll(c, "\t", " "))
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}
