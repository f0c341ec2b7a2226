package home

import (
	"os"
	"path/filepath"
	"runtime"
)

// The names of the programs.
const (
	Command = "jarvis"
	Daemon  = "jarvisd"
	Screen  = "jarvis-tui"
	Model   = "jarvis-model"
	Index   = "jarvis-index"
)

// SafePath is the PATH by which the daemon and its children find programs, whatever shell started it.
const SafePath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Programs finds the sibling programs of a running one, never by PATH: a program planted there must not get the token.
type Programs struct {
	dirs []string
}

// FindPrograms looks beside self (the running program's path, its links resolved) and in ../libexec/jarvis. With
// JARVIS_LIBEXEC, which is for tests, it looks only there.
func FindPrograms(self string, getenv func(string) string) Programs {
	if dir := getenv("JARVIS_LIBEXEC"); dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		return Programs{dirs: []string{dir}}
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	dir := filepath.Dir(self)
	return Programs{dirs: []string{dir, filepath.Join(dir, "..", "libexec", "jarvis")}}
}

// Siblings is FindPrograms for this process.
func Siblings() (Programs, error) {
	self, err := os.Executable()
	if err != nil {
		return Programs{}, &Error{Message: "the path of the running program is unknown", Err: err}
	}
	return FindPrograms(self, os.Getenv), nil
}

// Path gives the absolute path of a program, or an *Error that says where it was looked for.
func (p Programs) Path(name string) (string, error) {
	file := name
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	for _, dir := range p.dirs {
		path := filepath.Join(dir, file)
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && executable(info) {
			return path, nil
		}
	}
	where := "nowhere"
	if len(p.dirs) > 0 {
		where = p.dirs[0]
	}
	return "", &Error{Message: "the program " + name + " is missing beside this one (looked in " + where + ")", Hint: "make build   # or install jarvis again"}
}

func executable(info os.FileInfo) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0
}
