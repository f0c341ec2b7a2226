//go:build unix

package config

import (
	"os"
	"syscall"
)

// likeOld gives the new file its rights: 0600, since it may hold keys. A file of somebody else that root edits (a service's,
// root:jarvis 0640) keeps owner, group and their rights, else the service could not read it any more.
func likeOld(f *os.File, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return f.Chmod(0o600)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Getuid() != 0 || (st.Uid == 0 && st.Gid == 0) {
		return f.Chmod(0o600)
	}
	if err := f.Chown(int(st.Uid), int(st.Gid)); err != nil {
		return err
	}
	return f.Chmod(info.Mode().Perm() &^ 0o007)
}
