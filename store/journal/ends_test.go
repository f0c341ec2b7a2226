package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jarvis/core"
)

func half(t *testing.T, path, s string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(s)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestEnds opens journals as crashes, power cuts and bad disks leave them.
func TestEnds(t *testing.T) {
	line := func(e core.Event, seq uint64) string {
		e.Seq, e.Chain = seq, id(1)
		b, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + "\n"
	}
	a, b, c, end := line(text("a"), 1), line(text("b"), 2), line(text("c"), 3), line(done(), 4)
	record := `{"record":"request","data":{"seq":9,"type":"done"}}` + "\n"
	for name, tc := range map[string]struct {
		file    string
		last    uint64
		sealed  bool
		damaged bool
	}{
		"empty":               {"", 0, false, false},
		"whole":               {a + b, 2, false, false},
		"sealed":              {a + b + c + end, 4, true, false},
		"half line":           {a + b + c[:20], 2, false, false},
		"half line of done":   {a + b + c + end[:len(end)-1], 3, false, false},
		"only half a line":    {a[:3], 0, false, false},
		"records":             {record + a + record, 1, false, false},
		"half record":         {a + record[:12], 1, false, false},
		"zeros at the end":    {a + strings.Repeat("\x00", 4096), 1, false, false},
		"zeros and a line":    {a + strings.Repeat("\x00", 100) + "\n" + b, 1, false, true},
		"garbage in between":  {a + "garbage\n" + b, 1, false, true},
		"gap":                 {a + c, 1, false, true},
		"doubled":             {a + b + b, 2, false, true},
		"cut in between":      {a + b[:30] + "\n" + c, 1, false, true},
		"seq only":            {a + `{"type":"text","seq":2,` + "\n", 1, false, true},
		"behind the end":      {a + b + c + end + a, 4, true, true},
		"half behind the end": {a + b + c + end + a[:9], 4, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := openT(t, t.TempDir(), Options{})
			if err := os.MkdirAll(filepath.Dir(path(d, id(1))), 0o700); err != nil {
				t.Fatal(err)
			}
			d.months = []string{"2026-03"}
			if err := os.WriteFile(path(d, id(1)), []byte(tc.file), 0o600); err != nil {
				t.Fatal(err)
			}
			l := logT(t, d, id(1))
			if l.Last() != tc.last || l.Sealed() != tc.sealed {
				t.Errorf("last %d, sealed %v", l.Last(), l.Sealed())
			}
			if _, err := os.Stat(path(d, id(1)) + damagedSuffix); (err == nil) != tc.damaged {
				t.Errorf("rest put aside: %v", err)
			}
			if !tc.sealed {
				appendT(t, l, text("z"), done())
			}
			evs, err := read(t.Context(), d, id(1), 0)
			if err != nil || evs[len(evs)-1].Type != core.EventDone {
				t.Errorf("read %+v, %v", evs, err)
			}
			if got, want := textOf(evs), "abc"[:min(3, tc.last)]; got != want+"z" && (!tc.sealed || got != want) {
				t.Errorf("text is %q", got)
			}
		})
	}
}

// TestReadDamaged: a reader has everything before the damage, then the error with its place.
func TestReadDamaged(t *testing.T) {
	root := t.TempDir()
	d := openT(t, root, Options{})
	l := logT(t, d, id(1))
	appendT(t, l, text("a"), text("b"), text("c"), done())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path(d, id(1)))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte(`"text":"b"`))
	copy(b[at-60:], bytes.Repeat([]byte{0}, 60))
	if err := os.WriteFile(path(d, id(1)), b, 0o600); err != nil {
		t.Fatal(err)
	}
	evs, err := read(t.Context(), d, id(1), 0)
	first := bytes.IndexByte(b, '\n') + 1
	if textOf(evs) != "a" || core.CodeOf(err) != core.StoreDamaged || !strings.Contains(err.Error(), fmt.Sprint("byte ", first)) {
		t.Errorf("read %q, %v", textOf(evs), err)
	}
}
