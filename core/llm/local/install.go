package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const manifestName = "model.json"

// manifest says what an installed model's folder holds. It is written last, so a folder without one is not installed.
type manifest struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	License string `json:"license,omitempty"`
	Context int    `json:"context,omitempty"`
	Note    string `json:"note,omitempty"`
	File    File   `json:"file"`
}

func manifestOf(m ModelSource) manifest {
	return manifest(m)
}

// readManifest reads models/<name>/model.json, or describes a file that somebody put there; fs.ErrNotExist when there is neither.
func readManifest(dir, name string) (manifest, error) {
	var m manifest
	if !nameRE.MatchString(name) {
		return m, fmt.Errorf("model %.80q: %w", name, os.ErrNotExist)
	}
	f, err := os.Open(filepath.Join(dir, name, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return findOwn(dir, name)
	}
	if err != nil {
		return m, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if err := m.File.check(); err != nil {
		return m, fmt.Errorf("%s: %w", f.Name(), err)
	}
	m.Name = name
	return m, nil
}

// writeManifest makes the model installed. File and folder are synced first: an installed model is whole after a power cut.
func writeManifest(dir string, m manifest) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, m.Name, manifestName), append(b, '\n'))
}

func writeFile(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// errDamaged is a file that is not what was installed.
var errDamaged = errors.New("not what was installed")

type damage struct{ msg string }

func (d *damage) Error() string        { return d.msg }
func (d *damage) Is(target error) bool { return target == errDamaged }

func damaged(format string, args ...any) error { return &damage{fmt.Sprintf(format, args...)} }

// checker verifies files against size and sha256, once as long as their size and time stay the same: noise in a model's
// tensors loads silently, and reading gigabytes before each answer would cost seconds.
type checker struct {
	mu   sync.Mutex // guards seen
	seen map[string]stamp
}

type stamp struct {
	size int64
	time time.Time
	sum  string
}

// A file without a known hash is only looked for.
func (c *checker) verify(ctx context.Context, path string, want File) error {
	st, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return damaged("%s is missing", want.Name)
	}
	if err != nil {
		return err
	}
	if st.Size() != want.Size {
		return damaged("%s has %d bytes instead of %d", want.Name, st.Size(), want.Size)
	}
	if want.SHA256 == "" {
		return nil
	}
	now := stamp{st.Size(), st.ModTime(), want.SHA256}
	c.mu.Lock()
	known := c.seen[path] == now
	c.mu.Unlock()
	if known {
		return nil
	}
	sum, err := hashFile(ctx, path)
	if err != nil {
		return err
	}
	if sum != want.SHA256 {
		return damaged("%s differs from what was installed (sha256)", want.Name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[string]stamp{}
	}
	c.seen[path] = now
	return nil
}

func hashFile(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if err := copyHash(ctx, h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// copyHash hashes a reader, looking at ctx each megabyte.
func copyHash(ctx context.Context, h hash.Hash, r io.Reader) error {
	buf := make([]byte, 1<<20)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		h.Write(buf[:n])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// anyLibs gives the first of the builds that is installed and whole. Its error tells of the first that is there at all.
func (c *checker) anyLibs(ctx context.Context, dir string, ls []LibrarySource) (LibrarySource, error) {
	var first error
	for _, l := range ls {
		err := c.libsReady(ctx, dir, l)
		if err == nil {
			return l, nil
		}
		if _, serr := os.Stat(filepath.Join(dir, l.folder())); first == nil || serr == nil {
			first = err
		}
	}
	return LibrarySource{}, first
}

// libsReady verifies the libraries' folder, links included.
func (c *checker) libsReady(ctx context.Context, dir string, l LibrarySource) error {
	folder := filepath.Join(dir, l.folder())
	if l.Archive != nil {
		var err error
		if l, err = readUnpacked(folder, l); err != nil {
			return err
		}
	}
	for _, f := range l.Files {
		if err := c.verify(ctx, filepath.Join(folder, f.Name), f); err != nil {
			return err
		}
	}
	for link, to := range l.Links {
		if got, err := os.Readlink(filepath.Join(folder, link)); err != nil || got != to {
			return damaged("link %s is missing", link)
		}
	}
	return nil
}
