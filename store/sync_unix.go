//go:build unix

package store

import (
	"errors"
	"os"
)

// syncDir makes a new name in dir durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
