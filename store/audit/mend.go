package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"jarvis/core"
)

// Folder is where full files lie.
func Folder(path string) string { return strings.TrimSuffix(path, ".jsonl") }

func anchorPath(path string) string { return strings.TrimSuffix(path, ".jsonl") + ".anchor" }

// mend finds the end of the log, cuts off the half line of a crash, and notes what is not as it was left. The lock is held.
func (l *Log) mend() error {
	info, err := l.f.Stat()
	if err != nil {
		return err
	}
	end, torn, err := endOf(l.f, info.Size())
	if err != nil {
		return err
	}
	if torn > 0 {
		if err := l.f.Truncate(info.Size() - torn); err != nil {
			return err
		}
	}
	l.size = info.Size() - torn
	if l.size == 0 { // the last line is in the newest of the full files
		if end, err = endOfFull(l.o.Path); err != nil {
			return err
		}
	}
	was, anchored := readAnchor(l.anchor)
	l.last = end
	notes := map[string]any{}
	switch {
	case !anchored && end.seq == 0 && torn == 0:
		l.last = anchor{0, noHash}
		return nil // a new log
	case !anchored && end.seq > 0:
		notes["anchor"] = "missing or unreadable"
	case anchored && (was.seq > end.seq || was.seq == end.seq && was.hash != end.hash):
		return l.noteGap(was)
	}
	if end.seq == 0 {
		l.last = anchor{0, noHash}
	}
	if torn > 0 {
		notes["torn_bytes"] = torn
	}
	if len(notes) == 0 {
		return nil
	}
	return l.append(core.Audit{Action: Repaired, Via: "daemon", OK: true, Details: notes})
}

// noteGap says that lines up to the anchor's were written and are not there. Their numbers are not used again.
func (l *Log) noteGap(was anchor) error {
	a := core.Audit{
		Action: Gap, Via: "daemon", Seq: was.seq + 1, Prev: l.last.hash, Time: l.o.Now(),
		Details: map[string]any{"from": min(l.last.seq+1, was.seq), "to": was.seq, "hash": was.hash},
	}
	if l.last.seq == 0 {
		a.Prev = noHash
	}
	return l.put(a)
}

// endOf reads the last line of a file, and how many bytes of a half one follow it. A last line that is damaged counts with
// what it says of itself, else not at all: verify names it.
func endOf(f io.ReaderAt, size int64) (end anchor, torn int64, err error) {
	if size == 0 {
		return anchor{}, 0, nil
	}
	from := max(0, size-2*MaxLine-2)
	b := make([]byte, size-from)
	if _, err := f.ReadAt(b, from); err != nil && !errors.Is(err, io.EOF) {
		return anchor{}, 0, fmt.Errorf("read the audit file: %w", err)
	}
	whole := bytes.LastIndexByte(b, '\n') + 1
	torn = int64(len(b) - whole)
	if whole == 0 {
		return anchor{}, torn, nil
	}
	lines := bytes.Split(b[:whole-1], []byte{'\n'})
	for _, line := range slices.Backward(lines) {
		if a, err := Parse(line); err == nil || errors.Is(err, ErrHash) {
			return anchor{a.Seq, a.Hash}, torn, nil
		}
	}
	return anchor{}, torn, nil
}

func endOfFull(path string) (anchor, error) {
	names, err := full(path)
	if err != nil || len(names) == 0 {
		return anchor{}, err
	}
	f, err := openRegular(names[len(names)-1], os.O_RDONLY, 0)
	if err != nil {
		return anchor{}, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return anchor{}, err
	}
	end, _, err := endOf(f, info.Size())
	return end, err
}

// firstSeq is the number that a file begins with.
func firstSeq(f io.ReaderAt) (uint64, error) {
	b := make([]byte, MaxLine+1)
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	for line := range bytes.Lines(b[:n]) {
		if a, err := Parse(bytes.TrimSuffix(line, []byte{'\n'})); err == nil || errors.Is(err, ErrHash) {
			return a.Seq, nil
		}
	}
	return 0, fmt.Errorf("%w at the beginning of the audit file", ErrLine)
}

// full lists the full files, oldest first.
func full(path string) ([]string, error) {
	dir := Folder(path)
	entries, err := os.ReadDir(dir) // by name, which is by number
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the audit files: %w", err)
	}
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok && len(name) == 20 && strings.Trim(name, "0123456789") == "" {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out, nil
}

// openRegular opens a regular file: a pipe in its place would hold the daemon until somebody writes into it.
func openRegular(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, mode)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, core.E(core.Internal, path+" is not a file", "ls -ld "+path, err)
	}
	return f, nil
}
