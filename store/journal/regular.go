package journal

import (
	"io/fs"
	"os"
	"syscall"

	"jarvis/core"
)

// openRegular opens a regular file. A pipe in its place, opened as usual, would hold the daemon until somebody writes into it.
func openRegular(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, mode)
	if err != nil {
		// A folder, a socket and a pipe without a reader refuse in their own words.
		if info, serr := os.Stat(path); serr == nil && !info.Mode().IsRegular() {
			return nil, irregular(path, err)
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

func irregular(path string, err error) error {
	return core.E(core.Internal, path+" is not a file", "ls -ld "+path, err)
}
