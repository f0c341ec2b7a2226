package index

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"jarvis/core"
)

// The bounds of one request; a program that takes longer is ended.
const (
	searchLimit = 15 * time.Second
	applyLimit  = 2 * time.Minute
	endGrace    = 5 * time.Second
	stderrKept  = 8 << 10
)

// Options of a Process.
type Options struct {
	Program string // the path of jarvis-index
	Dir     string // the folder of the index
	Home    string // whose index it is
	Log     *slog.Logger
}

// Process runs jarvis-index when it is needed. It is safe for concurrent use; requests are answered one after the other.
type Process struct {
	o  Options
	mu sync.Mutex // guards the fields below, and is held over a request
	c  *child
}

// New starts nothing yet.
func New(o Options) *Process {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Process{o: o}
}

// State gives what is in the index.
func (p *Process) State(ctx context.Context) (State, error) {
	a, err := p.ask(ctx, Request{Op: OpState}, applyLimit)
	return a.State, err
}

// Apply writes a batch and gives the state after it. stale says that it was made for another index, and is not written.
func (p *Process) Apply(ctx context.Context, b Batch) (s State, stale bool, err error) {
	a, err := p.ask(ctx, Request{Op: OpApply, Batch: &b}, applyLimit)
	return a.State, a.Stale, err
}

// Search answers a query.
func (p *Process) Search(ctx context.Context, q core.Query) ([]Found, uint64, State, error) {
	a, err := p.ask(ctx, Request{Op: OpSearch, Query: &q}, searchLimit)
	return a.Hits, a.Total, a.State, err
}

// Reset begins an empty index.
func (p *Process) Reset(ctx context.Context) (State, error) {
	a, err := p.ask(ctx, Request{Op: OpReset}, applyLimit)
	return a.State, err
}

// Merge rewrites the index without what was deleted from it.
func (p *Process) Merge(ctx context.Context) error {
	_, err := p.ask(ctx, Request{Op: OpMerge}, applyLimit)
	if err != nil {
		_ = p.Close() // a merge that failed leaves the program unable to try again
	}
	return err
}

// Close ends the program, when it runs. A later request starts it again.
func (p *Process) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
	return nil
}

// Exists reports whether there is an index at all.
func (p *Process) Exists() bool {
	if p.o.Program == "" { // nobody can keep it level, so nothing of it may stay
		_ = os.RemoveAll(p.o.Dir)
		return false
	}
	_, err := os.Stat(filepath.Join(p.o.Dir, ManifestName))
	return err == nil
}

// ask does one request. A program that dies over it is started once more; when it dies again, the index is what kills it, and
// goes: it can be built anew. A search that takes too long says nothing about the index.
func (p *Process) ask(ctx context.Context, r Request, limit time.Duration) (Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for try := 0; ; try++ {
		if err := ctx.Err(); err != nil {
			return Answer{}, err
		}
		a, err := p.once(ctx, r, limit)
		if err == nil {
			if r.Op == OpSearch && a.Error == context.DeadlineExceeded.Error() {
				err = errLate
			} else if a.Error != "" {
				return a, fmt.Errorf("index: %s", a.Error)
			} else {
				return a, nil
			}
		}
		if r.Op == OpSearch && errors.Is(err, errLate) {
			return Answer{}, core.E(core.BadRequest, "this search takes too long", "jarvis session search --help", err)
		}
		p.o.Log.Warn("Index program failed", "error", err, "try", try+1)
		switch {
		case errors.Is(err, errStart):
			return Answer{}, core.E(core.Internal, "the program jarvis-index cannot be started", "make install   # or jarvis daemon logs", err)
		case try == 2, errors.Is(err, errLate): // a slow disk says nothing about what is on it
			return Answer{}, p.unusable(err)
		case try == 1:
			if err := os.RemoveAll(p.o.Dir); err != nil {
				return Answer{}, p.unusable(err)
			}
		}
	}
}

// unusable says what to do about a folder that cannot even be made anew. All in it is derived.
func (p *Process) unusable(err error) error {
	folder := filepath.Dir(p.o.Dir)
	return core.E(core.Internal, "the search index in "+folder+" cannot be used", "rm -r "+folder+"   # it is made again", err)
}

var (
	errStart = errors.New("the program jarvis-index cannot be started")
	errLate  = errors.New("no answer in time")
)

// once sends a request and reads its answer; after an error the program is gone.
func (p *Process) once(ctx context.Context, r Request, limit time.Duration) (Answer, error) {
	if p.c == nil {
		c, err := p.start()
		if err != nil {
			return Answer{}, fmt.Errorf("%w: %w", errStart, err)
		}
		p.c = c
	}
	c := p.c
	var late atomic.Bool
	overdue := time.AfterFunc(limit, func() {
		late.Store(true)
		_ = c.cmd.Process.Kill() // then reading ends
	})
	defer overdue.Stop()
	if r.Op != OpSearch { // that is short, and the program stays warm for the next one
		defer context.AfterFunc(ctx, func() { _ = c.cmd.Process.Kill() })()
	}
	var a Answer
	line, err := json.Marshal(r)
	if err == nil && len(line) >= MaxLine {
		return a, errors.New("the request is too long")
	}
	if err == nil {
		_, err = c.in.Write(append(line, '\n'))
	}
	if err == nil {
		line, err = c.read()
	}
	if err == nil {
		err = json.Unmarshal(line, &a)
	}
	if err != nil {
		p.end()
		if late.Load() {
			err = errors.Join(errLate, err)
		}
		return a, fmt.Errorf("%w (%s)", err, bytes.TrimSpace(c.stderr.bytes()))
	}
	return a, nil
}

// child is the running program.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *head
}

func (p *Process) start() (*child, error) {
	c := &child{stderr: &head{}}
	c.cmd = exec.Command(p.o.Program, p.o.Dir, p.o.Home) //nolint:noctx // it outlives the request that starts it
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr = string(os.PathSeparator), []string{"GOMEMLIMIT=512MiB"}, c.stderr
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.out = in, bufio.NewReaderSize(out, 64<<10)
	return c, c.cmd.Start()
}

// read gives one line.
func (c *child) read() ([]byte, error) {
	var all []byte
	for {
		part, err := c.out.ReadSlice('\n')
		if all = append(all, part...); len(all) > MaxLine {
			return nil, errors.New("the answer is too long")
		}
		switch {
		case err == nil:
			return all, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil, errors.New("it ended")
		default:
			return nil, err
		}
	}
}

// end closes the program's input, which tells it to end, and kills it when it does not.
func (p *Process) end() {
	c := p.c
	if c == nil {
		return
	}
	p.c = nil
	_ = c.in.Close()
	kill := time.AfterFunc(endGrace, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	_ = c.cmd.Wait() // how it ended says nothing more
}

// head keeps the first of what is written to it: a Go program says first why it dies.
type head struct {
	mu sync.Mutex
	b  []byte
}

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.b = append(h.b, p[:min(len(p), max(stderrKept-len(h.b), 0))]...)
	return len(p), nil
}

func (h *head) bytes() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	line, _, _ := bytes.Cut(h.b, []byte("\n"))
	return line
}
