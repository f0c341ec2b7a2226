package local

import (
	"errors"

	"golang.org/x/sys/windows"
)

func isFull(err error) bool { return errors.Is(err, windows.ERROR_DISK_FULL) }
