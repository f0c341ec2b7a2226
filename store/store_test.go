package store_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/store"
)

func source(name, text string) store.Source {
	return store.Source{Name: name, Mode: 0o600, Open: func() (io.ReadCloser, int64, error) {
		return io.NopCloser(strings.NewReader(text)), int64(len(text)), nil
	}}
}

func all(list ...store.Source) iter.Seq2[store.Source, error] {
	return func(yield func(store.Source, error) bool) {
		for _, s := range list {
			if !yield(s, nil) {
				return
			}
		}
	}
}

var long = "users/" + strings.Repeat("ä", 90) + "/" + strings.Repeat("n", 120)

func backup(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	list := all(source("jarvis.db", strings.Repeat("page", 200)), source("blobs/ab/empty", ""), source(long, "a long name"), source("home.id", "id\n"))
	if err := store.Create(context.Background(), &b, &store.Manifest{Made: "2026-12-01T00:00:00Z", Jarvis: "test"}, list); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every flipped byte is found; content, padding, manifest and last line are named.
func TestEveryFlippedByteIsNamed(t *testing.T) {
	good := backup(t)
	m, err := store.Verify(t.Context(), bytes.NewReader(good))
	if err != nil || len(m.Entries) != 4 {
		t.Fatalf("good backup: %v, %v", m, err)
	}
	places := map[string]int{}
	for at := range good {
		bad := bytes.Clone(good)
		bad[at] ^= 1 << (at % 8)
		_, err := store.Verify(t.Context(), bytes.NewReader(bad))
		if core.CodeOf(err) != core.BadRequest {
			t.Fatalf("byte %d: %v", at, err)
		}
		place, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "the backup is damaged in "), ": ")
		places[place]++
	}
	for place, want := range map[string]int{
		"the header of the first entry": 512, `"jarvis.db"`: 800, `the padding after "jarvis.db"`: 224,
		`"home.id"`: 3, `the padding after "home.id"`: 509, "the end of the archive": 1024, "the last line": 72,
		`the header of the entry after "jarvis.db"`: 512,
	} {
		if places[place] != want {
			t.Errorf("%s was named for %d flips, want %d", place, places[place], want)
		}
	}
	if places["the manifest"] == 0 || places["the padding after the manifest"] == 0 {
		t.Errorf("the manifest was not named: %v", places)
	}
}

func TestCutAndLongerBackupsAreRefused(t *testing.T) {
	good := backup(t)
	for n := range good {
		if _, err := store.Verify(t.Context(), bytes.NewReader(good[:n])); core.CodeOf(err) != core.BadRequest {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
	if _, err := store.Verify(t.Context(), bytes.NewReader(append(bytes.Clone(good), '\n'))); err == nil {
		t.Error("a longer backup passes")
	}
}

func TestBackupIsATar(t *testing.T) {
	r := tar.NewReader(bytes.NewReader(backup(t)))
	var names []string
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
	if want := []string{"jarvis.db", "blobs/ab/empty", long, "home.id", "manifest.json"}; strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("entries %v", names)
	}
}

func TestRestore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	if _, err := store.Restore(t.Context(), bytes.NewReader(backup(t)), dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"jarvis.db": strings.Repeat("page", 200), "blobs/ab/empty": "", long: "a long name", "home.id": "id\n"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if _, err := store.Restore(t.Context(), bytes.NewReader(backup(t)), dir); core.CodeOf(err) != core.Conflict {
		t.Errorf("over a folder with files: %v", err)
	}
	if list, _ := os.ReadDir(filepath.Dir(dir)); len(list) != 1 {
		t.Errorf("something was left behind: %v", list)
	}
}

func TestDamagedBackupRestoresNothing(t *testing.T) {
	bad := backup(t)
	bad[len(bad)-1] ^= 1
	parent := t.TempDir()
	if _, err := store.Restore(t.Context(), bytes.NewReader(bad), filepath.Join(parent, "home")); err == nil {
		t.Error("it was restored")
	}
	if list, _ := os.ReadDir(parent); len(list) != 0 {
		t.Errorf("something was written: %v", list)
	}
}

func TestNamesStayInTheFolder(t *testing.T) {
	for _, name := range []string{"", ".", "..", "../a", "a/../../b", "/etc/x", "a//b", "a/", "a\\..\\b", "a\x00b", "a\nb", "\xff", store.ManifestName, strings.Repeat("a/", 40) + "a", strings.Repeat("a", 2000)} {
		if store.ValidName(name) {
			t.Errorf("%q is valid", name)
		}
		if err := store.Create(t.Context(), io.Discard, &store.Manifest{}, all(source(name, "x"))); err == nil {
			t.Errorf("%q goes into a backup", name)
		}
	}
	for _, twice := range [][2]string{{"a", "a"}, {"a", "a/b"}, {"a/b", "a"}, {"a/b/c", "a/b"}} {
		if err := store.Create(t.Context(), io.Discard, &store.Manifest{}, all(source(twice[0], ""), source(twice[1], ""))); err == nil {
			t.Errorf("%q goes into a backup", twice)
		}
	}
}

// A tar of somebody else, with what a restore must not make, is refused at its header.
func TestForeignEntriesAreRefused(t *testing.T) {
	for what, h := range map[string]*tar.Header{
		"leaves":  {Name: "../evil", Typeflag: tar.TypeReg, Mode: 0o600},
		"rooted":  {Name: "/evil", Typeflag: tar.TypeReg, Mode: 0o600},
		"link":    {Name: "a", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		"hard":    {Name: "a", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"},
		"device":  {Name: "a", Typeflag: tar.TypeChar},
		"pipe":    {Name: "a", Typeflag: tar.TypeFifo},
		"folder":  {Name: "a/", Typeflag: tar.TypeDir},
		"records": {Name: "a", Typeflag: tar.TypeReg, Format: tar.FormatPAX, PAXRecords: map[string]string{"X.y": "z"}},
		"huge":    {Name: store.ManifestName, Typeflag: tar.TypeReg, Size: 1 << 40},
	} {
		var b bytes.Buffer
		if err := tar.NewWriter(&b).WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Verify(t.Context(), &b); core.CodeOf(err) != core.BadRequest {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestCreateWithFilesThatChange(t *testing.T) {
	gone := store.Source{Name: "gone", Open: func() (io.ReadCloser, int64, error) { return nil, 0, fs.ErrNotExist }}
	grew := store.Source{Name: "grew", Open: func() (io.ReadCloser, int64, error) {
		return io.NopCloser(strings.NewReader("12345")), 3, nil
	}}
	var b bytes.Buffer
	if err := store.Create(t.Context(), &b, &store.Manifest{}, all(gone, grew)); err != nil {
		t.Fatal(err)
	}
	if m, err := store.Verify(t.Context(), &b); err != nil || len(m.Entries) != 1 || m.Entries[0].Size != 3 {
		t.Errorf("%+v, %v", m, err)
	}
	cut := store.Source{Name: "cut", Open: func() (io.ReadCloser, int64, error) {
		return io.NopCloser(strings.NewReader("1")), 3, nil
	}}
	if err := store.Create(t.Context(), io.Discard, &store.Manifest{}, all(cut)); err == nil {
		t.Error("a file that became shorter was taken")
	}
}

func FuzzVerify(f *testing.F) {
	good := backup(f)
	f.Add(good)
	f.Add(good[:1024])
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := store.Verify(t.Context(), bytes.NewReader(b)); err == nil && len(b) < 2048 {
			t.Error("something that short is no backup")
		}
	})
}
