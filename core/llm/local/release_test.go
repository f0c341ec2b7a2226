//go:build linux || darwin

package local

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/core/llm"
)

type packed struct {
	name, text, link string
	typ              byte
}

func release(t *testing.T, ms ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	for _, m := range ms {
		h := &tar.Header{Name: m.name, Size: int64(len(m.text)), Mode: 0o755, Typeflag: tar.TypeReg, Linkname: m.link}
		if m.link != "" {
			h.Typeflag = tar.TypeSymlink
		}
		if m.typ != 0 {
			h.Typeflag = m.typ
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(m.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// releasing is a provider whose libraries come as upstream publishes them, behind builds that nobody has an address for.
func releasing(t *testing.T, archive []byte) (*Provider, *mirror) {
	t.Helper()
	src, data := fakeSources()
	f, b := fakeFile("llama-b1.tar.gz", string(archive))
	data[f.Name] = b
	m := &mirror{data: data, cut: 50}
	s := httptest.NewTLSServer(m)
	t.Cleanup(s.Close)
	f.URLs = []string{s.URL + "/base/" + f.Name}
	src.Models[0].File.URLs = []string{s.URL + "/base/tiny.gguf"}
	src.Libraries = append(src.Libraries, LibrarySource{Platform: src.Libraries[0].Platform, Version: "b1", Archive: &f})
	return New(Options{ModelsDir: t.TempDir(), Sources: src, HTTP: s.Client()}), m
}

func goodRelease() []packed {
	return []packed{
		{name: "llama-b1/llama-cli", text: "a program"},
		{name: "llama-b1/libllama.so", link: "libllama.so.0"}, // a link before what it names, and a link to a link
		{name: "llama-b1/libllama.so.0", link: "libllama.so.0.0.1"},
		{name: "llama-b1/libllama.so.0.0.1", text: "machine code"},
		{name: "llama-b1/libggml.so", text: "dispatch"},
		{name: "../../libggml-base.so", text: "base"},
		{name: "llama-b1/libggml-rpc.so", text: "a server's"},
	}
}

func TestPullARelease(t *testing.T) {
	p, m := releasing(t, release(t, goodRelease()...))
	m.cuts.Store(1)
	if o, ok := p.Offer("tiny"); !ok || o.Problem != "" || o.Size != int64(len(m.data["tiny.gguf"])+len(m.data["llama-b1.tar.gz"])) {
		t.Errorf("offer is %+v", o)
	}
	if err := p.Pull(t.Context(), "tiny", nil); err != nil {
		t.Fatal(err)
	}
	got, err := new(checker).anyLibs(t.Context(), p.opts.ModelsDir, p.src.libraries())
	if err != nil || got.Version != "b1" {
		t.Fatalf("libraries are %+v, %v", got, err)
	}
	folder := filepath.Join(p.opts.ModelsDir, got.folder())
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if s := strings.Join(names, " "); s != "libggml-base.so libggml.so libllama.so libllama.so.0 libllama.so.0.0.1 libs.json" {
		t.Errorf("unpacked: %s", s)
	}
	if b, err := os.ReadFile(filepath.Join(folder, "libllama.so")); string(b) != "machine code" {
		t.Errorf("the link leads to %q, %v", b, err)
	}
	gets := m.gets
	if err := p.Pull(t.Context(), "tiny", nil); err != nil || m.gets != gets {
		t.Errorf("again: %v, %d requests more", err, m.gets-gets)
	}
	// What is damaged is fetched anew.
	if err := os.WriteFile(filepath.Join(folder, "libggml.so"), []byte("DISPATCH"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := new(checker).anyLibs(t.Context(), p.opts.ModelsDir, p.src.libraries()); err == nil {
		t.Error("damage is not seen")
	}
	if err := p.Pull(t.Context(), "tiny", nil); err != nil {
		t.Error(err)
	}
	if _, err := new(checker).anyLibs(t.Context(), p.opts.ModelsDir, p.src.libraries()); err != nil {
		t.Error(err)
	}
}

func TestPullRefusesARelease(t *testing.T) {
	good := release(t, goodRelease()...)
	for name, c := range map[string]struct {
		archive []byte
		says    string
	}{
		"no archive":    {[]byte("not gzip"), "no gzipped tar"},
		"cut":           {good[:len(good)-20], "cannot be unpacked"},
		"nothing in it": {release(t), "libllama is not in it"},
		"twice":         {release(t, append(goodRelease(), packed{name: "x/libggml.so", text: "other"})...), "twice"},
		"dangling":      {release(t, append(goodRelease(), packed{name: "libx.so", link: "/etc/passwd"})...), "leads nowhere"},
		"loop":          {release(t, append(goodRelease(), packed{name: "liba.so", link: "libb.so"}, packed{name: "libb.so", link: "liba.so"})...), "leads nowhere"},
		"empty":         {release(t, append(goodRelease(), packed{name: "libx.so"})...), "is cut"},
		"a device":      {release(t, packed{name: "libllama.so", typ: tar.TypeChar}), "libllama is not in it"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := releasing(t, c.archive)
			err := p.Pull(t.Context(), "tiny", nil)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error is %v", err)
			}
			if _, err := new(checker).anyLibs(t.Context(), p.opts.ModelsDir, p.src.libraries()); err == nil {
				t.Error("installed all the same")
			}
		})
	}
}

// TestRealRelease: the real libraries, packed as upstream packs them, are fetched and answer.
func TestRealRelease(t *testing.T) {
	real := realProvider(t, nil)
	lib, err := new(checker).anyLibs(t.Context(), real.opts.ModelsDir, real.src.libraries())
	if err != nil {
		t.Fatal(err)
	}
	if lib.Archive != nil || len(lib.Files) == 0 {
		t.Skip("what is installed is a release already")
	}
	folder := filepath.Join(real.opts.ModelsDir, lib.folder())
	var ms []packed
	for _, f := range lib.Files {
		b, err := os.ReadFile(filepath.Join(folder, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		ms = append(ms, packed{name: "llama-b1/" + f.Name, text: string(b)})
	}
	for link, to := range lib.Links {
		ms = append(ms, packed{name: "llama-b1/" + link, link: to})
	}
	p, _ := releasing(t, release(t, ms...))
	if err := p.Pull(t.Context(), "tiny", nil); err != nil {
		t.Fatal(err)
	}
	weights := real.src.Models[0]
	p.src.Models = append(p.src.Models, weights)
	p.opts.Program = real.opts.Program
	t.Cleanup(func() { p.Close() })
	if err := os.Symlink(filepath.Join(real.opts.ModelsDir, weights.Name), filepath.Join(p.opts.ModelsDir, weights.Name)); err != nil {
		t.Fatal(err)
	}
	a := collect(t.Context(), t, small(t, p), llm.Request{Messages: []llm.Message{userText("Write one sentence about the sea.")}, MaxTokens: 30}, nil)
	if a.err != nil || a.deltas < 3 {
		t.Errorf("answer %+v", a)
	}
}

// TestAForeignRecord: libs.json is read as hostile as the archive was.
func TestAForeignRecord(t *testing.T) {
	for name, text := range map[string]string{
		"not json": "{", "other build": `{"archive":"00","files":[]}`, "path": `{"archive":"SUM","files":[{"name":"../x","size":1,"sha256":"SUM"}]}`,
	} {
		dir := t.TempDir()
		f, _ := fakeFile("a.tar.gz", "x")
		text = strings.ReplaceAll(text, "SUM", f.SHA256)
		if err := os.WriteFile(filepath.Join(dir, unpackedName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readUnpacked(dir, LibrarySource{Platform: "linux/amd64", Version: "b1", Archive: &f})
		if err == nil || core.CodeOf(err) != core.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
}
