package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
)

// Kind says what is wrong with a path of the home.
type Kind string

// The kinds of a Fault. Only those about rights can be mended.
const (
	Foreign   Kind = "foreign"   // it belongs to another user
	Irregular Kind = "irregular" // a file where a folder should be, or the other way round
	Unusable  Kind = "unusable"  // the system refuses to look at it
	Writable  Kind = "writable"  // others may change it
	Readable  Kind = "readable"  // others may read what is not theirs
	Shut      Kind = "shut"      // its own user lacks the rights to it
)

// Fault is one path of the home that is not as it should be.
type Fault struct {
	Path   string
	Kind   Kind
	Mode   fs.FileMode // permissions as they are
	Want   fs.FileMode // and as they should be; 0 = rights are not what is wrong
	Secret bool        // it holds a key or a token
	Err    error       // of Unusable

	info fs.FileInfo // what was looked at
}

// maxListed bounds how many files of one folder are looked at.
const maxListed = 1000

// Used reports whether anything of the home exists.
func (h Home) Used() bool {
	for _, root := range []string{h.ConfigDir, h.Data, h.State} {
		if _, err := os.Lstat(root); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// Inspect looks at folders and files of the home and changes nothing. What does not exist is no fault.
func (h Home) Inspect() []Fault {
	var out []Fault
	seen := map[string]bool{}
	look := func(path string, dir, secret bool) {
		if seen[path] {
			return
		}
		seen[path] = true
		f, bad := inspect(path, dir, secret)
		if bad && (f.Path == path || !seen[f.Path+"/"]) {
			seen[f.Path+"/"] = true // a shut folder is named once, not for all that lies in it
			out = append(out, f)
		}
	}
	for _, dir := range []string{h.ConfigDir, h.Data, h.State, h.Runs, h.Blobs, h.Models, h.Logs, h.Run, h.Secrets, h.Commands} {
		look(dir, true, dir == h.Secrets || dir == h.Run)
	}
	for _, file := range []string{h.Config, h.MCP, h.DB, h.DB + ".pid", h.Lock, h.ID, h.Start} {
		look(file, false, false)
	}
	look(h.Token, false, true)
	for _, file := range list(h.Secrets) {
		look(file, false, true)
	}
	for _, file := range list(h.Logs) {
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			look(file, false, false)
		}
	}
	return out
}

// list gives the files of a folder, at most maxListed.
func list(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil // the folder itself is looked at
	}
	defer func() { _ = f.Close() }() // only read
	names, _ := f.Readdirnames(maxListed)
	slices.Sort(names)
	for i, n := range names {
		names[i] = filepath.Join(dir, n)
	}
	return names
}

func inspect(path string, dir, secret bool) (Fault, bool) {
	f := Fault{Path: path, Secret: secret}
	link, err := os.Lstat(path)
	if err == nil && link.Mode()&fs.ModeSymlink != 0 && !ours(link, "") {
		f.Kind = Foreign
		return f, true
	}
	if err == nil {
		f.info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && link == nil:
		return f, false
	case errors.Is(err, fs.ErrPermission):
		f.Path, f.Kind, f.Err = shutFolder(path), Unusable, err
		return f, true
	case err != nil:
		f.Kind, f.Err = Unusable, err
		return f, true
	case f.info.IsDir() != dir, !dir && !f.info.Mode().IsRegular():
		f.Kind = Irregular
		return f, true
	case runtime.GOOS == "windows": // its modes say nothing about others
		return f, false
	case !ours(f.info, ""):
		f.Kind = Foreign
		return f, true
	}
	f.Mode = f.info.Mode().Perm()
	return f.rights(dir)
}

// shutFolder is the folder above path that keeps this user from looking at it.
func shutFolder(path string) string {
	for {
		path = filepath.Dir(path)
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrPermission) || path == filepath.Dir(path) {
			return path
		}
	}
}

// rights holds the permissions against what they should be. A root's file that this user only reads (/etc/jarvis) must not be
// open to changes, and that is all.
func (f Fault) rights(dir bool) (Fault, bool) {
	need, want := fs.FileMode(0o600), fs.FileMode(0o600)
	if dir {
		need, want = 0o700, 0o700
	}
	private := dir || f.Secret || filepath.Ext(f.Path) != ".yaml" && filepath.Ext(f.Path) != ".json"
	mine := ownedBy(f.info, os.Getuid())
	switch {
	case openToOthers(f.info):
		f.Kind = Writable
	case mine && f.Mode&need != need:
		f.Kind = Shut
	case mine && private && f.Mode&0o077 != 0:
		f.Kind = Readable
	default:
		return f, false
	}
	f.Want = want
	return f, true
}

// Mend gives a path the rights that it should have. What has come in its place since it was looked at is not touched.
func (f Fault) Mend() error {
	if f.Want == 0 || f.info == nil {
		return &Error{Message: f.Path + " cannot be mended by its rights", Hint: "ls -ld " + f.Path}
	}
	file, err := os.OpenFile(f.Path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrPermission) && f.Kind == Shut {
		// It cannot even be opened. Who could lay something else there could do so only where others may write.
		if parent, perr := os.Stat(filepath.Dir(f.Path)); perr == nil && !openToOthers(parent) {
			err = os.Chmod(f.Path, f.Want)
			if err == nil {
				return nil
			}
		}
	}
	if err != nil {
		return unusable(f.Path, err)
	}
	defer func() { _ = file.Close() }() // only its rights change
	info, err := file.Stat()
	if err != nil {
		return unusable(f.Path, err)
	}
	if !os.SameFile(info, f.info) {
		return unusable(f.Path, errors.New("it was replaced meanwhile"))
	}
	if err := file.Chmod(f.Want); err != nil {
		return unusable(f.Path, err)
	}
	return nil
}
