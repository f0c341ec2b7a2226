package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"jarvis/core/llm"
	"jarvis/core/llm/local/wire"
)

// runner owns the worker of one model: it starts it, lends it to one request at a time and ends it. Everything but sem is
// touched only by whoever holds sem.
type runner struct {
	p    *Provider
	name string
	sem  chan struct{} // holds one value while somebody has the worker

	child  *child
	loaded wire.Loaded
	next   uint64 // id of the next request
	idle   *time.Timer
	fails  int       // deaths in a row
	notBef time.Time // no start before it
}

const (
	cancelGrace = 5 * time.Second // a cancel takes a token; more than this is a hang
	loadGrace   = time.Minute
	maxBackoff  = 30 * time.Second
)

// acquire waits for the worker's turn.
func (r *runner) acquire(ctx context.Context) error {
	select {
	case r.sem <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if r.idle != nil {
		r.idle.Stop()
		r.idle = nil
	}
	return nil
}

// release passes the worker on; unused for the idle time, it is ended: that alone gives native memory back.
func (r *runner) release() {
	if r.child != nil {
		r.idle = time.AfterFunc(r.p.opts.Idle, r.endIdle)
	}
	<-r.sem
}

func (r *runner) endIdle() {
	select {
	case r.sem <- struct{}{}:
		r.end(2 * time.Second)
		<-r.sem
	default: // somebody uses it
	}
}

// end ends the worker, when there is one.
func (r *runner) end(grace time.Duration) {
	if r.child != nil {
		r.child.stop(grace)
		r.child = nil
	}
}

// died counts a death and sets how long the next start waits: not after the first, then 1, 2, 4 … 30 s.
func (r *runner) died() {
	r.end(0)
	r.fails++
	if r.fails > 1 {
		r.notBef = r.p.opts.Now().Add(min(time.Second<<min(r.fails-2, 10), maxBackoff))
	}
}

// ready makes sure that a worker with the model is there.
func (r *runner) ready(ctx context.Context, m manifest) error {
	if r.child != nil && r.child.alive() {
		return nil
	}
	r.end(0)
	if wait := r.notBef.Sub(r.p.opts.Now()); wait > 0 {
		e := r.err(llm.KindOverloaded, fmt.Sprintf("the model worker failed %d times in a row and rests for %s", r.fails, wait.Round(time.Second)), "", nil)
		e.RetryAfter = wait
		return e
	}
	lib, err := r.files(ctx, m)
	if err != nil {
		return err
	}
	for _, o := range r.p.others(r.name) {
		o.endIdle() // two models in memory only when both are answering
	}
	c, err := startChild(r.p.opts.Program, r.p.env)
	if err != nil {
		return r.startError(wrapStart(err))
	}
	r.child = c
	return r.load(ctx, m, lib)
}

// files verifies what the worker is going to open, and returns the libraries' folder.
func (r *runner) files(ctx context.Context, m manifest) (string, error) {
	dir := r.p.opts.ModelsDir
	libs := r.p.src.libraries()
	if len(libs) == 0 {
		return "", r.err(llm.KindUnavailable, "there is no llama.cpp for this system and processor", "jarvis setup", nil)
	}
	err := r.p.check.verify(ctx, filepath.Join(dir, m.Name, m.File.Name), m.File)
	var lib LibrarySource
	if err == nil {
		lib, err = r.p.check.anyLibs(ctx, dir, libs)
	}
	switch {
	case err == nil:
		return filepath.Join(dir, lib.folder()), nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, errDamaged):
		return "", r.err(llm.KindUnavailable, "its files are damaged: "+oneLine(err.Error()), r.reinstall(), err)
	}
	return "", r.err(llm.KindUnavailable, "its files cannot be read: "+oneLine(err.Error()), r.reinstall(), err)
}

func (r *runner) load(ctx context.Context, m manifest, lib string) error {
	r.next++
	id, start := r.next, r.p.opts.Now()
	path := filepath.Join(r.p.opts.ModelsDir, m.Name, m.File.Name)
	if err := r.child.send(wire.Request{ID: id, Op: wire.OpLoad, Load: &wire.Load{Model: path, Libs: lib, Ctx: maxWindow}}); err != nil {
		return r.lost("loading")
	}
	limit := time.NewTimer(loadGrace + time.Duration(m.File.Size/(20<<20))*time.Second) // 20 MB/s at the worst
	defer limit.Stop()
	for {
		select {
		case ev, ok := <-r.child.events:
			switch {
			case !ok:
				return r.lost("loading")
			case ev.ID == id && ev.Kind == wire.EvLoaded && ev.Loaded != nil:
				r.loaded = *ev.Loaded
				if !m.adopted() {
					if err := r.p.adopt(ctx, m, r.loaded); err != nil {
						r.p.log.Warn("Local model not recorded", "model", r.name, "error", err)
					}
				}
				r.p.log.Info("Local model loaded", "model", r.name, "window", r.loaded.Window, "took", r.p.opts.Now().Sub(start))
				return nil
			case ev.ID == id && ev.Kind == wire.EvError:
				r.end(time.Second) // a worker that could not load is of no use
				return r.wireError(ev.Error)
			}
		case <-ctx.Done():
			r.end(0)
			return ctx.Err()
		case <-r.p.closed:
			r.end(0)
			return r.closing()
		case <-limit.C:
			r.died()
			return r.err(llm.KindTimeout, "the model worker did not load the model in time and was ended", "jarvis daemon logs", nil)
		}
	}
}

// lost is the error for a worker whose socket closed.
func (r *runner) lost(doing string) error {
	e := r.deathError(r.child, doing)
	r.died()
	return e
}

func (r *runner) closing() error {
	return r.err(llm.KindUnavailable, "the daemon is ending", "jarvis daemon start", os.ErrClosed)
}
