//go:build !unix

package bolt

import (
	"math"
	"os"
)

// syncDir does nothing: a folder cannot be synced here, and renames are journalled by the file system.
func syncDir(string) error { return nil }

// room is not asked for here: a migration then fails half way on its copy, which is thrown away.
func room(string) (uint64, error) { return math.MaxUint64, nil }

// unlockFile does nothing: the lock goes with the process.
func unlockFile(*os.File) {}
