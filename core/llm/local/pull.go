package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jarvis/core"
)

const (
	pullTries = 6                // attempts at one address that each brought something
	pullStall = 60 * time.Second // without a byte
)

// download is one Pull: where it fetches from, into what.
type download struct {
	p        *Provider
	mirror   string
	http     *http.Client
	progress func(file string, done, total int64)
}

// Pull installs a model of the list, and llama.cpp's libraries when they are not there. What is installed and whole is left
// alone, a download that broke off goes on where it stopped, and nothing is in place before its size and sha256 are right.
// progress may be nil; it gets a file's name and its bytes.
func (p *Provider) Pull(ctx context.Context, name string, progress func(file string, done, total int64)) error {
	name = strings.TrimPrefix(name, Name+"/")
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	m, ok := p.src.model(name)
	if !ok {
		return core.E(core.NotFound, "there is no model local/"+printable(name)+" to fetch", "jarvis model list", nil)
	}
	libs := p.src.libraries()
	if len(libs) == 0 {
		return core.E(core.Unsupported, "there is no llama.cpp for this system and processor", "jarvis setup", nil)
	}
	d, ok := p.claim(name, progress)
	if !ok {
		return core.E(core.Conflict, "local/"+name+" is being fetched already", "jarvis model list", nil)
	}
	defer p.unclaim(name)
	_, missing := p.check.anyLibs(ctx, p.opts.ModelsDir, libs)
	from := slices.IndexFunc(libs, func(l LibrarySource) bool { return l.fetchable(d.mirror) })
	if missing != nil && from < 0 {
		return core.E(core.Unsupported, "llama.cpp's libraries are not installed, and no address is known to fetch them from", "jarvis config set model_mirror URL   # or, in jarvis's source folder: make local-model", nil)
	}
	if p.check.installed(ctx, p.opts.ModelsDir, m) != nil {
		if err := d.model(ctx, m); err != nil {
			return err
		}
	}
	if missing != nil {
		return d.libs(ctx, libs[from])
	}
	return ctx.Err()
}

func (p *Provider) claim(name string, progress func(string, int64, int64)) (*download, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pulling[name] {
		return nil, false
	}
	p.pulling[name] = true
	return &download{p: p, mirror: p.mirror, http: p.http, progress: progress}, true
}

func (p *Provider) unclaim(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pulling, name)
}

func (d *download) model(ctx context.Context, m ModelSource) error {
	folder := filepath.Join(d.p.opts.ModelsDir, m.Name)
	part, err := d.fetch(ctx, folder, m.File)
	if err != nil {
		return err
	}
	if err := os.Rename(part, filepath.Join(folder, m.File.Name)); err != nil {
		return fsError("fetch "+m.File.Name, err)
	}
	if err := writeManifest(d.p.opts.ModelsDir, manifestOf(m)); err != nil {
		return fsError("fetch "+m.File.Name, err)
	}
	return nil
}

// libs collects the libraries in a folder that survives a broken download, then puts a whole one in place.
func (d *download) libs(ctx context.Context, l LibrarySource) error {
	parts := filepath.Join(d.p.opts.ModelsDir, filepath.FromSlash(l.folder())+".part")
	files := l.parts()
	paths := make([]string, len(files))
	for i, f := range files {
		var err error
		if paths[i], err = d.fetch(ctx, parts, f); err != nil {
			return err
		}
	}
	err := installLibs(d.p.opts.ModelsDir, l, func(folder string) error {
		if l.Archive != nil {
			return unpack(ctx, folder, l, paths[0])
		}
		for i, f := range files {
			if err := os.Rename(paths[i], filepath.Join(folder, f.Name)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := os.RemoveAll(parts); err != nil {
		return fsError("fetch libraries", err)
	}
	return nil
}

// addresses are where a file may come from.
func (d *download) addresses(f File) ([]string, error) {
	if d.mirror == "" {
		return f.URLs, nil
	}
	u, err := url.Parse(d.mirror)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, core.E(core.BadRequest, "model_mirror is no http(s) address", "jarvis config get model_mirror", err)
	}
	return []string{u.JoinPath(f.Name).String()}, nil
}

// fetch brings a file into folder and returns the path of its verified <name>.part.
func (d *download) fetch(ctx context.Context, folder string, f File) (string, error) {
	from, err := d.addresses(f)
	if err != nil {
		return "", err
	}
	if len(from) == 0 {
		return "", core.E(core.Unsupported, "no address is known to fetch "+f.Name+" from", "jarvis config set model_mirror URL   # or, in jarvis's source folder: make local-model", nil)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fsError("fetch "+f.Name, err)
	}
	part := filepath.Join(folder, f.Name+".part")
	var last error
	for _, u := range from {
		if last = d.fetchFrom(ctx, u, part, f); last == nil {
			return part, nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		var disk *diskError
		if errors.As(last, &disk) {
			return "", fsError("fetch "+f.Name, disk.err)
		}
	}
	var e *core.Error
	if errors.As(last, &e) {
		return "", e
	}
	return "", core.E(core.UpstreamUnavailable, fmt.Sprintf("%s cannot be fetched: %s", f.Name, oneLine(last.Error())),
		"jarvis config set model_mirror URL   # when another server has it", last)
}

// diskError is a failure of our own disk: no other address helps.
type diskError struct{ err error }

func (e *diskError) Error() string { return e.err.Error() }
func (e *diskError) Unwrap() error { return e.err }

// fetchFrom tries one address as long as each attempt brings something, then verifies the whole.
func (d *download) fetchFrom(ctx context.Context, addr, part string, f File) error {
	for try := 1; ; try++ {
		before := sizeOf(part)
		if before < f.Size {
			err := d.attempt(ctx, addr, part, f)
			var cut *cutError
			if errors.As(err, &cut) && try < pullTries && sizeOf(part) > before && ctx.Err() == nil {
				continue
			}
			if err != nil {
				return err
			}
		}
		sum, err := hashFile(ctx, part)
		if err != nil {
			return &diskError{err}
		}
		if sizeOf(part) == f.Size && sum == f.SHA256 {
			return nil
		}
		if err := os.Remove(part); err != nil {
			return &diskError{err}
		}
		if before > 0 && try == 1 {
			continue // what lay there was not the beginning of this file: once more from the start
		}
		return core.E(core.UpstreamUnavailable, "what "+hostOf(addr)+" sent is not "+f.Name+" (sha256 differs)", "jarvis config get model_mirror", errDamaged)
	}
}

// cutError is a connection that ended before the file did.
type cutError struct{ err error }

func (e *cutError) Error() string { return e.err.Error() }
func (e *cutError) Unwrap() error { return e.err }

// attempt makes one request and appends what comes to part.
func (d *download) attempt(ctx context.Context, addr, part string, f File) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stall := time.AfterFunc(pullStall, cancel)
	defer stall.Stop()
	have := sizeOf(part)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, addr, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	resp, err := d.http.Do(req)
	if err != nil {
		return noQuery(err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusPartialContent:
		if !strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)) {
			return fmt.Errorf("%s answered with another range than the one asked for", hostOf(addr))
		}
	case http.StatusOK:
		if have = 0; resp.ContentLength >= 0 && resp.ContentLength != f.Size {
			return fmt.Errorf("%s has %d bytes of it instead of %d", hostOf(addr), resp.ContentLength, f.Size)
		}
	default:
		return fmt.Errorf("%s answered %d %s", hostOf(addr), resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	w, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return &diskError{err}
	}
	err = appendBody(w, resp.Body, have, f, func(n int64) { stall.Reset(pullStall); d.progress(f.Name, n, f.Size) })
	if cerr := errors.Join(w.Sync(), w.Close()); cerr != nil && err == nil {
		err = &diskError{cerr}
	}
	return err
}

func appendBody(w *os.File, r io.Reader, have int64, f File, progress func(int64)) error {
	if err := w.Truncate(have); err != nil {
		return &diskError{err}
	}
	if _, err := w.Seek(have, io.SeekStart); err != nil {
		return &diskError{err}
	}
	buf := make([]byte, 256<<10)
	for {
		n, err := r.Read(buf)
		if have+int64(n) > f.Size {
			return errors.New("more came than the file has")
		}
		if _, werr := w.Write(buf[:n]); werr != nil {
			return &diskError{werr}
		}
		have += int64(n)
		if n > 0 {
			progress(have)
		}
		switch {
		case errors.Is(err, io.EOF) && have == f.Size:
			return nil
		case err != nil && have == f.Size:
			return nil
		case errors.Is(err, io.EOF):
			return &cutError{fmt.Errorf("the connection ended after %d of %d bytes", have, f.Size)}
		case err != nil:
			return &cutError{fmt.Errorf("the connection broke after %d of %d bytes: %w", have, f.Size, noQuery(err))}
		}
	}
}

func sizeOf(path string) int64 {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err != nil {
		return 0
	}
	return st.Size()
}

func hostOf(addr string) string {
	if u, err := url.Parse(addr); err == nil {
		return u.Host
	}
	return "the server"
}

// noQuery drops the address from an HTTP client's error: behind a redirect it carries a signature.
func noQuery(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
