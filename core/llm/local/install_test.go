//go:build linux || darwin

package local

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"jarvis/core"
)

func TestSourcesList(t *testing.T) {
	s := DefaultSources()
	m, ok := s.model("smollm2-135m")
	if !ok || m.File.Size != 98_362_432 || m.License != "Apache-2.0" || len(m.File.URLs) == 0 {
		t.Errorf("%+v", m)
	}
	for _, l := range s.Libraries {
		if l.Archive == nil && (l.Links["libllama.so"] == "" || l.Links["libggml.so"] == "") {
			t.Errorf("%s: links %v", l.Platform, l.Links)
		}
	}
	if ls := s.libraries(); runtime.GOOS == "linux" && !slices.ContainsFunc(ls, func(l LibrarySource) bool { return l.fetchable("") }) {
		t.Error("no library for this platform that can be fetched")
	}
	// Only upstream's own addresses, pinned to what was hashed.
	upstream := regexp.MustCompile(`^https://(huggingface\.co/.+/resolve/[0-9a-f]{40}/|github\.com/.+/releases/download/)`)
	for _, m := range s.Models {
		for _, u := range m.File.URLs {
			if !upstream.MatchString(u) {
				t.Errorf("%s: %s is not upstream's, or not pinned", m.Name, u)
			}
		}
	}
	for _, l := range s.Libraries {
		for _, f := range l.parts() {
			for _, u := range f.URLs {
				if !upstream.MatchString(u) {
					t.Errorf("%s: %s is not upstream's, or not pinned", l.Platform, u)
				}
			}
		}
	}
}

func TestParseSourcesRefuses(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	ok := "models: [{name: a, file: {name: a.gguf, size: 1, sha256: " + sum + "}}]"
	if _, err := ParseSources([]byte(ok)); err != nil {
		t.Fatal(err)
	}
	for _, y := range []string{
		"models: [{nam: a}]", "models: 7", "models: [", "models: [{name: ../a, file: {name: a, size: 1, sha256: " + sum + "}}]",
		strings.Replace(ok, "a.gguf", "../a.gguf", 1), strings.Replace(ok, "size: 1", "size: 0", 1), strings.Replace(ok, sum, sum[2:], 1),
		strings.Replace(ok, sum, sum+", urls: [\"http://plain/x\"]", 1),
		"libraries: [{platform: linux, version: v1}]", "libraries: [{platform: a/b, version: ../v1}]", "libraries: [{platform: a/b, version: v, links: {a.so: b.so}}]",
	} {
		if _, err := ParseSources([]byte(y)); err == nil {
			t.Errorf("accepted %s", y)
		}
	}
}

func FuzzParseSources(f *testing.F) {
	f.Add(embedded)
	f.Add([]byte("models: [{name: a, file: {name: a.gguf, size: 1}}]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseSources(b)
		if err != nil {
			return
		}
		for _, m := range s.Models {
			if strings.ContainsAny(m.Name+m.File.Name, "/\\") {
				t.Errorf("unsafe name %q %q", m.Name, m.File.Name)
			}
		}
	})
}

type entry struct{ name, body string }

func makeZip(t *testing.T, es ...entry) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range es {
		w, err := z.Create(e.name)
		if err == nil {
			_, err = w.Write([]byte(e.body))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return writeTemp(t, "x.whl", b.Bytes())
}

func makeTgz(t *testing.T, es ...entry) string {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	for _, e := range es {
		h := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.body)), Typeflag: tar.TypeReg}
		if target, ok := strings.CutPrefix(e.body, "->"); ok {
			h.Typeflag, h.Linkname, h.Size, e.body = tar.TypeSymlink, target, 0, ""
		}
		err := w.WriteHeader(h)
		if err == nil {
			_, err = w.Write([]byte(e.body))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), gz.Close()); err != nil {
		t.Fatal(err)
	}
	return writeTemp(t, "x.tgz", b.Bytes())
}

func writeTemp(t *testing.T, name string, b []byte) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(p, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func goodArchives(t *testing.T, data map[string][]byte) (weights, libs string) {
	weights = makeZip(t, entry{"pkg/__init__.py", "x"}, entry{"pkg/tiny.gguf", string(data["tiny.gguf"])})
	libs = makeTgz(
		t, entry{"package/evil.so", "x"}, entry{"package/bins/libllama.v1.so", "machine code"},
		entry{"../../libggml-cpu.so", "more machine code"},
	)
	return weights, libs
}

func TestImport(t *testing.T) {
	src, data := fakeSources()
	weights, libs := goodArchives(t, data)
	dir := filepath.Join(t.TempDir(), "home", "models")
	seen := map[string]int64{}
	if err := importFrom(t.Context(), src, dir, weights, libs, func(f string, done, _ int64) { seen[f] = done }); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 3 || seen["tiny.gguf"] != int64(len(data["tiny.gguf"])) {
		t.Errorf("progress %v", seen)
	}
	var files []string
	err := filepath.WalkDir(filepath.Dir(filepath.Dir(dir)), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	lib := src.Libraries[0].folder()
	want := []string{lib + "/libggml-cpu.so", lib + "/libllama.so", lib + "/libllama.v1.so", "tiny/model.json", "tiny/tiny.gguf"}
	if err != nil || strings.Join(files, " ") != strings.Join(want, " ") {
		t.Errorf("files %v %v", files, err)
	}
	// again: nothing is read, nothing is written
	if err := importFrom(t.Context(), src, dir, "", "", func(string, int64, int64) { t.Error("worked again") }); err != nil {
		t.Error(err)
	}
	// what was damaged is mended
	if err := os.Remove(filepath.Join(dir, lib, "libllama.so")); err != nil {
		t.Fatal(err)
	}
	if err := importFrom(t.Context(), src, dir, "", libs, nil); err != nil {
		t.Error(err)
	}
	if err := new(checker).libsReady(t.Context(), dir, src.Libraries[0]); err != nil {
		t.Error(err)
	}
	if !t.Failed() && len(New(Options{ModelsDir: dir, Sources: src}).Installed()) != 1 {
		t.Error("not installed")
	}
}

func TestImportRefuses(t *testing.T) {
	src, data := fakeSources()
	weights, libs := goodArchives(t, data)
	weightsText := string(data["tiny.gguf"])
	junk := writeTemp(t, "junk", []byte("no archive"))
	for name, c := range map[string]struct{ weights, libs string }{
		"no weights":           {"", libs},
		"no libraries":         {weights, ""},
		"missing":              {"/nonexistent", libs},
		"no zip":               {junk, libs},
		"no tgz":               {weights, junk},
		"other size":           {makeZip(t, entry{"tiny.gguf", weightsText + "x"}), libs},
		"other content":        {makeZip(t, entry{"tiny.gguf", "W" + weightsText[1:]}), libs},
		"not there":            {makeZip(t, entry{"other.gguf", weightsText}), libs},
		"library missing":      {weights, makeTgz(t, entry{"libllama.v1.so", "machine code"})},
		"library changed":      {weights, makeTgz(t, entry{"libllama.v1.so", "Machine code"}, entry{"libggml-cpu.so", "more machine code"})},
		"library is a symlink": {weights, makeTgz(t, entry{"libllama.v1.so", "->/etc/passwd"}, entry{"libggml-cpu.so", "more machine code"})},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			err := importFrom(t.Context(), src, dir, c.weights, c.libs, nil)
			var e *core.Error
			if !errors.As(err, &e) || e.Hint == "" {
				t.Fatalf("%v", err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*", ".tmp-*")); left != nil {
				t.Errorf("left %v", left)
			}
			chk := new(checker)
			if chk.installed(t.Context(), dir, src.Models[0]) == nil && chk.libsReady(t.Context(), dir, src.Libraries[0]) == nil {
				t.Error("installed all the same")
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := importFrom(ctx, src, t.TempDir(), weights, libs, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
