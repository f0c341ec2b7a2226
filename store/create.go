package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"
)

// Source is one file that belongs into a backup.
type Source struct {
	Name string
	Mode fs.FileMode // permission bits
	// Open gives the content and how many bytes of it belong into the backup: a file that grows meanwhile is taken as long as
	// it was. fs.ErrNotExist leaves the file out: it was removed since it was listed.
	Open func() (io.ReadCloser, int64, error)
}

// Create writes a backup of the sources, in their order, and completes m with the entries. It needs memory for the manifest
// only. When it fails, w has a part of a backup that Verify refuses.
func Create(ctx context.Context, w io.Writer, m *Manifest, sources iter.Seq2[Source, error]) error {
	m.Version, m.Entries = formatVersion, []Entry{}
	c := &creator{ctx: ctx, all: sha256.New()}
	c.w = io.MultiWriter(w, c.all)
	seen := names{}
	for s, err := range sources {
		if err == nil {
			err = c.add(m, seen, s)
		}
		if err != nil {
			return fmt.Errorf("create backup: %w", err)
		}
	}
	if err := c.finish(m); err != nil {
		return fmt.Errorf("create backup: %w", err)
	}
	return nil
}

type creator struct {
	ctx context.Context //nolint:containedctx // of the one call
	w   io.Writer
	all hash.Hash // of every byte
}

func (c *creator) add(m *Manifest, seen names, s Source) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if err := seen.add(s.Name); err != nil {
		return err
	}
	if len(m.Entries) == maxEntries {
		return fmt.Errorf("more than %d files", maxEntries)
	}
	r, size, err := s.Open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // only read
	sum := sha256.New()
	if err := c.entry(s.Name, size, s.Mode, "", io.TeeReader(r, sum)); err != nil {
		return err
	}
	m.Entries = append(m.Entries, Entry{Name: s.Name, Size: size, Mode: s.Mode.Perm(), SHA256: hex.EncodeToString(sum.Sum(nil))})
	return nil
}

func (c *creator) entry(name string, size int64, mode fs.FileMode, sum string, r io.Reader) error {
	head, err := header(name, size, mode, sum)
	if err != nil {
		return err
	}
	if _, err := c.w.Write(head); err != nil {
		return err
	}
	n, err := io.CopyN(c.w, ctxReader{c.ctx, r}, size)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s became shorter while it was read: %d of %d bytes", name, n, size)
	}
	if err != nil {
		return err
	}
	_, err = c.w.Write(make([]byte, padding(size)))
	return err
}

func (c *creator) finish(m *Manifest) error {
	b, err := m.encode()
	if err != nil {
		return err
	}
	if len(b) > maxManifest {
		return errors.New("the list of files is too long")
	}
	sum := sha256.Sum256(b)
	if err := c.entry(ManifestName, int64(len(b)), 0o600, hex.EncodeToString(sum[:]), bytes.NewReader(b)); err != nil {
		return err
	}
	if _, err := c.w.Write(make([]byte, tarEnd)); err != nil {
		return err
	}
	_, err = io.WriteString(c.w, lastLine(c.all.Sum(nil)))
	return err
}

func lastLine(sum []byte) string { return linePrefix + hex.EncodeToString(sum) + "\n" }

// ctxReader stops a copy when its context ends.
type ctxReader struct {
	ctx context.Context //nolint:containedctx // of the one call
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
