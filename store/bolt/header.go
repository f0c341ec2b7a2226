package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// bbolt keeps two headers and takes turns in writing them. When the newer one is broken it goes on with the older one, which
// is the state before the last acknowledged write, and says nothing. After an orderly end both are good, so a broken one is
// damage; after a crash it may be the one that was just being written.

var errHeader = errors.New("one of the two headers is broken")

const (
	headerAt   = 16 // in its page
	headerSum  = 56 // where its checksum is
	headerSize = 64
	magic      = 0xED0CDAED
)

// checkHeaders reads both headers from the file itself.
func checkHeaders(f io.ReaderAt, pageSize int) error {
	for n := range 2 {
		b := make([]byte, headerSize)
		if _, err := f.ReadAt(b, int64(n*pageSize+headerAt)); err != nil {
			return fmt.Errorf("%w: %w", errHeader, err)
		}
		h := fnv.New64a()
		_, _ = h.Write(b[:headerSum]) // never fails
		if binary.NativeEndian.Uint32(b) != magic || h.Sum64() != binary.NativeEndian.Uint64(b[headerSum:]) {
			return fmt.Errorf("%w: number %d", errHeader, n)
		}
	}
	return nil
}
