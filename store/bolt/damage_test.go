package bolt

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
)

// TestDamagedFile opens files that are broken in every way: an error that says where the file is now and what to type, the
// file kept as it was, no silent empty start, and an empty one when it is asked for.
func TestDamagedFile(t *testing.T) {
	path, good := filled(t)
	cases := map[string][]byte{
		"empty":         {},
		"one byte":      good[:1],
		"one page":      good[:4096],
		"two pages":     good[:8192],
		"half a page":   good[:10000],
		"half":          good[:len(good)/2],
		"garbage":       []byte(strings.Repeat("garbage", 5000)),
		"zeros":         make([]byte, len(good)),
		"both metas":    append(make([]byte, 8192), good[8192:]...),
		"one header":    append(make([]byte, 4096), good[4096:]...),
		"other header":  append(append([]byte{}, good[:4096]...), append(make([]byte, 4096), good[8192:]...)...),
		"another's":     foreign(t),
		"without pages": append(append([]byte{}, good[:8192]...), make([]byte, len(good)-8192)...),
	}
	for name, content := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "jarvis.db")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), "home.id"), []byte("abc\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			o := Options{Path: path, Now: noon}
			_, err := Open(t.Context(), o)
			aside := path + ".damaged-20260301T120000Z"
			wantAside(t, err, aside)
			if kept, rerr := os.ReadFile(aside); rerr != nil || string(kept) != string(content) {
				t.Errorf("the file put aside has %d bytes of %d, %v", len(kept), len(content), rerr)
			}
			_, err = Open(t.Context(), o)
			wantAside(t, err, aside)
			o.New = true
			d, err := Open(t.Context(), o)
			if err != nil {
				t.Fatalf("new store: %v", err)
			}
			if d.homeID != "abc" {
				t.Errorf("home is %q", d.homeID)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if len(asides(t, path)) != 1 {
				t.Errorf("put aside are %q", asides(t, path))
			}
		})
	}
	_ = path
}

func wantAside(t *testing.T, err error, aside string) {
	t.Helper()
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.StoreDamaged || e.Hint != newStore || !strings.Contains(e.Message, aside) {
		t.Errorf("got %v (%s)", err, core.CodeOf(err))
	}
}

func foreign(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(func(t *bbolt.Tx) error { _, err := t.CreateBucket([]byte("x")); return err }), db.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestHeaderAfterCrash: a header that a crash cut off is no damage, the other one counts.
func TestHeaderAfterCrash(t *testing.T) {
	path, good := filled(t)
	good[headerAt+headerSum-1] ^= 1
	if err := errors.Join(
		os.WriteFile(path, good, 0o600), os.WriteFile(path+".pid", []byte("1\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	d := openT(t, Options{Path: path})
	if !hasN(t, d, 1) || len(asides(t, path)) != 0 {
		t.Error("a torn header was taken for damage")
	}
	if err := d.update(t.Context(), "write", putN(9000)); err != nil {
		t.Error(err)
	}
}

// TestFlippedBytes flips bytes all over a file: whatever is read is right or is an error, and nothing panics.
func TestFlippedBytes(t *testing.T) {
	_, good := filled(t)
	rng := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 60 {
		at := rng.IntN(len(good))
		bad := append([]byte{}, good...)
		bad[at] ^= 1 << rng.IntN(8)
		path := filepath.Join(t.TempDir(), "jarvis.db")
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Open(t.Context(), Options{Path: path})
		if err != nil {
			if core.CodeOf(err) != core.StoreDamaged || len(asides(t, path)) != 1 {
				t.Errorf("byte %d: %v, aside %q", at, err, asides(t, path))
			}
			found++
			continue
		}
		err = d.view(t.Context(), "all", func(tx *tx) error {
			return tx.each(bSource, nil, func(k, rec []byte) (bool, error) {
				var s string
				if err := decode(bSource, k, rec, &s); err != nil {
					return false, err
				}
				if s != strings.Repeat("x", 300) {
					return false, fmt.Errorf("read %q", s)
				}
				return true, nil
			})
		})
		if err != nil {
			found++
			if core.CodeOf(err) != core.StoreDamaged {
				t.Errorf("byte %d: %v (%s)", at, err, fullText(err))
			}
			if marked, _ := exists(suspectPath(path)); !marked {
				t.Errorf("byte %d: no mark for the next start", at)
			}
		}
		_ = d.Close()
	}
	if found == 0 {
		t.Error("no damage was found: the test flips nothing that counts")
	}
}

// TestDamagedRecords: they are found and spoil nothing else; only who asks for a new store has the old one put aside.
func TestDamagedRecords(t *testing.T) {
	path, good := filled(t)
	at := strings.Index(string(good), strings.Repeat("x", 300))
	bad := append([]byte{}, good...)
	for i := at; i >= 0 && i < len(bad); {
		bad[i+100] = 'y'
		next := strings.Index(string(bad[i+300:]), strings.Repeat("x", 300))
		if next < 0 {
			break
		}
		i += 300 + next
	}
	if err := os.WriteFile(path, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	d := openT(t, Options{Path: path})
	var s string
	err := d.view(t.Context(), "get", func(t *tx) error { _, err := t.get(bSource, key(u64(0)), &s); return err })
	if core.CodeOf(err) != core.StoreDamaged {
		t.Fatalf("a flipped byte was read as %q, %v", s, err)
	}
	if err := d.Check(t.Context()); core.CodeOf(err) != core.StoreDamaged {
		t.Errorf("Check says %v", err)
	}
	if err := d.update(t.Context(), "write", putN(5000)); err != nil {
		t.Errorf("one damaged record stops other writes: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d = openT(t, Options{Path: path}) // everything else is still good
	if !hasN(t, d, 5000) {
		t.Error("a good record is gone")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d = openT(t, Options{Path: path, Now: noon, New: true})
	if hasN(t, d, 5000) || len(asides(t, path)) != 1 {
		t.Errorf("a new store was asked for; put aside are %q", asides(t, path))
	}
}

func TestFalseSuspicion(t *testing.T) {
	path, _ := filled(t)
	if err := os.WriteFile(suspectPath(path), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := openT(t, Options{Path: path})
	if marked, err := exists(suspectPath(path)); err != nil || marked {
		t.Errorf("the mark stayed: %v", err)
	}
	if err := d.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestTruncatedWhileOpen: pages that vanish under a running daemon are a fault, which ends writing and nothing else.
func TestTruncatedWhileOpen(t *testing.T) {
	path, _ := filled(t)
	d := openT(t, Options{Path: path})
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	err := d.view(t.Context(), "all", func(t *tx) error {
		return t.each(bSource, nil, func(_, _ []byte) (bool, error) { return true, nil })
	})
	if core.CodeOf(err) != core.StoreDamaged {
		t.Errorf("read gave %v", err)
	}
	if err := d.update(t.Context(), "write", putN(1)); core.CodeOf(err) != core.StoreDamaged {
		t.Errorf("write gave %v", err)
	}
	if _, err := d.Stats(t.Context()); err != nil && core.CodeOf(err) != core.StoreDamaged {
		t.Errorf("stats gave %v", err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if _, err := Open(t.Context(), Options{Path: path}); core.CodeOf(err) != core.StoreDamaged {
		t.Errorf("open again: %v", err)
	}
}

func TestFaultInWrite(t *testing.T) {
	path, _ := filled(t)
	d := openT(t, Options{Path: path})
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := d.update(t.Context(), "write", putN(1)); core.CodeOf(err) != core.StoreDamaged {
			t.Errorf("write gave %v", err)
		}
	}
	if err := d.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
