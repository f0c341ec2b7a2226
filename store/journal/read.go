package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"

	"jarvis/core"
)

// batchBytes is about how much a reader takes from the file at once.
const batchBytes = 128 << 10

// Read yields every event after a number: those on the disk, then live ones as this process appends them, to the terminal
// event, or until ctx ends (with its error). A reader that is behind gets neighbouring deltas joined. core.NotFound when
// there is no such journal, core.StoreDamaged at a damaged line.
func (d *Dir) Read(ctx context.Context, id core.ChainID, after uint64) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		s, err := d.acquire(id, false)
		if err != nil {
			yield(core.Event{}, err)
			return
		}
		defer d.release(s)
		s.join()
		defer s.leave()
		r := &reader{s: s, after: after, max: d.o.MaxLine}
		defer r.closeFile()
		for {
			if err := ctx.Err(); err != nil {
				yield(core.Event{}, err)
				return
			}
			evs, wait, err := r.next()
			for _, e := range joined(evs) {
				if !yield(e, nil) {
					return
				}
			}
			switch {
			case err != nil:
				yield(core.Event{}, err)
				return
			case len(evs) > 0:
				continue
			case wait == nil:
				return
			}
			select {
			case <-wait:
			case <-ctx.Done():
			}
		}
	}
}

// reader is one reader's position.
type reader struct {
	s     *stream
	after uint64 // the last event given, or the one asked for
	pos   int64  // in the file, behind the last event given; 0 = not found yet
	seq   uint64 // of the line before pos
	max   int
	f     source
	lines lines
	buf   []core.Event
	ended bool // the terminal event was passed
}

// next gives what is there behind the position; without events it gives what to wait for, nil at the end of the chain.
func (r *reader) next() ([]core.Event, <-chan struct{}, error) {
	s := r.s
	s.mu.Lock()
	if r.ended || (s.known && s.sealed && r.after >= s.last) {
		s.mu.Unlock()
		return nil, nil, nil
	}
	wait := s.woken()
	limit := int64(math.MaxInt64)
	if s.known {
		limit = s.size
		if r.after >= s.last {
			s.mu.Unlock()
			r.closeFile()
			return nil, wait, nil
		}
		if evs, end, ok := s.after(r.after, r.buf[:0]); ok {
			s.mu.Unlock()
			r.closeFile()
			r.buf = evs
			r.after, r.pos, r.seq = evs[len(evs)-1].Seq, end, evs[len(evs)-1].Seq
			return evs, nil, nil
		}
	}
	s.mu.Unlock()
	evs, err := r.read(limit)
	if r.ended && len(evs) == 0 {
		wait = nil
	}
	return evs, wait, err
}

// read takes the next events from the file.
func (r *reader) read(limit int64) ([]core.Event, error) {
	if r.f == nil {
		f, err := openSource(r.s.path)
		if errors.Is(err, os.ErrNotExist) {
			return nil, notFound(r.s.id)
		}
		if err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		r.f = f
		r.lines = lines{f: f, max: r.max, buf: r.lines.buf}
		r.lines.reset(r.pos)
	}
	evs := r.buf[:0]
	for got := 0; got < batchBytes; {
		line, err := r.lines.next(limit)
		if err == nil && line == nil {
			break
		}
		if err != nil {
			return evs, r.damaged(err)
		}
		h, err := parseHead(line)
		if err != nil || (h.seq != 0 && h.seq != r.seq+1) {
			return evs, r.damaged(errors.Join(err, fmt.Errorf("event %d follows %d", h.seq, r.seq)))
		}
		if h.seq != 0 {
			r.seq, r.ended = h.seq, h.kind.Terminal()
			if h.seq > r.after {
				e, err := parse(line, h)
				if err != nil {
					return evs, r.damaged(err)
				}
				evs = append(evs, e)
				r.after = h.seq
				got += len(line)
			}
		}
		r.pos = r.lines.off
		if r.ended {
			break
		}
	}
	r.buf = evs
	return evs, nil
}

func (r *reader) damaged(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return err
	}
	return core.E(core.StoreDamaged,
		fmt.Sprintf("the journal of chain %s is damaged at byte %d", core.Short(string(r.s.id)), r.pos), "jarvis session list", err)
}

func (r *reader) closeFile() {
	if r.f != nil {
		_ = r.f.Close() // only read
		r.f = nil
		r.lines.buf = nil
	}
}
