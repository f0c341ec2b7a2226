package chat

import (
	"context"
	"errors"
	"iter"
	"sync"

	"jarvis/core"
)

// MemoryJournal keeps journals in memory: those of private requests, and of tests.
type MemoryJournal struct {
	mu   sync.Mutex // guards logs
	logs map[core.ChainID]*memLog
}

var _ Journal = (*MemoryJournal)(nil)

// NewMemoryJournal makes an empty journal.
func NewMemoryJournal() *MemoryJournal { return &MemoryJournal{logs: map[core.ChainID]*memLog{}} }

// memLog is one chain's journal. Records are for replay, which a private chain has none of.
type memLog struct {
	mu     sync.Mutex // guards the rest
	events []core.Event
	sealed bool
	grown  chan struct{} // closed and replaced at each append
}

// Open opens a chain's journal, making it when it is missing.
func (j *MemoryJournal) Open(id core.ChainID) (Log, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	l, ok := j.logs[id]
	if !ok {
		l = &memLog{grown: make(chan struct{})}
		j.logs[id] = l
	}
	return l, nil
}

// Read yields a chain's events after a number, then live ones up to the terminal event.
func (j *MemoryJournal) Read(ctx context.Context, id core.ChainID, after uint64) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		j.mu.Lock()
		l, ok := j.logs[id]
		j.mu.Unlock()
		if !ok {
			yield(core.Event{}, core.E(core.NotFound, "there is no journal of this chain", "", nil))
			return
		}
		for {
			l.mu.Lock()
			var todo []core.Event
			if after < uint64(len(l.events)) {
				todo = l.events[after:len(l.events):len(l.events)]
			}
			sealed, grown := l.sealed, l.grown
			l.mu.Unlock()
			for _, e := range todo {
				if ctx.Err() != nil {
					return
				}
				after = e.Seq
				if !yield(e, nil) {
					return
				}
			}
			if sealed {
				return
			}
			select {
			case <-grown:
			case <-ctx.Done():
				return
			}
		}
	}
}

func (j *MemoryJournal) remove(id core.ChainID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.logs, id)
}

// Append numbers and keeps an event.
func (l *memLog) Append(e core.Event) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sealed {
		return 0, errors.New("append to a sealed journal")
	}
	e.Seq = uint64(len(l.events)) + 1
	l.events = append(l.events, e)
	l.sealed = e.Type.Terminal()
	close(l.grown)
	l.grown = make(chan struct{})
	return e.Seq, nil
}

// Record keeps nothing.
func (l *memLog) Record(string, any) error { return nil }

// Last is the number of the last event.
func (l *memLog) Last() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uint64(len(l.events))
}

// Sealed reports whether the terminal event is there.
func (l *memLog) Sealed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sealed
}

// Close does nothing: the events stay.
func (l *memLog) Close() error { return nil }
