package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"jarvis/core"
	"jarvis/daemon/home"
)

// Changed tells what an edit of the file means.
type Changed struct {
	Config   *Config   // as it is now
	Restart  []string  // values that a running daemon takes up only after a restart
	Hidden   string    // the variable that overrides the value that was set, or ""
	Warnings []Warning // of the whole configuration
	Same     bool      // the file was that way already
}

// Set changes one value of the file: the new text is checked as a whole before it replaces the old one in one step, and
// what it does not change stays byte for byte. Nothing is written on an error.
func Set(file, path, value string, env Env) (Changed, error) {
	keys, err := ParsePath(path)
	if err != nil {
		return Changed{}, err
	}
	sound := false
	c, err := Update(file, env, func(old []byte) ([]byte, error) {
		_, _, err := Parse(file, old, env)
		sound = err == nil
		return SetText(file, old, keys, value)
	})
	var p problem
	if sound && errors.As(err, &p) && p.at.env == "" {
		// The place would be one in a text that nobody has.
		return c, core.E(core.BadRequest, p.msg, "jarvis config get "+JoinPath(keys...), nil)
	}
	if err != nil {
		return c, err
	}
	if name := EnvName(path); c.Config.Source(JoinPath(keys...)) == name {
		c.Hidden = name
	}
	return c, nil
}

// Update changes the file's text by edit, under a lock, and only when the result is a valid configuration.
func Update(file string, env Env, edit func(old []byte) ([]byte, error)) (Changed, error) {
	target, err := target(file)
	if err != nil {
		return Changed{}, err
	}
	unlock, err := lock(filepath.Dir(target))
	if err != nil {
		return Changed{}, notWritten(file, err)
	}
	defer unlock()
	old, err := read(file)
	if err != nil {
		return Changed{}, err
	}
	text, err := edit(old)
	if err != nil {
		return Changed{}, err
	}
	now, warnings, err := Parse(file, text, env)
	if err != nil {
		return Changed{}, err
	}
	c := Changed{Config: now, Warnings: warnings, Same: bytes.Equal(old, text)}
	if was, _, err := Parse(file, old, env); err == nil {
		c.Restart = RestartKeys(was, now)
	}
	if c.Same {
		return c, nil
	}
	if err := home.Replace(target, text, func(f *os.File) error { return likeOld(f, target) }); err != nil {
		return Changed{}, notWritten(file, err)
	}
	return c, nil
}

func notWritten(file string, err error) error {
	why := "cannot be written"
	var no syscall.Errno // a full disk, a file system that is read-only
	switch {
	case errors.Is(err, fs.ErrPermission):
		why += ": no permission"
	case errors.As(err, &no):
		why += ": " + no.Error()
	}
	return core.E(core.Internal, "the configuration "+file+" "+why, "ls -ld "+filepath.Dir(file), err)
}

// target is the file that a link leads to, so that a linked configuration stays one.
func target(file string) (string, error) {
	for range 16 {
		info, err := os.Lstat(file)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return file, nil
		}
		to, err := os.Readlink(file)
		if err != nil {
			return "", notWritten(file, err)
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(file), to)
		}
		file = to
	}
	return "", core.E(core.Internal, "the configuration "+file+" is a link to itself", "ls -l "+file, nil)
}

// lock keeps two edits from losing one another. The folder is locked, so that no further file lies in it; where that is
// not possible the edit goes ahead without.
func lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	l := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	if err := l.Lock(); err != nil {
		return func() {}, nil
	}
	return func() { _ = l.Unlock() }, nil
}
