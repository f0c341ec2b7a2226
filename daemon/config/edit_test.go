package config

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"jarvis/core"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s changed; run the test with -update and look at the difference", path)
	}
}

func TestSchema(t *testing.T) {
	got, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "schema.json", append(got, '\n'))
}

func TestTemplate(t *testing.T) {
	got, err := Template()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "template.yaml", got)
	// With every # of a value removed it is the defaults.
	var plain strings.Builder
	for line := range strings.Lines(string(got)) {
		if strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "# ") {
			plain.WriteString(line[1:])
		}
	}
	c, w, err := Parse("template", []byte(plain.String()), nil)
	if err != nil || len(w) != 0 {
		t.Fatalf("%v %v\n%s", w, err, plain.String())
	}
	a, err := c.Rows()
	if err != nil {
		t.Fatal(err)
	}
	b, err := Default().Rows()
	if err != nil {
		t.Fatal(err)
	}
	for i := range b {
		if a[i].Path != b[i].Path || a[i].Value != b[i].Value {
			t.Errorf("%v is not the default %v", a[i], b[i])
		}
	}
}

func TestSetTextRefusesWhatItCannotKeep(t *testing.T) {
	tests := []struct {
		name, in, path, value string
		code                  core.Code
	}{
		{"a shared anchor", "model: &m a\nvision_model: *m\n", "model", "b", core.Conflict},
		{"below an alias", "providers:\n  a: &a {type: openai}\n  b: *a\n", "providers.b.type", "ollama", core.Conflict},
		{"behind the list's end", "budgets: []\n", "budgets.0.for", "all", core.Conflict},
		{"not YAML", "model: [\n", "model", "b", core.BadRequest},
		{"unknown", "", "modle", "b", core.BadRequest},
		{"below a value", "", "model.x", "b", core.BadRequest},
		{"wrong type", "", "max_tokens", "b", core.BadRequest},
		{"wrong list", "", "budgets", "all", core.BadRequest},
		{"broken YAML as value", "", "providers", "{a", core.BadRequest},
		{"unknown key in the value", "", "providers.a", "{tpye: openai}", core.BadRequest},
		{"the mask", "", "web_search.api_key", "***", core.BadRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keys, err := ParsePath(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := SetText("c.yaml", []byte(tt.in), keys, tt.value)
			if core.CodeOf(err) != tt.code {
				t.Errorf("got %q, %v", got, err)
			}
			var e *core.Error
			if !errors.As(err, &e) || e.Hint == "" {
				t.Errorf("no next command: %v", err)
			}
		})
	}
}

func TestSetOfAFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "conf", "config.yaml")
	read := func() string {
		t.Helper()
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	done, err := Set(file, "log.level", "debug", nil)
	if err != nil || done.Same || done.Config.Log.Level != "debug" || len(done.Restart) != 0 {
		t.Fatal(done, err)
	}
	if done, err = Set(file, "log.level", "debug", nil); err != nil || !done.Same {
		t.Errorf("the same again: %+v %v", done, err)
	}
	done, err = Set(file, "tls", "auto", Env{"JARVIS_TLS=off"})
	if err != nil || done.Hidden != "JARVIS_TLS" {
		t.Errorf("under a variable: %+v %v", done, err)
	}
	done, err = Set(file, "listen", "[::1]:1", nil)
	if err != nil || strings.Join(done.Restart, " ") != "listen" {
		t.Errorf("restart: %+v %v", done, err)
	}
	before := read()
	if _, err = Set(file, "listen", "0.0.0.0:x", nil); err == nil || read() != before {
		t.Error("a bad value was written")
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	// Nothing but the file lies there.
	names, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(names) != 1 {
		t.Errorf("left: %v %v", names, err)
	}
}

func TestSetKeepsALink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "dotfiles", "j.yaml"), filepath.Join(dir, "config.yaml")
	if err := os.Mkdir(filepath.Dir(real), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("dotfiles", "j.yaml"), link); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"model: a\n", "model: b\n"} { // the target is made, then changed
		if _, err := Set(link, "model", want[7:8], nil); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(real)
		info, lerr := os.Lstat(link)
		if err != nil || string(b) != want || lerr != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%q %v, %v %v", b, err, info.Mode(), lerr)
		}
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	if _, err := Set(loop, "model", "a", nil); err == nil {
		t.Error("a link to itself was written")
	}
}

func TestSetsAtOnceLoseNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if _, err := Set(file, fmt.Sprintf("aliases.a%d", i), "m", nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	c, _, err := Load(file, nil)
	if err != nil || len(c.Aliases) != 16 {
		t.Errorf("%v %v", c.Aliases, err)
	}
}

func TestPaths(t *testing.T) {
	good := map[string][]string{
		"a": {"a"}, "a.b": {"a", "b"}, `a."b.c".0`: {"a", "b.c", "0"}, `"x y"`: {"x y"}, "a-b.c_d": {"a-b", "c_d"}, `a."\"q\""`: {"a", `"q"`},
	}
	for in, want := range good {
		got, err := ParsePath(in)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) || JoinPath(got...) != in {
			t.Errorf("%s: %q %v, back %s", in, got, err, JoinPath(got...))
		}
	}
	for _, in := range []string{"", ".", "a.", ".a", "a..b", `a."b`, `a."b"c`, `""`, "a b", "a\n", strings.Repeat("a", maxPath+1)} {
		if got, err := ParsePath(in); err == nil {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, s := range []string{"a.b", `a."b.c".0`, `"\x00"`, "ä.ö", `""`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		keys, err := ParsePath(s)
		if err != nil {
			return
		}
		again, err := ParsePath(JoinPath(keys...))
		if err != nil || fmt.Sprintf("%q", again) != fmt.Sprintf("%q", keys) {
			t.Errorf("%q: %q, then %q %v", s, keys, again, err)
		}
	})
}

// FuzzSetText holds the promise for any file and value: the edit is refused, or the value is the wanted one, nothing else
// differs, and doing it again changes nothing.
func FuzzSetText(f *testing.F) {
	for _, s := range []string{
		"", "# c\n", "model: a # b\n", "log: {level: info,\n  format: json } # c\n", "log:\n  level: |\n   info\n\n  format: json\n", "log:\r\n  format: 'json'\r\n",
		"providers:\n- a\n", "aliases: {\"a\": b}\n", "---\nmodel: a\n...\n", "log: &l {level: info}\n", "log: !!map\n  level: info\n", "? log\n: level: info\n", "log:\n\n\n  # c\n", "\ufefflog: ~",
	} {
		f.Add([]byte(s), "log.level", "debug")
		f.Add([]byte(s), "aliases.a", "x: 'y\" #z")
		f.Add([]byte(s), "providers.w", "{type: openai, headers: {a: \"b\\n\"}}")
	}
	f.Fuzz(func(t *testing.T, data []byte, path, value string) {
		keys, err := ParsePath(path)
		if err != nil {
			return
		}
		out, err := SetText("c.yaml", data, keys, value)
		if err != nil {
			if _, ok := err.(*core.Error); !ok { //nolint:errorlint // the type itself is the promise
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		again, err := SetText("c.yaml", out, keys, value)
		if err != nil || string(again) != string(out) {
			t.Errorf("%q set %s to %q: %q, again %q %v", data, path, value, out, again, err)
		}
	})
}
