package home

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Ensure creates the folders of the home, 0700 whatever the umask, and refuses a home that others could change. It is for
// the daemon and whatever writes into the home; a client that only looks needs CheckSocket.
func (h Home) Ensure() error {
	for _, root := range []string{h.ConfigDir, h.Data, h.State} {
		if err := ensureRoot(root); err != nil {
			return err
		}
	}
	for _, dir := range []string{h.Runs, h.Blobs, h.Models, h.Logs, h.Run} {
		if err := private(dir); err != nil {
			return err
		}
	}
	// A service may only read its configuration (/etc/jarvis); it needs no folder for keys that nobody types there.
	if err := private(h.Secrets); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if h.Pointer == "" {
		return nil
	}
	if err := mkdir(filepath.Dir(h.Socket)); err != nil {
		return unusable(filepath.Dir(h.Socket), err)
	}
	if err := h.CheckSocket(); err != nil {
		return err
	}
	return WriteFile(h.Pointer, []byte(h.Socket+"\n"))
}

// EnsureConfig creates only what the configuration needs, for commands that work when the rest of the home is broken.
func (h Home) EnsureConfig() error {
	if err := ensureRoot(h.ConfigDir); err != nil {
		return err
	}
	return private(h.Secrets)
}

// CheckSocket refuses a socket folder under /tmp that is not ours alone: whoever owns it could pose as the daemon. A folder
// that does not exist is fine, there is no daemon then.
func (h Home) CheckSocket() error {
	if h.Pointer == "" {
		return nil
	}
	dir := filepath.Dir(h.Socket)
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unusable(dir, err)
	}
	if !info.IsDir() || info.Mode().Perm() != 0o700 || !ours(info, h.State) {
		return &Error{Message: "the socket folder " + dir + " is not a private folder of this user (0700, own uid)", Hint: "ls -ld " + dir}
	}
	return nil
}

// ensureRoot creates one of the three roots, or looks at the one that is there.
func ensureRoot(dir string) error {
	link, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := mkdir(dir); err != nil {
			return unusable(dir, err)
		}
		return nil
	}
	if err != nil {
		return unusable(dir, err)
	}
	if link.Mode()&fs.ModeSymlink != 0 && !ours(link, "") {
		return &Error{Message: "the home " + dir + " is a link that belongs to another user", Hint: "ls -ld " + dir}
	}
	info, err := os.Stat(dir)
	if err != nil {
		return unusable(dir, err)
	}
	switch {
	case !info.IsDir():
		return &Error{Message: "the home " + dir + " is not a folder", Hint: "export JARVIS_HOME=/another/path"}
	case !ours(info, ""):
		return &Error{Message: "the home " + dir + " belongs to another user", Hint: "ls -ld " + dir}
	case openToOthers(info):
		return &Error{Message: "the home " + dir + " can be written by other users", Hint: "chmod go-w " + dir}
	}
	// Reading the folder now gives one sentence, instead of a different error in every part that looks into it later.
	f, err := os.Open(dir)
	if err != nil {
		return unusable(dir, err)
	}
	_, err = f.Readdirnames(1)
	_ = f.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		return unusable(dir, err)
	}
	return nil
}

// private makes a folder of ours that nobody else may enter, also when it was there with wider rights.
func private(dir string) error {
	if err := mkdir(dir); err != nil {
		return unusable(dir, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return unusable(dir, err)
	}
	if !info.IsDir() {
		return &Error{Message: dir + " is not a folder", Hint: "ls -ld " + dir}
	}
	if info.Mode().Perm() != 0o700 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return unusable(dir, err)
		}
	}
	return nil
}

// mkdir creates dir and its missing parents with exactly 0700: a umask of 0277 or the like would lock us out of them.
func mkdir(dir string) error {
	info, err := os.Stat(dir)
	if err == nil {
		if !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: errors.New("not a folder")}
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := mkdir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) { // another process was faster, and set the mode
			return nil
		}
		return err
	}
	return os.Chmod(dir, 0o700)
}

// WriteFile replaces a file of the home in one step, 0600 whatever the umask: a reader sees the old content or the new.
func WriteFile(path string, data []byte) error {
	if err := Replace(path, data, func(f *os.File) error { return f.Chmod(0o600) }); err != nil {
		return unusable(path, err)
	}
	return nil
}

// Replace writes beside the file and renames, so that a reader sees the old text or the new one, also after a crash. rights
// gives the new file its own.
func Replace(path string, data []byte, rights func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	tmp := f.Name()
	_, err = f.Write(data)
	if err == nil {
		err = rights(f)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp)
		return err
	}
	if d, err := os.Open(filepath.Dir(path)); err == nil {
		_ = d.Sync() // not every file system can
		_ = d.Close()
	}
	return nil
}

func fullDisk(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// folderOf is the nearest folder above path that exists: path itself was not made.
func folderOf(path string) string {
	for {
		path = filepath.Dir(path)
		if info, err := os.Stat(path); err == nil && info.IsDir() || path == filepath.Dir(path) {
			return path
		}
	}
}

func unusable(path string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	var p *fs.PathError
	cause := err
	if errors.As(err, &p) {
		cause = p.Err
		if p.Path != "" {
			path = p.Path
		}
	}
	if fullDisk(err) {
		dir := folderOf(path)
		return &Error{Message: "the disk is full: nothing can be written into " + dir, Hint: "df -h " + dir, Err: err}
	}
	hint := "ls -ld " + path
	if errors.Is(err, fs.ErrPermission) {
		return &Error{Message: "no permission to use " + path, Hint: hint, Err: err}
	}
	return &Error{Message: "cannot use " + path + ": " + cause.Error(), Hint: hint, Err: err}
}
