package journal

import (
	"errors"
	"os"
	"sync"

	"jarvis/core"
)

// tailBytes is about how much of a journal's end stays in memory for readers that have caught up.
const tailBytes = 32 << 10

// stream is what the writer and the readers of one chain share.
type stream struct {
	id   core.ChainID
	path string
	refs int // guarded by Dir.mu

	mu      sync.Mutex // guards the fields below
	f       *os.File   // the writer's, nil while no Log is open
	known   bool       // size, last and sealed are those of the file
	size    int64      // bytes of whole lines
	last    uint64
	sealed  bool
	dirty   bool // written to since the last sync
	readers int
	tail    []entry // events up to last, without a gap; empty while nobody reads
	held    int     // bytes of tail
	wake    chan struct{}
}

// entry is an event in the tail and where its line ends in the file.
type entry struct {
	e   core.Event
	end int64
}

func (e entry) weight() int { return 256 + len(e.e.Text) + len(e.e.Data) }

// push adds an event to the tail. s.mu is held.
func (s *stream) push(e core.Event) {
	en := entry{e, s.size}
	if s.readers == 0 || en.weight() > tailBytes {
		s.tail, s.held = nil, 0 // who comes later reads the file
		return
	}
	s.tail = append(s.tail, en)
	s.held += en.weight()
	cut := 0
	for s.held > tailBytes {
		s.held -= s.tail[cut].weight()
		s.tail[cut] = entry{}
		cut++
	}
	s.tail = s.tail[cut:]
}

// after copies the tail's events behind a number into buf; false when the tail does not reach back that far. s.mu is held.
func (s *stream) after(seq uint64, buf []core.Event) (evs []core.Event, end int64, ok bool) {
	if len(s.tail) == 0 || s.tail[0].e.Seq > seq+1 {
		return nil, 0, false
	}
	for _, en := range s.tail[seq+1-s.tail[0].e.Seq:] {
		buf = append(buf, en.e)
		end = en.end
	}
	return buf, end, true
}

// woken is closed at the next change. s.mu is held.
func (s *stream) woken() <-chan struct{} {
	if s.wake == nil {
		s.wake = make(chan struct{})
	}
	return s.wake
}

// changed wakes every waiting reader. s.mu is held.
func (s *stream) changed() {
	if s.wake != nil {
		close(s.wake)
		s.wake = nil
	}
}

func (s *stream) join() {
	s.mu.Lock()
	s.readers++
	s.mu.Unlock()
}

func (s *stream) leave() {
	s.mu.Lock()
	if s.readers--; s.readers == 0 {
		s.tail, s.held = nil, 0
	}
	s.mu.Unlock()
}

// sync brings the file to the disk. The lock is not held meanwhile: nobody waits for a disk who only appends or reads.
func (s *stream) sync() error {
	s.mu.Lock()
	f, dirty := s.f, s.dirty
	s.dirty = false
	s.mu.Unlock()
	if f == nil || !dirty {
		return nil
	}
	if err := f.Sync(); err != nil && !errors.Is(err, os.ErrClosed) { // Close syncs by itself
		return explain("sync journal", err)
	}
	return nil
}
