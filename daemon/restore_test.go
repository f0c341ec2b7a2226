package daemon

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
	"jarvis/daemon/home"
	"jarvis/daemon/offline"
	"jarvis/store"
	"jarvis/store/bolt"
)

// filled is a home with a store, a key and a journal.
func filled(t *testing.T) home.Home {
	t.Helper()
	root := filepath.Join(t.TempDir(), "home")
	h, err := home.Find(func(name string) string { return map[string]string{"JARVIS_HOME": root}[name] })
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	db, err := bolt.Open(t.Context(), bolt.Options{Path: h.DB, HomeIDPath: h.ID, LockPath: h.Lock})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{filepath.Join(h.Secrets, "k"): "key", h.Config: "model: a/b\n", filepath.Join(h.Runs, "x.jsonl"): "{}\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// tree is every file of a folder with its content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(file)
		all[file] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func unchanged(t *testing.T, what string, before, after map[string]string) {
	t.Helper()
	for file, text := range before {
		if after[file] != text {
			t.Errorf("%s changed %s", what, file)
		}
	}
	for file := range after {
		if _, ok := before[file]; !ok {
			t.Errorf("%s left %s", what, file)
		}
	}
}

func pack(t *testing.T, h home.Home) string {
	t.Helper()
	var b bytes.Buffer
	l := &lister{h: h, db: h.DB, secrets: true}
	if err := store.Create(t.Context(), &b, &store.Manifest{Secrets: true}, l.all); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "b.tar")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRestoreRefusesBeforeItTouches(t *testing.T) {
	newer, mine := filled(t), filled(t)
	db, err := bbolt.Open(newer.DB, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	// As the store seals a record: the value, then the checksum of key and value.
	sealed := binary.BigEndian.AppendUint32([]byte("99"), crc32.Checksum([]byte("schema99"), crc32.MakeTable(crc32.Castagnoli)))
	err = db.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("jarvis")).Put([]byte("schema"), sealed) })
	if err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(t.TempDir(), "foreign.tar")
	var b bytes.Buffer
	err = store.Create(t.Context(), &b, &store.Manifest{}, func(yield func(store.Source, error) bool) {
		yield(store.Source{Name: "run/token", Open: func() (io.ReadCloser, int64, error) { return io.NopCloser(&bytes.Buffer{}), 0, nil }}, nil)
	})
	if err != nil || os.WriteFile(foreign, b.Bytes(), 0o600) != nil {
		t.Fatal(err)
	}
	before := tree(t, mine.Data)
	for _, c := range []struct {
		what, file string
		replace    bool
		code       core.Code
	}{
		{"a newer schema", pack(t, newer), true, core.Unsupported},
		{"an unknown part", foreign, true, core.Unsupported},
		{"a home that is not empty", pack(t, mine), false, core.Conflict},
		{"no file", "none.tar", true, core.NotFound},
	} {
		_, err := restoreBackup(t.Context(), offline.RestoreOptions{Home: mine, File: c.file, Replace: c.replace})
		if core.CodeOf(err) != c.code {
			t.Errorf("%s: %v", c.what, err)
		}
		unchanged(t, c.what, before, tree(t, mine.Data))
	}
}

// When the last step fails, everything goes back to where it was.
func TestRestoreGoesBackWhenItFails(t *testing.T) {
	h, other := filled(t), filled(t)
	staging := filepath.Join(t.TempDir(), "staging")
	if err := os.CopyFS(staging, os.DirFS(other.Data)); err != nil {
		t.Fatal(err)
	}
	before := tree(t, h.Data)
	broken := h
	broken.DB = filepath.Join(h.Data, "gone", "jarvis.db")
	r := &restorer{h: broken, stamp: "now", staging: staging}
	if err := r.swap(&store.Manifest{Secrets: true}); err == nil {
		t.Fatal("it did not fail")
	}
	unchanged(t, "the failed restore", before, tree(t, h.Data))
}

func TestRestoreIntoAnEmptyHome(t *testing.T) {
	from := filled(t)
	root := filepath.Join(t.TempDir(), "new")
	for name, env := range map[string]map[string]string{
		"flat": {"JARVIS_HOME": root},
		"xdg":  {"HOME": filepath.Join(t.TempDir(), "person")},
	} {
		h, err := home.Find(func(name string) string { return env[name] })
		if err != nil {
			t.Fatal(err)
		}
		r, err := restoreBackup(t.Context(), offline.RestoreOptions{Home: h, File: pack(t, from)})
		if err != nil || len(r.Aside) != 0 {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		for a, b := range map[string]string{from.DB: h.DB, from.ID: h.ID, from.Config: h.Config, filepath.Join(from.Secrets, "k"): filepath.Join(h.Secrets, "k")} {
			want, err := os.ReadFile(a)
			got, gerr := os.ReadFile(b)
			if err != nil || gerr != nil || !bytes.Equal(want, got) {
				t.Errorf("%s: %s is not %s: %v", name, b, a, gerr)
			}
		}
	}
}
