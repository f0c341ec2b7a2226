package payload

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jarvis/core"
)

const chain = core.ChainID("01900000-0000-7000-8000-000000000001")

func lines(all ...string) func(context.Context, core.ChainID) iter.Seq2[[]byte, error] {
	return func(context.Context, core.ChainID) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			for _, l := range all {
				if !yield([]byte(l), nil) {
					return
				}
			}
		}
	}
}

func redact() func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }
}

func read(t *testing.T, path string) []map[string]any {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if b, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	var out []map[string]any
	for d := json.NewDecoder(bytes.NewReader(b)); ; {
		var m map[string]any
		if err := d.Decode(&m); err == io.EOF {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
}

func TestView(t *testing.T) {
	msg := `{"role":"user","parts":[{"type":"text","text":"it is hunter2, \u0068unter2"}]}`
	sum := sha256.Sum256([]byte(msg))
	again := `{"sha256":"` + hex.EncodeToString(sum[:]) + `"}`
	journal := lines(
		`{"record":"start","data":{"owner":"x"}}`,
		`{"record":"request","data":{"n":1,"model":"a/b","messages":[`+msg+`],"request":{"max_tokens":4}}}`,
		`{"type":"text","seq":1,"text":"hun"}`,
		`{"type":"reasoning","seq":2,"text":"hm"}`,
		`{"type":"text","seq":3,"text":"ter2 it was"}`,
		`{"record":"opaque","data":{"provider":"p","data":"secretblob"}}`,
		`{"record":"finish","data":{"finish":"end","usage":{"input_tokens":12345678901234567890}}}`,
		`{"type":"tool_use","seq":4,"args":{"api_key":"abc123","q":"x hunter2"}}`,
		`{"record":"request","data":{"n":2,"model":"a/b","messages":[`+again+`,{"sha256":"ff"}],"request":{}}}`,
		`{"type":"done","seq":5}`,
	)
	for _, packed := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "payloads")
		l := New(Options{Dir: dir, Lines: journal, Redact: redact})
		if err := l.Write(t.Context(), chain, !packed); err != nil { // the other kind is replaced
			t.Fatal(err)
		}
		if err := l.Write(t.Context(), chain, packed); err != nil {
			t.Fatal(err)
		}
		all, err := os.ReadDir(dir)
		if err != nil || len(all) != 1 {
			t.Fatalf("files: %v %v", all, err)
		}
		got := read(t, filepath.Join(dir, all[0].Name()))
		text := fmt.Sprint(got)
		for _, bad := range []string{"hunter2", "abc123", "secretblob"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s is in %s", bad, text)
			}
		}
		kinds := []any{}
		for _, m := range got {
			kinds = append(kinds, m["type"])
		}
		if fmt.Sprint(kinds) != "[request answer finish tool_use request]" {
			t.Fatalf("lines: %v", kinds)
		}
		if got[1]["text"] != "*** it was" || got[1]["reasoning"] != "hm" {
			t.Errorf("answer: %v", got[1])
		}
		if s := fmt.Sprint(got[4]["messages"]); !strings.Contains(s, "it is ***") || !strings.Contains(s, "sha256:ff") {
			t.Errorf("second request: %s", s)
		}
		if err := l.Remove(t.Context(), chain, "../../x"); err != nil {
			t.Fatal(err)
		}
		if all, _ := os.ReadDir(dir); len(all) != 0 || l.total != 0 {
			t.Errorf("after removal: %v, %d bytes", all, l.total)
		}
	}
}

func TestBounds(t *testing.T) {
	dir := t.TempDir()
	long := `{"record":"request","data":{"messages":[{"text":"` + strings.Repeat("x", 5000) + `"}]}}`
	short := `{"record":"request","data":{"messages":[]}}`
	if err := os.WriteFile(filepath.Join(dir, "left"+newSuffix), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := New(Options{Dir: dir, Lines: lines(short, long, short), Redact: redact, MaxFile: 1000, Limit: 2000})
	for n := range 50 {
		if err := l.Write(t.Context(), core.ChainID(fmt.Sprintf("01900000-0000-7000-8000-%012d", n)), false); err != nil {
			t.Fatal(err)
		}
	}
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, e := range all {
		if e.Name() == "left"+newSuffix {
			t.Error("what a crash left is there")
		}
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
	}
	if len(all) == 0 || sum > 2000 {
		t.Errorf("%d files of %d bytes", len(all), sum)
	}
	got := read(t, filepath.Join(dir, all[0].Name()))
	if len(got) != 2 || got[1]["type"] != "cut" {
		t.Errorf("lines: %v", got)
	}
}

func TestNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		lines []string
		err   error
		bad   bool
	}{
		"no request":  {lines: []string{`{"type":"done","seq":1}`}},
		"erased":      {err: core.E(core.NotFound, "gone", "", nil)},
		"damaged":     {lines: []string{`{"record":`}, bad: true},
		"odd request": {lines: []string{`{"record":"request","data":[1]}`}, bad: true},
		"disk":        {err: io.ErrUnexpectedEOF, bad: true},
	} {
		dir := t.TempDir()
		l := New(Options{Dir: dir, Redact: redact, Lines: func(ctx context.Context, id core.ChainID) iter.Seq2[[]byte, error] {
			return func(yield func([]byte, error) bool) {
				for l, err := range lines(tt.lines...)(ctx, id) {
					if !yield(l, err) {
						return
					}
				}
				if tt.err != nil {
					yield(nil, tt.err)
				}
			}
		}})
		if err := l.Write(t.Context(), chain, true); (err != nil) != tt.bad {
			t.Errorf("%s: %v", name, err)
		}
		if all, _ := os.ReadDir(dir); len(all) != 0 {
			t.Errorf("%s: left %v", name, all)
		}
	}
}

func FuzzView(f *testing.F) {
	f.Add([]byte(`{"record":"request","data":{"messages":[{"sha256":"x"}],"tools":[1]}}`))
	f.Add([]byte(`{"type":"text","text":"hunter2"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var out bytes.Buffer
		v := &view{w: &writer{out: &out, left: 10_000}, redact: redact(), seen: map[string][]byte{}}
		_ = v.line(line)
		_ = v.line(line)
		_ = v.answer()
		if bytes.Contains(out.Bytes(), []byte("hunter2")) {
			t.Errorf("%q is in %q", "hunter2", out.Bytes())
		}
		for l := range bytes.Lines(out.Bytes()) {
			if !json.Valid(l) {
				t.Errorf("%q", l)
			}
		}
	})
}
