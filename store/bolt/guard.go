package bolt

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"jarvis/core"
)

// guard runs f so that reading a page that is not there (a truncated file is a SIGSEGV or SIGBUS in mapped memory) and
// bbolt's own assertions come back as an error. recover alone misses the former.
func guard(f func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		if p := recover(); p != nil {
			err = &fault{reason: p, stack: debug.Stack()}
		}
	}()
	return f()
}

// fault is a panic inside a transaction.
type fault struct {
	reason any
	stack  []byte
}

func (f *fault) Error() string { return fmt.Sprintf("fault: %v", f.reason) }

// full reports whether err says that the disk, the quota or the allowed file size is used up. bbolt flattens some of its
// errors to text, hence the strings.
func full(err error) bool {
	for _, e := range []syscall.Errno{syscall.ENOSPC, syscall.EFBIG, syscall.EDQUOT} {
		if errors.Is(err, e) || strings.Contains(err.Error(), e.Error()) {
			return true
		}
	}
	return strings.Contains(err.Error(), "not enough space on the disk")
}

// explain turns what a transaction returned into what callers get: core's errors as they are, everything else as Internal
// with the operation and a sentence.
func explain(op string, err error) error {
	if err == nil {
		return nil
	}
	if e := (*core.Error)(nil); errors.As(err, &e) {
		return err
	}
	cause := fmt.Errorf("%s: %w", op, err)
	switch {
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return core.E(core.Internal, "the store is closed", "jarvis daemon start", cause)
	case full(err):
		return core.E(core.Internal, "the disk is full: nothing more can be stored", "df -h", cause)
	}
	return core.E(core.Internal, "the store cannot be used now", "jarvis daemon logs", cause)
}
