package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"

	"jarvis/core"
)

// maxBuffer is how large a line's buffer may stay between events.
const maxBuffer = 256 << 10

// Log is one chain's journal, open for writing. It is safe for concurrent use.
type Log struct {
	d      *Dir
	s      *stream
	buf    []byte // guarded by s.mu, as closed and broken are
	closed bool
	broken error // a half-written line could not be cut off: nothing may follow it
}

// Log opens a chain's journal for writing, creating it when it is missing. A half line at the end, which a crash leaves, is
// cut off. core.Conflict when it is open already; core.NotFound when id is no UUID.
func (d *Dir) Log(id core.ChainID) (*Log, error) {
	s, err := d.acquire(id, true)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.f != nil {
		d.release(s)
		return nil, core.E(core.Conflict, "the journal of this chain is open already", "", nil)
	}
	if err := d.openFile(s); err != nil {
		d.release(s)
		return nil, explain("open journal", err)
	}
	s.changed()
	return &Log{d: d, s: s}, nil
}

// openFile opens the stream's file for appending and finds its end. s.mu is held.
func (d *Dir) openFile(s *stream) error {
	if err := d.ledger.opened(s.id); err != nil {
		return err
	}
	if strings.HasSuffix(s.path, packedSuffix) {
		return d.openPacked(s)
	}
	f, err := openRegular(s.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if !s.known {
		end, err := trim(f, s.path, d.o.MaxLine)
		if err != nil {
			return errors.Join(err, f.Close())
		}
		if end.damaged {
			d.log.Error("Journal is damaged, its rest was put aside", "chain", s.id, "byte", end.size, "path", s.path+damagedSuffix)
		}
		s.size, s.last, s.sealed, s.known = end.size, end.last, end.sealed, true
	}
	if s.sealed {
		if err := d.ledger.sealed(s.id); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	s.f = f
	return nil
}

// Append numbers an event and writes it with one write(2) before any reader sees it. A terminal event seals the journal and
// is on the disk itself when Append returns; core.Conflict after it.
func (l *Log) Append(e core.Event) (uint64, error) {
	if len(e.Data) > 0 {
		var c bytes.Buffer // a line has no line break inside, and what is no JSON would make it unreadable
		if err := json.Compact(&c, e.Data); err != nil {
			return 0, fmt.Errorf("append to journal: data of %s: %w", e.Type, err)
		}
		e.Data = c.Bytes()
	}
	if !utf8.ValidString(e.Text) {
		e.Text = string([]rune(e.Text)) // as JSON has it: readers of the tail and of the file see the same
	}
	e.Time = e.Time.UTC().Round(0)

	s := l.s
	s.mu.Lock()
	if e.Chain == "" {
		e.Chain = s.id
	}
	e.Seq = s.last + 1
	line, err := e.AppendJSON(l.buf[:0])
	if err == nil {
		err = l.write(append(line, '\n'))
	}
	if err != nil {
		s.mu.Unlock()
		return 0, explain("append to journal", err)
	}
	s.last = e.Seq
	s.sealed = e.Type.Terminal()
	s.push(e)
	s.changed()
	sealed := s.sealed
	s.mu.Unlock()
	if !sealed {
		return e.Seq, nil
	}
	return e.Seq, l.seal()
}

// Record writes a line without a number, for replay: {"record":kind,"data":v}. Readers of events do not see it.
func (l *Log) Record(kind string, v any) error {
	line, err := json.Marshal(struct {
		Record string `json:"record"`
		Data   any    `json:"data"`
	}{kind, v})
	if err != nil {
		return fmt.Errorf("record %s in journal: %w", kind, err)
	}
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	return explain("record in journal", l.write(append(line, '\n')))
}

// write appends a line in one call and cuts off again what a full disk took of it. s.mu is held.
func (l *Log) write(line []byte) error {
	s := l.s
	switch {
	case l.closed:
		return errors.New("journal is closed")
	case s.sealed:
		return core.E(core.Conflict, "the chain is ended: its journal is sealed", "", nil)
	case l.broken != nil:
		return l.broken
	case len(line) > l.d.o.MaxLine:
		return core.E(core.TooLarge, fmt.Sprintf("an event of %d MiB is too large to be kept", len(line)>>20), "", nil)
	}
	if cap(line) <= maxBuffer {
		l.buf = line
	}
	n, err := s.f.Write(line)
	if err != nil {
		if n > 0 {
			if terr := s.f.Truncate(s.size); terr != nil {
				l.broken = errors.Join(err, terr)
			}
		}
		return err
	}
	s.size += int64(n)
	if !s.dirty {
		s.dirty = true
		l.d.later(s)
	}
	return nil
}

// seal syncs after the terminal event. Readers have it already: it says nothing that the store does not keep.
func (l *Log) seal() error {
	if err := l.s.sync(); err != nil {
		return err
	}
	return explain("seal journal", l.d.ledger.sealed(l.s.id))
}

// Last is the number of the last event, 0 when there is none.
func (l *Log) Last() uint64 {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	return l.s.last
}

// Sealed reports whether the terminal event is there.
func (l *Log) Sealed() bool {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	return l.s.sealed
}

// Close syncs and closes. The journal can be opened again, until it is sealed and swept.
func (l *Log) Close() error {
	l.s.mu.Lock()
	if l.closed {
		l.s.mu.Unlock()
		return nil
	}
	l.closed = true
	f, dirty := l.s.f, l.s.dirty
	l.s.f, l.s.dirty = nil, false
	l.s.known = l.broken == nil
	l.s.mu.Unlock()
	var err error
	if dirty {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	l.d.release(l.s)
	return explain("close journal", err)
}

// explain gives core's errors as they are and a full disk its sentence.
func explain(op string, err error) error {
	if err == nil {
		return nil
	}
	if e := (*core.Error)(nil); errors.As(err, &e) {
		return err
	}
	cause := fmt.Errorf("%s: %w", op, err)
	for _, e := range []error{syscall.ENOSPC, syscall.EFBIG, syscall.EDQUOT} {
		if errors.Is(err, e) {
			return core.E(core.Internal, "the disk is full: nothing more can be written down", "df -h", cause)
		}
	}
	return cause
}
