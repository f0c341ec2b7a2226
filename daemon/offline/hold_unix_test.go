//go:build unix

package offline

import (
	"testing"

	"github.com/gofrs/flock"
)

// hold has the lock on a home as a daemon does.
func hold(t *testing.T, path string) (unlock func()) {
	t.Helper()
	l := flock.New(path)
	if ok, err := l.TryLock(); err != nil || !ok {
		t.Fatalf("lock: %v, %v", ok, err)
	}
	return func() { _ = l.Close() }
}
