package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"jarvis/core"
)

const (
	damagedSuffix = ".damaged"
	chunk         = 64 << 10
)

var (
	typePrefix   = []byte(`{"type":"`)
	seqPrefix    = []byte(`","seq":`)
	recordPrefix = []byte(`{"record":`)

	errLine = errors.New("line is no event")
)

// head is what a line says of itself without being decoded. A record has number 0.
type head struct {
	kind core.EventType
	seq  uint64
}

// parseHead reads the beginning of a line as core.Event.AppendJSON writes it.
func parseHead(line []byte) (head, error) {
	if bytes.HasPrefix(line, recordPrefix) {
		return head{}, nil
	}
	rest, ok := bytes.CutPrefix(line, typePrefix)
	if !ok {
		return head{}, errLine
	}
	kind, rest, ok := bytes.Cut(rest, seqPrefix)
	if !ok || bytes.IndexByte(kind, '"') >= 0 {
		return head{}, errLine
	}
	end := bytes.IndexByte(rest, ',')
	if end < 0 {
		return head{}, errLine
	}
	seq, err := strconv.ParseUint(string(rest[:end]), 10, 64)
	if err != nil || seq == 0 {
		return head{}, errLine
	}
	return head{core.EventType(kind), seq}, nil
}

// lines reads a file's whole lines from an offset on, up to a limit.
type lines struct {
	f   io.ReaderAt
	off int64 // behind the last line given
	max int   // bytes of one line
	buf []byte
	at  int // in buf
}

// next gives the next whole line without its break, valid until the next call; nil at the limit or before a half line.
func (r *lines) next(limit int64) ([]byte, error) {
	for want := chunk; ; want *= 2 {
		if i := bytes.IndexByte(r.buf[r.at:], '\n'); i >= 0 {
			line := r.buf[r.at : r.at+i]
			if r.off+int64(i)+1 > limit {
				r.reset(r.off)
				return nil, nil
			}
			r.at += i + 1
			r.off += int64(i) + 1
			return line, nil
		}
		have := len(r.buf) - r.at
		if have > r.max {
			return nil, fmt.Errorf("%w: longer than %d bytes", errLine, r.max)
		}
		room := limit - r.off - int64(have)
		if room <= 0 {
			r.reset(r.off)
			return nil, nil
		}
		buf := r.buf[:0]
		if need := have + want; cap(buf) < need {
			buf = make([]byte, 0, need)
		}
		buf = append(buf, r.buf[r.at:]...)
		n, err := r.f.ReadAt(buf[have:min(cap(buf), have+int(min(room, int64(want))))], r.off+int64(have))
		r.buf, r.at = buf[:have+n], 0
		if n == 0 {
			r.reset(r.off) // the half line may be cut off and written anew before the next call
			if err == nil || errors.Is(err, io.EOF) {
				return nil, nil
			}
			return nil, fmt.Errorf("read journal: %w", err)
		}
	}
}

// reset starts over at an offset.
func (r *lines) reset(off int64) {
	r.off, r.buf, r.at = off, r.buf[:0], 0
}

// ending is where a journal's good part ends.
type ending struct {
	size    int64
	last    uint64
	sealed  bool
	damaged bool // what follows is more than a half line
}

// findEnd reads a journal up to its end, to the first line that is none, or to the terminal event.
func findEnd(f io.ReaderAt, size int64, maxLine int) (ending, error) {
	var e ending
	r := &lines{f: f, max: maxLine}
	for {
		line, err := r.next(size)
		if err != nil && !errors.Is(err, errLine) {
			return ending{}, err
		}
		if err == nil && line == nil {
			return e, nil
		}
		h, herr := parseHead(line)
		if err != nil || herr != nil || !whole(line, h) || (h.seq != 0 && h.seq != e.last+1) || e.sealed {
			e.damaged = true
			return e, nil
		}
		e.size = r.off
		if h.seq != 0 {
			e.last, e.sealed = h.seq, h.kind.Terminal()
		}
	}
}

// whole reports whether a line can be read to its end: an event as such, a record as JSON.
func whole(line []byte, h head) bool {
	if h.seq == 0 {
		return json.Valid(line)
	}
	_, err := parse(line, h)
	return err == nil
}

// trim shortens a journal to its good part. Damage, which is more than the half line of a crash, is kept beside it.
func trim(f *os.File, path string, maxLine int) (ending, error) {
	info, err := f.Stat()
	if err != nil {
		return ending{}, err
	}
	e, err := findEnd(f, info.Size(), maxLine)
	if err != nil || info.Size() == e.size {
		return e, err
	}
	if e.damaged {
		if err := keepRest(f, path+damagedSuffix, e.size, info.Size()); err != nil {
			return ending{}, err
		}
	}
	return e, f.Truncate(e.size)
}

func keepRest(f *os.File, path string, from, to int64) error {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(f, from, to-from))
	return errors.Join(err, out.Sync(), out.Close())
}
