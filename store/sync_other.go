//go:build !unix

package store

// syncDir does nothing: a folder cannot be synced here, and renames are journalled by the file system.
func syncDir(string) error { return nil }
