package audit_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/store/audit"
)

func opts(path string) audit.Options {
	return audit.Options{
		Path: path, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC) },
		After: func(time.Duration, func()) func() bool { return func() bool { return true } },
	}
}

// write appends n lines in one run of a program.
func write(t *testing.T, o audit.Options, n int) {
	t.Helper()
	l := audit.Open(o)
	for i := range n {
		if err := l.Write(t.Context(), core.Audit{Action: "session.erase", User: core.Owner, Target: fmt.Sprint("s", i), OK: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func verify(t *testing.T, path string) audit.Report {
	t.Helper()
	r, err := audit.Verify(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func whole(t *testing.T, path string, lines uint64) audit.Report {
	t.Helper()
	r := verify(t, path)
	if len(r.Problems) > 0 || r.Lines != lines || r.Last != lines {
		t.Fatalf("%d lines wanted, got %+v", lines, r)
	}
	return r
}

func TestWholeLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	whole(t, path, 0)
	write(t, opts(path), 3)
	write(t, opts(path), 2)
	if r := whole(t, path, 5); len(r.Notes) != 0 || r.Files != 1 || r.First != 1 {
		t.Fatalf("%+v", r)
	}
	got, err := audit.Last(t.Context(), path, 2)
	if err != nil || len(got) != 2 || got[0].Audit.Seq != 4 || got[1].Audit.Target != "s1" {
		t.Fatalf("%+v %v", got, err)
	}
}

// Whatever is done to the lines, verify names the place.
func TestVerifyNamesThePlace(t *testing.T) {
	swap := func(ls [][]byte, i, j int) [][]byte { ls[i], ls[j] = ls[j], ls[i]; return ls }
	for name, c := range map[string]struct {
		do   func([][]byte) [][]byte
		line int
		want string
	}{
		"edited": {func(ls [][]byte) [][]byte {
			ls[3] = bytes.Replace(ls[3], []byte("s3"), []byte("s4"), 1)
			return ls
		}, 4, "was changed"},
		"removed":        {func(ls [][]byte) [][]byte { return slices.Delete(ls, 3, 5) }, 4, "lines 4 to 5 are missing"},
		"first removed":  {func(ls [][]byte) [][]byte { return ls[1:] }, 1, "line 1 is missing"},
		"reordered":      {func(ls [][]byte) [][]byte { return swap(ls, 4, 6) }, 5, "lines 5 to 6 are missing"},
		"repeated":       {func(ls [][]byte) [][]byte { return slices.Insert(ls, 4, ls[3]) }, 5, "is there twice"},
		"garbage":        {func(ls [][]byte) [][]byte { ls[2] = []byte("{}\n"); return ls }, 3, "no line of the audit file"},
		"long":           {func(ls [][]byte) [][]byte { ls[2] = append(bytes.Repeat([]byte{'x'}, 1<<20), '\n'); return ls }, 3, "no line of the audit file"},
		"cut at the end": {func(ls [][]byte) [][]byte { return ls[:7] }, 7, "lines 8 to 10 are cut off"},
		"cut in a line":  {func(ls [][]byte) [][]byte { ls[9] = ls[9][:20]; return ls }, 10, "cut off after 20 bytes"},
		"empty":          {func([][]byte) [][]byte { return nil }, 0, "lines 1 to 10 are cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			write(t, opts(path), 10)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			rewrite(t, path, bytes.Join(c.do(bytes.SplitAfter(bytes.TrimSuffix(text, []byte{}), []byte{'\n'})[:10]), nil))
			r := verify(t, path)
			if len(r.Problems) == 0 || r.Problems[0].Line != c.line || !strings.Contains(r.Problems[0].What, c.want) {
				t.Fatalf("line %d, %q wanted, got %+v", c.line, c.want, r.Problems)
			}
			// It is also seen after somebody has gone on writing.
			write(t, opts(path), 2)
			after := verify(t, path)
			if c.line != 10 && len(after.Problems) == 0 {
				t.Fatal("what was done is not seen any more")
			}
		})
	}
}

func rewrite(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A line that was forged with a hash of its own does not fit the next one, or the anchor.
func TestForgedLine(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "audit.jsonl"), filepath.Join(dir, "other.jsonl")
	write(t, opts(path), 3)
	l := audit.Open(opts(other))
	for range 3 {
		if err := l.Write(t.Context(), core.Audit{Action: "session.erase", Target: "forged", OK: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	forged, _ := os.ReadFile(other)
	lines, theirs := bytes.SplitAfter(text, []byte{'\n'}), bytes.SplitAfter(forged, []byte{'\n'})
	rewrite(t, path, bytes.Join([][]byte{theirs[0], lines[1], lines[2]}, nil))
	if r := verify(t, path); len(r.Problems) != 1 || r.Problems[0].Line != 2 {
		t.Fatalf("%+v", r.Problems)
	}
	rewrite(t, path, forged)
	if r := verify(t, path); len(r.Problems) != 1 || !strings.Contains(r.Problems[0].What, "another") {
		t.Fatalf("%+v", r.Problems)
	}
	write(t, opts(path), 1)
	if r := verify(t, path); len(r.Problems) == 0 {
		t.Fatal("the forged end is not seen any more")
	}
}

// What a kill leaves of the last line is cut off, and a line says so.
func TestTornLineIsMended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	write(t, opts(path), 3)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"seq":4,"time":"20`); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	if r := verify(t, path); len(r.Problems) != 1 || r.Problems[0].Line != 4 {
		t.Fatalf("%+v", r.Problems)
	}
	write(t, opts(path), 1)
	r := whole(t, path, 5)
	if len(r.Notes) != 1 || r.Notes[0].Line != 4 {
		t.Fatalf("%+v", r.Notes)
	}
}

func TestRotationKeepsTheChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	o := opts(path)
	o.MaxFile = 2000
	write(t, o, 30)
	r := verify(t, path)
	if len(r.Problems) > 0 || r.Files < 4 || r.Lines != 30+uint64(r.Files)-1 {
		t.Fatalf("%+v", r)
	}
	if got, err := audit.Last(t.Context(), path, 20); err != nil || len(got) != 20 || got[19].Audit.Seq != r.Last || got[0].Audit.Seq != r.Last-19 {
		t.Fatalf("%d %v", len(got), err)
	}
	// A file that is gone, and one that is cut.
	full, err := filepath.Glob(filepath.Join(audit.Folder(path), "*.jsonl"))
	if err != nil || len(full) < 3 {
		t.Fatal(full, err)
	}
	text, err := os.ReadFile(full[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(full[1]); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, path); len(r.Problems) != 1 || r.Problems[0].File != full[2] || r.Problems[0].Line != 1 {
		t.Fatalf("%+v", r.Problems)
	}
	rewrite(t, full[1], text[:len(text)-1])
	if r := verify(t, path); len(r.Problems) == 0 || r.Problems[0].File != full[1] {
		t.Fatalf("%+v", r.Problems)
	}
	rewrite(t, full[1], text)
	// A kill between the rename and the first line of the new file.
	if err := os.Rename(path, filepath.Join(audit.Folder(path), fmt.Sprintf("%020d.jsonl", 1000))); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, path); len(r.Problems) > 0 {
		t.Fatalf("%+v", r.Problems)
	}
	write(t, o, 1)
	if r := verify(t, path); len(r.Problems) > 0 {
		t.Fatalf("%+v", r.Problems)
	}
}

// Files stay where they are while they are copied.
func TestHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	o := opts(path)
	o.MaxFile = 1000
	l := audit.Open(o)
	release := l.Hold()
	for i := range 40 {
		if i == 20 {
			if _, err := os.Stat(audit.Folder(path)); err == nil {
				t.Fatal("a file was put aside meanwhile")
			}
			release()
		}
		if err := l.Write(t.Context(), core.Audit{Action: "a.b", OK: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, path); len(r.Problems) > 0 || r.Files < 2 {
		t.Fatalf("%+v", r)
	}
}

// Several processes write one chain, also while files are put aside and somebody verifies.
func TestManyWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	o := opts(path)
	o.MaxFile = 8000
	var wg sync.WaitGroup
	for range 4 { // each has files and a lock of its own, as a process has
		wg.Go(func() {
			l := audit.Open(o)
			defer func() { _ = l.Close() }()
			for range 50 {
				if err := l.Write(t.Context(), core.Audit{Action: "a.b", OK: true}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		if r, err := audit.Verify(t.Context(), path); err != nil || len(r.Problems) > 0 {
			t.Errorf("%+v %v", r.Problems, err)
		}
	}
	wg.Wait()
	if r := verify(t, path); len(r.Problems) > 0 || r.Lines != 200+uint64(r.Files)-1 {
		t.Fatalf("%+v", r)
	}
}

// A writer that is killed at any moment leaves a log that is whole, or that the next line mends.
func TestKill(t *testing.T) {
	if path := os.Getenv("AUDIT_TEST_CHILD"); path != "" {
		o := opts(path)
		o.MaxFile = 3000
		l := audit.Open(o)
		for {
			if err := l.Write(t.Context(), core.Audit{Action: "a.b", OK: true}); err != nil {
				t.Fatal(err)
			}
			fmt.Println("line")
		}
	}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	seen := 0
	for range 10 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKill$")
		cmd.Env = append(os.Environ(), "AUDIT_TEST_CHILD="+path)
		out, err := cmd.StdoutPipe()
		if err != nil || cmd.Start() != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 5*20)
		for got := 0; got < len(buf); {
			n, err := out.Read(buf[got:])
			if err != nil {
				t.Fatal(err)
			}
			got += n
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		seen += 20
	}
	write(t, opts(path), 1)
	if r := verify(t, path); len(r.Problems) > 0 || r.Lines < uint64(seen) {
		t.Fatalf("%d lines seen, %+v", seen, r)
	}
}

// Without an anchor nobody can say whether the end is the end.
func TestAnchorMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	write(t, opts(path), 3)
	if err := os.Remove(filepath.Join(filepath.Dir(path), "audit.anchor")); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, path); len(r.Problems) != 1 {
		t.Fatalf("%+v", r)
	}
	write(t, opts(path), 1)
	if r := whole(t, path, 5); len(r.Notes) != 1 {
		t.Fatalf("%+v", r)
	}
}

func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	l := audit.Open(opts(path))
	defer func() { _ = l.Close() }()
	var e *core.Error
	if err := l.Write(t.Context(), core.Audit{Action: "a.b"}); !errors.As(err, &e) || e.Hint == "" {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := l.Write(t.Context(), core.Audit{Action: "A B"}); err == nil {
		t.Fatal("a name with a space was taken")
	}
	big := core.Audit{Action: "a.b", Target: strings.Repeat("ä", 1000) + "\xff", Details: map[string]any{"x": strings.Repeat("y", 1<<20)}}
	if err := l.Write(t.Context(), big); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 2000 {
		t.Fatal(info, err)
	}
}

func FuzzParse(f *testing.F) {
	path := filepath.Join(f.TempDir(), "audit.jsonl")
	l := audit.Open(opts(path))
	if err := l.Write(f.Context(), core.Audit{Action: "a.b", Target: "x\n", OK: true, Details: map[string]any{"n": 1}}); err != nil {
		f.Fatal(err)
	}
	_ = l.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.TrimSpace(text))
	f.Add([]byte(`{"hash":"`))
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := audit.Parse(line)
		if err == nil && (a.Seq == 0 || a.Action == "" || len(a.Hash) != 64 || len(a.Prev) != 64) {
			t.Fatalf("%+v", a)
		}
		// One changed byte is seen.
		if err == nil && len(line) > 0 {
			line = bytes.Clone(line)
			line[len(line)/3] ^= 1
			if _, err := audit.Parse(line); err == nil {
				t.Fatal("a changed line is taken")
			}
		}
	})
}
