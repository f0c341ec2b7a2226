package home

import (
	"io"
	"io/fs"
	"os"
	"syscall"
)

// OpenRegular opens a regular file; anything else in its place is an *Error. A pipe opened as usual would hold the program
// until somebody writes into it, deaf to signals. A file that is missing is fs.ErrNotExist.
func OpenRegular(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, mode)
	if err != nil {
		// A socket, a folder and a pipe without a reader refuse in their own words.
		if info, serr := os.Stat(path); serr == nil && !info.Mode().IsRegular() {
			return nil, irregular(path, err)
		}
		if fullDisk(err) {
			return nil, unusable(path, err)
		}
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, irregular(path, err)
	}
	return f, nil
}

// ReadRegular reads at most most bytes of a regular file.
func ReadRegular(path string, most int64) ([]byte, error) {
	f, err := OpenRegular(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return io.ReadAll(io.LimitReader(f, most))
}

func irregular(path string, err error) error {
	return &Error{Message: path + " is not a file", Hint: "ls -ld " + path, Err: err}
}
