// Command bench measures jarvis against the bare thing underneath, in the same run, and prints a table of ratios: start-up
// against an empty program, ask against curl to the same server, streams through the daemon against the same clients
// straight at the server, writes against raw bbolt, the local model against its library called bare, every command in a large
// home against the same in a small one, searches against grep, a backup and its restoring against cp. Single times drift with the machine; the ratios
// are what counts. It is never linked into a program that people run.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"jarvis/core/llm/llmtest"
)

// row is one line of the table.
type row struct{ what, ours, bare, ratio, bar string }

// bench is one run: the programs, a scratch folder and what was measured so far.
type bench struct {
	ctx  context.Context
	bin  string
	dir  string
	n    int // repetitions of a short command
	big  int // sessions of the larger home
	url  string
	rows []row
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		serve()
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "fill" {
		if err := fill(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	bin := flag.String("bin", "bin", "folder of the programs")
	only := flag.String("only", "", "comma-separated: start, ask, streams, writes, memory, model, scale, list, search, export, restore, latency")
	n := flag.Int("n", 50, "repetitions of a short command")
	big := flag.Int("big", 1000, "sessions of the larger home, each with a hundred messages")
	flag.Parse()
	if err := run(*bin, *only, *n, max(*big, 10)); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// serve is the scripted provider as a process of its own, so that its work is not the clients'. The first line on stdout is
// its address.
func serve() {
	err := llmtest.Serve(context.Background(), "127.0.0.1:0", llmtest.Options{}, func(addr string) { fmt.Println(addr) })
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(1)
}

func run(bin, only string, n, big int) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "jarvis-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b := &bench{ctx: ctx, bin: bin, dir: dir, n: n, big: big}
	stop, err := b.provider()
	if err != nil {
		return err
	}
	defer stop()
	parts := []struct {
		name string
		run  func() error
	}{
		{"start", b.startUp},
		{"ask", b.ask},
		{"streams", b.streams},
		{"writes", b.writes},
		{"memory", b.memory},
		{"model", b.model},
		{"summaries", b.summaries},
		{"scale", b.scale},
		{"list", b.list},
		{"search", b.search},
		{"export", b.export},
		{"restore", b.restore},
		{"latency", b.latency},
	}
	for _, p := range parts {
		if only != "" && !slices.Contains(strings.Split(only, ","), p.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, "measuring", p.name)
		if err := p.run(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 1, ' ', 0)
	fmt.Fprintln(w, "| what\t| jarvis\t| bare\t| ratio\t| bar\t|")
	fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, r := range b.rows {
		fmt.Fprintf(w, "| %s\t| %s\t| %s\t| %s\t| %s\t|\n", r.what, r.ours, r.bare, r.ratio, r.bar)
	}
	return w.Flush()
}

// provider starts the scripted server.
func (b *bench) provider() (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(b.ctx, self, "serve")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var addr string
	if _, err := fmt.Fscanln(out, &addr); err != nil {
		return nil, err
	}
	b.url = "http://" + addr
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}, nil
}

func (b *bench) add(what, ours, bare, ratio, bar string) {
	b.rows = append(b.rows, row{what, ours, bare, ratio, bar})
}

// pair adds a row of two times.
func (b *bench) pair(what string, ours, bare time.Duration, bar string) {
	b.add(what, ms(ours), ms(bare), fmt.Sprintf("%.2f", float64(ours)/float64(bare)), bar)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

func median[T int | int64 | float64 | time.Duration](v []T) T {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}
