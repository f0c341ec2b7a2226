package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"jarvis/core"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func openT(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "blobs"), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func put(t *testing.T, s *Store, content string) core.Digest {
	t.Helper()
	d, n, err := s.Put(t.Context(), strings.NewReader(content))
	if err != nil || n != int64(len(content)) {
		t.Fatalf("put: %d bytes, %v", n, err)
	}
	return d
}

func get(t *testing.T, s *Store, d core.Digest) (string, error) {
	t.Helper()
	r, err := s.Get(t.Context(), d)
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Close() }()
	b, err := io.ReadAll(r)
	return string(b), err
}

// files lists what lies in the store's folder.
func files(t *testing.T, s *Store) (names []string) {
	t.Helper()
	err := filepath.WalkDir(s.dir, func(p string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestPutAndGet(t *testing.T) {
	s := openT(t, Options{})
	for _, content := range []string{"", "hello", strings.Repeat("x", 1<<20)} {
		d := put(t, s, content)
		sum := sha256.Sum256([]byte(content))
		if string(d) != hex.EncodeToString(sum[:]) {
			t.Errorf("digest is %s", d)
		}
		if got, err := get(t, s, d); err != nil || got != content {
			t.Errorf("got %d bytes, %v", len(got), err)
		}
		if again := put(t, s, content); again != d {
			t.Errorf("the same content has digest %s", again)
		}
	}
	if got := files(t, s); len(got) != 3 {
		t.Errorf("files are %q", got)
	}
	info, err := os.Stat(files(t, s)[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a blob is %v, %v", info.Mode(), err)
	}
}

func TestPutRace(t *testing.T) {
	s := openT(t, Options{})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, _, err := s.Put(t.Context(), strings.NewReader("same")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := files(t, s); len(got) != 1 {
		t.Errorf("files are %q", got)
	}
}

func TestPutRefused(t *testing.T) {
	s := openT(t, Options{MaxSize: 10})
	put(t, s, "0123456789")
	read := &counting{r: strings.NewReader(strings.Repeat("x", 1<<20))}
	if _, _, err := s.Put(t.Context(), read); core.CodeOf(err) != core.TooLarge {
		t.Errorf("too large: %v", err)
	}
	if read.n > 64<<10 {
		t.Errorf("%d bytes were read of what is too large", read.n)
	}
	errLost := errors.New("lost")
	if _, _, err := s.Put(t.Context(), io.MultiReader(strings.NewReader("a"), iotest.ErrReader(errLost))); !errors.Is(err, errLost) {
		t.Errorf("broken reader: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Put(ctx, strings.NewReader("a")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if got := files(t, s); len(got) != 1 {
		t.Errorf("left behind: %q", got)
	}
}

type counting struct {
	r io.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

func TestDigestBecomesNoPath(t *testing.T) {
	s := openT(t, Options{})
	if err := os.WriteFile(filepath.Join(filepath.Dir(s.dir), "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, d := range []core.Digest{
		"", "..", "../secret", "../../secret", "tmp", core.Digest(strings.Repeat("A", 64)), core.Digest(strings.Repeat("../", 21) + "a"),
		core.Digest(strings.Repeat("a", 63)), core.Digest(strings.Repeat("a", 64)),
	} {
		if _, err := s.Get(t.Context(), d); core.CodeOf(err) != core.NotFound {
			t.Errorf("%q: %v", d, err)
		}
	}
}

func TestDamagedBlob(t *testing.T) {
	s := openT(t, Options{})
	d := put(t, s, "hello")
	if err := os.WriteFile(s.path(d), []byte("hellO"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, s, d); core.CodeOf(err) != core.StoreDamaged {
		t.Errorf("a flipped bit was read: %v", err)
	}
	if err := os.WriteFile(s.path(d), []byte("hel"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, s, d); core.CodeOf(err) != core.StoreDamaged {
		t.Errorf("a short file was read: %v", err)
	}
	put(t, s, "hello")
	if got, err := get(t, s, d); err != nil || got != "hello" {
		t.Errorf("putting it again gave %q, %v", got, err)
	}
}

func TestSweep(t *testing.T) {
	clock := noon
	s := openT(t, Options{Now: func() time.Time { return clock }})
	named, loose, fresh, again := put(t, s, "named"), put(t, s, "loose"), put(t, s, "fresh"), put(t, s, "again")
	for _, d := range []core.Digest{named, loose, again} {
		old := noon.Add(-25 * time.Hour)
		if err := os.Chtimes(s.path(d), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(s.path(fresh), noon, noon); err != nil {
		t.Fatal(err)
	}
	put(t, s, "again") // somebody is just about to name it
	odd := filepath.Join(s.dir, "ab", "notes.txt")
	if err := errors.Join(os.MkdirAll(filepath.Dir(odd), 0o700), os.WriteFile(odd, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	n, size, err := s.Sweep(t.Context(), func(d core.Digest) (bool, error) { return d == named, nil }, noon.Add(-24*time.Hour))
	if err != nil || n != 1 || size != 5 {
		t.Errorf("swept %d, %d bytes, %v", n, size, err)
	}
	for d, want := range map[core.Digest]bool{named: true, loose: false, fresh: true, again: true} {
		if _, err := get(t, s, d); (err == nil) != want {
			t.Errorf("%s: %v", d, err)
		}
	}
	if _, err := os.Stat(odd); err != nil {
		t.Errorf("a file that is no blob was swept: %v", err)
	}
	errStore := errors.New("store")
	_, _, err = s.Sweep(t.Context(), func(core.Digest) (bool, error) { return false, errStore }, noon.Add(time.Hour))
	if !errors.Is(err, errStore) {
		t.Errorf("a store that cannot say gave %v", err)
	}
	if _, err := get(t, s, fresh); err != nil {
		t.Errorf("a blob was swept though the store could not say: %v", err)
	}
}

func TestOpenClearsTemporary(t *testing.T) {
	s := openT(t, Options{})
	if err := os.WriteFile(filepath.Join(s.dir, tmpDir, "put-1"), bytes.Repeat([]byte("x"), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(s.dir, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := files(t, s); len(got) != 0 {
		t.Errorf("left behind: %q", got)
	}
}

func FuzzValid(f *testing.F) {
	f.Add("../../etc/passwd")
	f.Add(strings.Repeat("a", 64))
	f.Fuzz(func(t *testing.T, s string) {
		b, err := hex.DecodeString(s)
		want := err == nil && len(b) == sha256.Size && strings.ToLower(s) == s
		if Valid(core.Digest(s)) != want {
			t.Errorf("Valid(%q) = %v", s, !want)
		}
	})
}
