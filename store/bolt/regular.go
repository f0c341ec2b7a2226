package bolt

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
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

// readSmall gives the one line that a file of ours holds.
func readSmall(path string) (string, error) {
	f, err := openRegular(path, os.O_RDONLY, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read
	b, err := io.ReadAll(io.LimitReader(f, 1<<10))
	return strings.TrimSpace(string(b)), err
}

// writeSmall replaces what a file holds.
func writeSmall(path, text string) error {
	f, err := openRegular(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
