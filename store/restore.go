package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"jarvis/core"
)

// Restore checks a whole backup before it writes anything, then writes its files into dir, which must be missing or empty.
// They are written to a new folder beside dir first, synced, and renamed, so that dir is whole or not there at all.
func Restore(ctx context.Context, r io.ReadSeeker, dir string) (*Manifest, error) {
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return nil, core.E(core.Conflict, "the folder "+dir+" is not empty", "ls -la "+dir, nil)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("restore: %w", err)
	}
	m, err := Verify(ctx, r)
	if err != nil {
		return nil, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".restoring-*")
	if err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }() // gone already when all went well
	if err := extract(ctx, r, tmp, m); err != nil {
		return nil, err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("restore: %w", err)
	}
	if err := os.Rename(tmp, dir); err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	if err := syncDir(filepath.Dir(dir)); err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	return m, nil
}

// extract writes the files below tmp. The backup may have changed since it was checked, so it is checked once more, and no
// file becomes longer than the manifest said.
func extract(ctx context.Context, r io.Reader, tmp string, m *Manifest) error {
	root, err := os.OpenRoot(tmp)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer func() { _ = root.Close() }() // nothing is written through it any more
	dirs := map[string]bool{".": true}
	next := 0
	_, err = read(ctx, r, func(e Entry, body io.Reader) error {
		if next >= len(m.Entries) || e.Name != m.Entries[next].Name || e.Size != m.Entries[next].Size {
			return core.E(core.Conflict, "the backup changed while it was restored", "jarvis backup list", nil)
		}
		next++
		return write(root, dirs, e, body)
	})
	if err != nil {
		return err
	}
	for d := range dirs {
		if err := syncDir(filepath.Join(tmp, filepath.FromSlash(d))); err != nil {
			return fmt.Errorf("restore: %w", err)
		}
	}
	return nil
}

func write(root *os.Root, dirs map[string]bool, e Entry, body io.Reader) error {
	for d := path.Dir(e.Name); !dirs[d]; d = path.Dir(d) {
		dirs[d] = true
	}
	if err := root.MkdirAll(filepath.FromSlash(path.Dir(e.Name)), 0o700); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	name := filepath.FromSlash(e.Name)
	// Nobody but the owner reads a home, whatever the backup says.
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600|e.Mode&0o100)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	_, err = io.Copy(f, body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("restore %s: %w", e.Name, err)
	}
	return nil
}
