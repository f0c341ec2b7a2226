//go:build unix

package daemon

import (
	"errors"
	"os"
)

// syncFolder makes a new name in dir durable.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
