package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"jarvis/store/index"
)

const mergeTime = 110 * time.Second // less than the daemon waits

// Main is jarvis-index DIR HOME: it answers requests on stdin, one a line, and ends with it.
func Main() int {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "jarvis-index is started by the jarvis daemon and has no commands of its own")
		return 2
	}
	if err := Serve(os.Stdin, os.Stdout, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "jarvis-index:", err)
		return 1
	}
	return 0
}

// Serve opens the index of a home in dir and answers what comes in until it ends.
func Serve(in io.Reader, out io.Writer, dir, home string) error {
	e, err := Open(dir, home)
	if err != nil {
		return err
	}
	defer func() { _ = e.Close() }() // the last batch is on the disk
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), index.MaxLine)
	enc := json.NewEncoder(out)
	for lines.Scan() {
		var r index.Request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("request: %w", err)
		}
		if err := enc.Encode(e.answer(&r)); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
	return lines.Err()
}

// answer does one request. Damage found on the way begins the index anew: the state says so.
func (e *Engine) answer(r *index.Request) index.Answer {
	var (
		a   index.Answer
		err error
	)
	if a.State, err = e.State(); err != nil {
		a.Error = err.Error()
		return a
	}
	switch {
	case r.Op == index.OpApply && r.Batch != nil:
		a.Stale, err = e.Apply(r.Batch)
	case r.Op == index.OpSearch && r.Query != nil:
		a.Hits, a.Total, err = e.Search(r.Query)
	case r.Op == index.OpReset:
		err = e.begin()
	case r.Op == index.OpMerge:
		ctx, cancel := context.WithTimeout(context.Background(), mergeTime)
		defer cancel()
		err = e.Merge(ctx)
	case r.Op != index.OpState:
		err = errOp
	}
	if broken(err) {
		err = e.begin()
		a.Stale = true
	}
	if err != nil {
		a.Error = err.Error()
	}
	a.State = e.state
	return a
}

// broken reports whether an error means that the files are not what was written: everything does that is not the question's
// fault, the clock's or the disk's.
func broken(err error) bool {
	if err == nil {
		return false
	}
	for _, other := range []error{
		errNothing, errOp, context.DeadlineExceeded, context.Canceled, fs.ErrPermission,
		syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO,
	} {
		if errors.Is(err, other) {
			return false
		}
	}
	return true
}

var errOp = errors.New("no such operation")
