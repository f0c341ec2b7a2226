//go:build unix

package home

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether the file belongs to this user or to root. Root also accepts the owner of like (the state folder),
// so that `sudo jarvis` finds the user's daemon; with like "" root accepts everything it meets.
func ours(info fs.FileInfo, like string) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	uid := os.Getuid()
	if int(st.Uid) == uid {
		return true
	}
	if like == "" {
		return uid == 0 || st.Uid == 0
	}
	if uid != 0 {
		return false
	}
	owner, err := os.Stat(like)
	if err != nil {
		return false
	}
	o, ok := owner.Sys().(*syscall.Stat_t)
	return ok && o.Uid == st.Uid
}

// openToOthers reports whether group or world may write.
func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// ownedBy reports whether the file belongs to this user and nobody else.
func ownedBy(info fs.FileInfo, uid int) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == uid
}
