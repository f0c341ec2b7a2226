package journal

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jarvis/core"
)

const (
	// DefaultLimit is how much all sealed journals may take, in bytes.
	DefaultLimit = 1 << 30

	// abandoned is the age from which a journal without a terminal event belongs to nobody any more.
	abandoned = 30 * 24 * time.Hour
)

// Sweep removes the oldest sealed journals until all together take at most limit bytes (0 = DefaultLimit). keep (nil = none)
// holds one back. Those being written or read, and unsealed ones that recovery has not closed yet, stay.
func (d *Dir) Sweep(ctx context.Context, limit int64, keep func(core.ChainID) bool) (n int, freed int64, err error) {
	if limit == 0 {
		limit = DefaultLimit
	}
	d.mu.Lock()
	months := slices.Clone(d.months)
	d.mu.Unlock()
	total := int64(0)
	for _, m := range months {
		size, err := sizeOf(ctx, filepath.Join(d.root, m))
		if err != nil {
			return 0, 0, fmt.Errorf("sweep journals: %w", err)
		}
		total += size
	}
	slices.Sort(months)
	for _, m := range months {
		if total-freed <= limit {
			break
		}
		n1, freed1, err := d.sweepMonth(ctx, m, total-freed-limit, keep)
		n, freed = n+n1, freed+freed1
		if err != nil {
			return n, freed, fmt.Errorf("sweep journals: %w", err)
		}
	}
	return n, freed, nil
}

// sizeOf sums a folder's files.
func sizeOf(ctx context.Context, dir string) (int64, error) {
	var sum int64
	err := someFiles(ctx, dir, func(e fs.DirEntry) error {
		if info, err := e.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum, err
}

// sweepMonth removes journals of a month, oldest first, until it has freed enough.
func (d *Dir) sweepMonth(
	ctx context.Context, m string, enough int64, keep func(core.ChainID) bool,
) (n int, freed int64, err error) {
	dir := filepath.Join(d.root, m)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, 0, err
	}
	infos := make([]fs.FileInfo, 0, len(entries))
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, info := range infos {
		if freed >= enough {
			break
		}
		if err := ctx.Err(); err != nil {
			return n, freed, err
		}
		id := idOf(info.Name())
		if id == "" || d.busy(id) || (keep != nil && keep(id)) {
			continue
		}
		old := d.o.Now().Sub(info.ModTime()) > abandoned
		if done, err := sealedFile(filepath.Join(dir, info.Name())); err != nil || (!done && !old) {
			continue // one that cannot be read is doctor's matter
		}
		if _, err := d.remove(id); err != nil {
			return n, freed, err
		}
		n++
		freed += info.Size()
	}
	return n, freed, nil
}

func (d *Dir) busy(id core.ChainID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.streams[id] != nil
}

// sealedFile reports whether a journal's last line is a terminal event: nothing follows one. Only sealed ones are packed.
func sealedFile(path string) (bool, error) {
	if strings.HasSuffix(path, packedSuffix) {
		return true, nil
	}
	f, err := openRegular(path, os.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	for size := int64(chunk); ; size *= 4 {
		from := max(0, info.Size()-size)
		b := make([]byte, info.Size()-from)
		if _, err := f.ReadAt(b, from); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if b[len(b)-1] != '\n' {
			return false, nil
		}
		i := bytes.LastIndexByte(b[:len(b)-1], '\n')
		if i < 0 && from > 0 && size < defaultLine {
			continue
		}
		h, err := parseHead(b[i+1:])
		return err == nil && h.kind.Terminal(), nil
	}
}
