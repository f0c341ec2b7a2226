// Package store is what all storage has in common: the file format of backups. A backup is a plain tar whose last entry is a
// manifest with the SHA-256 of each other one; behind the tar's end stands one line with the SHA-256 of every byte before it.
// Each byte of the file has one value that is right, padding included, so a flipped one is found and the place is named. The
// package knows names and bytes only: what belongs into a backup and where it is restored to is the daemon's to say.
package store
