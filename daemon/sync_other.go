//go:build !unix

package daemon

// syncFolder does nothing: a folder cannot be synced here, and renames are journalled by the file system.
func syncFolder(string) error { return nil }
