package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"

	"jarvis/core"
)

// Lines yields a journal's lines as they lie in the file, records among them, up to its end or to a half line. A line is valid
// until the next one. core.NotFound when there is no such journal.
func (d *Dir) Lines(ctx context.Context, id core.ChainID) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s, err := d.acquire(id, false)
		if err != nil {
			yield(nil, err)
			return
		}
		defer d.release(s)
		f, err := openSource(s.path)
		if errors.Is(err, os.ErrNotExist) {
			err = notFound(id)
		}
		if err != nil {
			yield(nil, fmt.Errorf("read journal: %w", err))
			return
		}
		defer func() { _ = f.Close() }() // only read
		r := lines{f: f, max: d.o.MaxLine}
		for {
			line, err := r.next(math.MaxInt64)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if line == nil || !yield(line, nil) {
				return
			}
		}
	}
}
