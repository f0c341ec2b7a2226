package local

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"jarvis/core"
)

// An upstream's release archive is known by its own hash; what it holds is recorded when it is unpacked, and is what later
// counts as whole.
const (
	unpackedName  = "libs.json"
	unpackedLibs  = 256     // files and links
	unpackedBytes = 1 << 30 // of all files: a bomb ends here
)

// unpacked is unpackedName: written last, so that a folder without one is not installed.
type unpacked struct {
	Archive string            `json:"archive"` // sha256
	Files   []File            `json:"files"`
	Links   map[string]string `json:"links"`
}

// unused are libraries of upstream's that serve other programs; what is not there cannot be loaded.
func unused() []string {
	return []string{"libmtmd", "libggml-rpc", "libllama-common", "libllama-server"}
}

// wanted reports whether a member is a library of the worker's. Its folder in the archive means nothing.
func wanted(name string) bool {
	for _, u := range unused() {
		if strings.HasPrefix(name, u) {
			return false
		}
	}
	return strings.HasPrefix(name, "lib") && fileRE.MatchString(name) &&
		(strings.Contains(name, ".so") || strings.HasSuffix(name, ".dylib"))
}

// readUnpacked gives a build with the files and links that its archive brought.
func readUnpacked(folder string, l LibrarySource) (LibrarySource, error) {
	f, err := os.Open(filepath.Join(folder, unpackedName))
	if errors.Is(err, os.ErrNotExist) {
		return l, damaged("%s is missing", unpackedName)
	}
	if err != nil {
		return l, err
	}
	defer f.Close()
	var u unpacked
	if err := json.NewDecoder(io.LimitReader(f, 256<<10)).Decode(&u); err != nil {
		return l, damaged("%s cannot be read: %v", unpackedName, err)
	}
	if u.Archive != l.Archive.SHA256 || len(u.Files) == 0 {
		return l, damaged("%s is of another build", unpackedName)
	}
	l.Archive, l.Files, l.Links = nil, u.Files, u.Links
	if err := l.check(); err != nil {
		return l, damaged("%s: %v", unpackedName, err)
	}
	return l, nil
}

// unpack takes the libraries out of a verified archive into folder, and records them.
func unpack(ctx context.Context, folder string, l LibrarySource, archive string) error {
	in, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer in.Close()
	gz, err := gzip.NewReader(in)
	if err != nil {
		return badArchive(l.Archive.Name, "is no gzipped tar archive", err)
	}
	u, err := unpackMembers(ctx, folder, tar.NewReader(io.LimitReader(gz, unpackedBytes)))
	if err != nil {
		if ctx.Err() != nil || errors.As(err, new(*core.Error)) {
			return err
		}
		if errors.As(err, new(*os.PathError)) {
			return fsError("unpack "+l.Archive.Name, err)
		}
		return badArchive(l.Archive.Name, "cannot be unpacked: "+oneLine(err.Error()), err)
	}
	u.Archive = l.Archive.SHA256
	b, err := json.MarshalIndent(u, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(folder, unpackedName), append(b, '\n'))
}

func unpackMembers(ctx context.Context, folder string, t *tar.Reader) (unpacked, error) {
	u := unpacked{Links: map[string]string{}}
	links := map[string]string{}
	seen := map[string]bool{}
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return u, err
		}
		name := path.Base(h.Name)
		if !wanted(name) || h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeSymlink {
			continue
		}
		if seen[name] || len(seen) == unpackedLibs {
			return u, fmt.Errorf("%s is in it twice, or there are too many", name)
		}
		seen[name] = true
		if h.Typeflag == tar.TypeSymlink {
			links[name] = path.Base(h.Linkname)
			continue
		}
		f, err := unpackFile(ctx, folder, name, h.Size, t)
		if err != nil {
			return u, err
		}
		u.Files = append(u.Files, f)
	}
	files := map[string]bool{}
	for _, f := range u.Files {
		files[f.Name] = true
	}
	for name := range links {
		to := links[name]
		for hop := 0; hop < 4 && !files[to]; hop++ { // a link may name a link
			to = links[to]
		}
		if !files[to] {
			return u, fmt.Errorf("link %s leads nowhere", name)
		}
		u.Links[name] = to
	}
	for _, need := range []string{"libllama", "libggml", "libggml-base"} {
		if !seen[need+".so"] && !seen[need+".dylib"] {
			return u, fmt.Errorf("%s is not in it", need)
		}
	}
	return u, linkAll(folder, u.Links)
}

func unpackFile(ctx context.Context, folder, name string, size int64, r io.Reader) (File, error) {
	file := filepath.Join(folder, name)
	w, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return File{}, fsError("unpack "+name, err)
	}
	n, err := io.Copy(w, r)
	if err = errors.Join(err, w.Sync(), w.Close()); err != nil {
		return File{}, err
	}
	if n != size || n == 0 {
		return File{}, fmt.Errorf("%s is cut", name)
	}
	sum, err := hashFile(ctx, file)
	return File{Name: name, Size: n, SHA256: sum}, err
}
