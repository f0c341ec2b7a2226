package client

import (
	"io"
	"iter"
)

// StreamForTest yields the data of a stream's events.
func StreamForTest(r io.Reader) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for s := newSSE(r); ; {
			data, err := s.next()
			if err != nil || !yield(data) {
				return
			}
		}
	}
}
