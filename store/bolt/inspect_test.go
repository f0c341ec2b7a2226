package bolt

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jarvis/core"
)

// tree is every file below a folder with its content, to see that nothing was changed.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(b)
	}
	return out
}

// inspect inspects a database of that content in a home that has had one, and fails when anything there changes.
func inspect(t *testing.T, content []byte, further map[string]string) (Look, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "jarvis.db")
	for name, text := range further {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if content != nil {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t, dir)
	l, err := Inspect(t.Context(), Options{Path: path})
	if after := tree(t, dir); !maps.Equal(before, after) {
		t.Error("inspecting changed the folder")
	}
	return l, err
}

func TestInspect(t *testing.T) {
	_, good := filled(t)
	used := map[string]string{"home.id": "abc\n"}
	record := []byte(strings.Replace(string(good), strings.Repeat("x", 300), strings.Repeat("x", 299)+"y", 1))
	torn := append([]byte{}, good...)
	torn[headerAt+headerSum-1] ^= 1
	for name, tt := range map[string]struct {
		content []byte
		further map[string]string
		code    core.Code
		look    func(Look) bool
	}{
		"good":          {good, used, "", func(l Look) bool { return l.Schema == l.Latest && l.Bad == 0 && l.Size == int64(len(good)) && l.Used }},
		"new home":      {nil, nil, "", func(l Look) bool { return l.Missing && !l.Used }},
		"touched":       {[]byte{}, nil, "", func(l Look) bool { return l.Missing }},
		"gone":          {nil, used, core.StoreDamaged, func(l Look) bool { return l.Missing && l.Used }},
		"emptied":       {[]byte{}, used, core.StoreDamaged, nil},
		"a page":        {good[:4096], used, core.StoreDamaged, nil},
		"half":          {good[:len(good)/2], used, core.StoreDamaged, nil},
		"garbage":       {[]byte(strings.Repeat("garbage", 5000)), used, core.StoreDamaged, nil},
		"zeros":         {make([]byte, len(good)), used, core.StoreDamaged, nil},
		"one header":    {append(make([]byte, 4096), good[4096:]...), used, core.StoreDamaged, nil},
		"torn header":   {torn, map[string]string{"jarvis.db.pid": "1\n"}, "", func(l Look) bool { return l.Crashed }},
		"another's":     {foreign(t), used, core.StoreDamaged, nil},
		"without pages": {append(append([]byte{}, good[:8192]...), make([]byte, len(good)-8192)...), used, core.StoreDamaged, nil},
		"a bad record":  {record, used, "", func(l Look) bool { return l.Bad == 1 }},
		"suspect":       {good, map[string]string{"jarvis.db.suspect": "why\n"}, "", func(l Look) bool { return l.Suspect }},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := inspect(t, tt.content, tt.further)
			if core.CodeOf(err) != tt.code {
				t.Errorf("error %v (%s), want %q", err, core.CodeOf(err), tt.code)
			}
			if tt.look != nil && !tt.look(l) {
				t.Errorf("look is %+v", l)
			}
		})
	}
}

// TestInspectFlippedBytes: whatever byte is wrong, it ends with an answer.
func TestInspectFlippedBytes(t *testing.T) {
	_, good := filled(t)
	rng := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 60 {
		bad := append([]byte{}, good...)
		bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		l, err := inspect(t, bad, nil)
		if err != nil && core.CodeOf(err) != core.StoreDamaged {
			t.Errorf("error %v (%s)", err, fullText(err))
		}
		if err != nil || l.Bad > 0 {
			found++
		}
	}
	if found == 0 {
		t.Error("no damage was found: the test flips nothing that counts")
	}
}

func TestInspectWhileHeld(t *testing.T) {
	d := openT(t, Options{PID: 4711})
	l, err := Inspect(t.Context(), Options{Path: d.path})
	if err != nil || !l.Held || l.PID != 4711 {
		t.Errorf("look is %+v, %v", l, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if l, err = Inspect(t.Context(), Options{Path: d.path}); err != nil || l.Held || l.Crashed {
		t.Errorf("after the end: %+v, %v", l, err)
	}
	again, err := Open(t.Context(), Options{Path: d.path}) // it kept no lock
	if err != nil {
		t.Fatal(err)
	}
	_ = again.Close()
}

func TestInspectTellsSchemaAndNewestChange(t *testing.T) {
	l, err := func() (Look, error) {
		b, err := os.ReadFile(fixturePath(firstSchema))
		if err != nil {
			t.Fatal(err)
		}
		return inspect(t, b, nil)
	}()
	if err != nil || l.Schema != firstSchema || l.Schema >= l.Latest {
		t.Errorf("an old store is %+v, %v", l, err)
	}
	d := openT(t, Options{})
	when := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
	for i, id := range []string{"a", "b", "c"} {
		in := intakeOf("00000000-0000-7000-8000-00000000000"+id, "c"+id)
		in.Session.User = core.UserID(i + 1)
		in.Chain.User = in.Session.User
		in.Chain.Created = when.AddDate(-i, 0, 0)
		in.Session.Hidden = i == 0
		if in.Session.Hidden {
			in.Session.Cwd = "/a"
		}
		if _, _, err := d.Accept(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if l, err = Inspect(t.Context(), Options{Path: d.path}); err != nil || !l.Newest.Equal(when) {
		t.Errorf("newest is %v, %v", l.Newest, err)
	}
	d = openT(t, Options{Path: d.path})
	if err := d.update(t.Context(), "newer", func(t *tx) error { return t.put(bMeta, keySchema, 99) }); err != nil {
		t.Fatal(err)
	}
	_ = d.Close()
	if _, err = Inspect(t.Context(), Options{Path: d.path}); core.CodeOf(err) != core.Unsupported {
		t.Errorf("a store of a newer build: %v", err)
	}
}
