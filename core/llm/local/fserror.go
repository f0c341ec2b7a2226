package local

import (
	"errors"
	"io/fs"
	"os"

	"jarvis/core"
)

// fsError turns what a disk refuses into a sentence.
func fsError(op string, err error) error {
	switch {
	case isFull(err):
		return core.E(core.Internal, op+": the disk is full", "df -h", err)
	case errors.Is(err, fs.ErrPermission):
		var pe *os.PathError
		if errors.As(err, &pe) {
			return core.E(core.Internal, op+": no permission for "+pe.Path, "ls -ld "+pe.Path, err)
		}
	}
	return core.E(core.Internal, op+": "+oneLine(err.Error()), "jarvis daemon logs", err)
}
