//go:build unix

package home

import "syscall"

func withUmask(mask int, fn func()) {
	defer syscall.Umask(syscall.Umask(mask))
	fn()
}
