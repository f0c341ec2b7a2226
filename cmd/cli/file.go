package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"jarvis/core"
)

// errTooLarge: a file has more bytes than it may.
var errTooLarge = errors.New("it is too large")

// readFile reads a regular file of at most limit bytes; a FIFO or device would block or never end.
func readFile(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("it is a folder")
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, errTooLarge
	}
	return b, nil
}

// fileError says which file of which flag cannot be used, and why.
func (a *App) fileError(flag, name string, err error) error {
	code, why := core.BadRequest, a.t(err.Error())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code, why = core.NotFound, a.t("there is no such file")
	case errors.Is(err, fs.ErrPermission):
		code, why = core.UserNotAllowed, a.t("you may not read it")
	}
	return core.E(code, fmt.Sprintf("%s %s: %s", flag, name, why), "ls -l "+shellQuote(filepath.Dir(name)), err)
}

func shellQuote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+@") == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
