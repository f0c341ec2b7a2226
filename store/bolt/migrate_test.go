package bolt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"jarvis/core"
)

// double is a migration whose effect shows when it runs twice in one schema: it is idempotent by its mark.
func double(t *tx) error {
	if done, err := t.has(bSource, key(str("doubled"))); err != nil || done {
		return err
	}
	var n int
	if _, err := t.get(bSource, key(str("n")), &n); err != nil {
		return err
	}
	return errors.Join(t.put(bSource, key(str("n")), n*2), t.put(bSource, key(str("doubled")), true))
}

func addTen(t *tx) error {
	var n int
	if _, err := t.get(bSource, key(str("n")), &n); err != nil {
		return err
	}
	return t.put(bSource, key(str("n")), n+10)
}

func number(t *testing.T, d *DB) (n, schema int) {
	t.Helper()
	err := d.view(t.Context(), "get", func(t *tx) error {
		_, err := t.get(bSource, key(str("n")), &n)
		_, serr := t.get(bMeta, keySchema, &schema)
		return errors.Join(err, serr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n, schema
}

// first makes a closed store of schema 1 that holds the number 5.
func first(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jarvis.db")
	d := openT(t, Options{Path: path, migrations: map[int]func(*tx) error{}})
	if err := d.update(t.Context(), "put", func(t *tx) error { return t.put(bSource, key(str("n")), 5) }); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMigrate(t *testing.T) {
	path := first(t)
	two := map[int]func(*tx) error{2: double}
	three := map[int]func(*tx) error{2: double, 3: addTen}
	told := ""
	for i, c := range []struct {
		steps     map[int]func(*tx) error
		n, schema int
		told      string
	}{
		{two, 10, 2, "1-2"},
		{two, 10, 2, ""},
		{three, 20, 3, "2-3"},
	} {
		told = ""
		d := openT(t, Options{Path: path, migrations: c.steps, Migrating: func(from, to int) { told = fmt.Sprintf("%d-%d", from, to) }})
		if n, schema := number(t, d); n != c.n || schema != c.schema || told != c.told {
			t.Errorf("step %d: n %d, schema %d, told %q", i, n, schema, told)
		}
		if err := d.Check(t.Context()); err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := filepath.Glob(path + ".*"); err != nil || len(left) != 1 || left[0] != path+".lock" {
		t.Errorf("left behind: %q, %v", left, err)
	}

	_, err := Open(t.Context(), Options{Path: path, migrations: two})
	if core.CodeOf(err) != core.Unsupported || len(asides(t, path)) != 0 {
		t.Errorf("a newer schema gave %v", err)
	}
	d := openT(t, Options{Path: path, migrations: three})
	if n, _ := number(t, d); n != 20 {
		t.Errorf("n is %d after a refused start", n)
	}
}

func TestMigrateTwoSteps(t *testing.T) {
	d := openT(t, Options{Path: first(t), migrations: map[int]func(*tx) error{2: double, 3: addTen}})
	if n, schema := number(t, d); n != 20 || schema != 3 {
		t.Errorf("n %d, schema %d", n, schema)
	}
}

// TestMigrationFails: an error, a panic or a half-made copy leaves the old store as it was, and not put aside.
func TestMigrationFails(t *testing.T) {
	path := first(t)
	if err := os.WriteFile(path+".migrating", []byte("left by a crash"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]func(*tx) error{
		"error":   func(*tx) error { return errors.New("no") },
		"panic":   func(*tx) error { panic("no") },
		"damaged": func(*tx) error { return damaged(errRecord) },
	} {
		_, err := Open(t.Context(), Options{Path: path, migrations: map[int]func(*tx) error{2: double, 3: bad}})
		if core.CodeOf(err) != core.Internal || len(asides(t, path)) != 0 {
			t.Errorf("%s: got %v", name, err)
		}
		d := openT(t, Options{Path: path, migrations: map[int]func(*tx) error{}})
		if n, schema := number(t, d); n != 5 || schema != 1 {
			t.Errorf("%s: n %d, schema %d", name, n, schema)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
