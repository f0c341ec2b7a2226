package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jarvis/core"
	"jarvis/daemon/api"
)

// testApp is an App whose streams are in memory and whose stdin is in, nil for none.
func testApp(t *testing.T, in *os.File) (app *App, out, errs *bytes.Buffer) {
	t.Helper()
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	home := t.TempDir()
	env := map[string]string{"JARVIS_HOME": home, "JARVIS_NO_AUTOSTART": "1"}
	return &App{In: in, Out: out, Err: errs, Getenv: func(k string) string { return env[k] }}, out, errs
}

func TestAskFlags(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want AskOptions
		err  string
	}{
		{"words", []string{"what", "is", "this"}, AskOptions{Prompt: []string{"what", "is", "this"}}, ""},
		{
			"all",
			[]string{"-s", "3fa9c1", "-m", "sonnet", "-f", "a", "-f", "b", "--system", "be brief", "--schema", "s", "--no-stream", "--raw", "--no-tools", "--private", "--timeout", "90s", "-n", "x"},
			AskOptions{Prompt: []string{"x"}, Session: "3fa9c1", Model: "sonnet", Files: []string{"a", "b"}, System: "be brief", Schema: "s", NoStream: true, Raw: true, NoTools: true, Private: true, Timeout: 90 * time.Second, NoStdin: true},
			"",
		},
		{"dash is a word", []string{"-"}, AskOptions{Prompt: []string{"-"}}, ""},
		{"after --", []string{"--", "-c"}, AskOptions{Prompt: []string{"-c"}}, ""},
		{"continue and session", []string{"-c", "-s", "3fa9c1"}, AskOptions{}, "exclude each other"},
		{"negative timeout", []string{"--timeout", "-1s", "x"}, AskOptions{}, "positive duration"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			app, _, _ := testApp(t, nil)
			var got AskOptions
			cmd := app.newAsk(func(_ context.Context, o AskOptions) error { got = o; return nil })
			cmd.SetArgs(tt.args)
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			err := cmd.ExecuteContext(t.Context())
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || exitCode(err) != api.ExitUsage {
					t.Fatalf("error %v, want %q with exit 2", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Prompt) == 0 {
				got.Prompt = nil
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// pipe gives a pipe whose writing end gets content and is closed.
func pipe(t *testing.T, content string) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	go func() {
		defer w.Close()
		io.WriteString(w, content)
	}()
	return r
}

func TestInput(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	png := "\x89PNG\r\n\x1a\n rest"
	tests := []struct {
		name   string
		o      AskOptions
		stdin  string
		prompt string
		files  []string
		code   core.Code
		says   string
	}{
		{name: "prompt alone", o: AskOptions{Prompt: []string{"a", "b"}}, prompt: "a b"},
		{name: "prompt, blank line, stdin", o: AskOptions{Prompt: []string{"sum up"}}, stdin: "text\n", prompt: "sum up\n\ntext\n"},
		{name: "stdin alone", stdin: "why?\n", prompt: "why?\n"},
		{name: "dash", o: AskOptions{Prompt: []string{"-"}}, stdin: "why?", prompt: "why?"},
		{name: "dash and words", o: AskOptions{Prompt: []string{"sum", "up", "-"}}, stdin: "x", prompt: "sum up\n\nx"},
		{name: "-n reads none", o: AskOptions{Prompt: []string{"a"}, NoStdin: true}, stdin: "text", prompt: "a"},
		{name: "empty pipe with a prompt", o: AskOptions{Prompt: []string{"a"}}, prompt: "a"},
		{name: "nothing", code: core.BadRequest, says: "no question"},
		{name: "only blanks", stdin: " \n\t", code: core.BadRequest, says: "no question"},
		{name: "NUL", o: AskOptions{Prompt: []string{"a"}}, stdin: "x\x00y", code: core.BadRequest, says: "NUL byte at offset 1"},
		{name: "not UTF-8", stdin: "ab\xff", code: core.BadRequest, says: "not UTF-8 at offset 2"},
		{name: "too much", stdin: strings.Repeat("x", usualPrompt+1), code: core.TooLarge, says: "10 MiB"},
		{name: "an image through the pipe", o: AskOptions{Prompt: []string{"what is it"}}, stdin: png, prompt: "what is it", files: []string{"stdin"}},
		{name: "-f -", o: AskOptions{Prompt: []string{"what is it"}, Files: []string{"-"}}, stdin: "plain", prompt: "what is it", files: []string{"stdin"}},
		{name: "-f file", o: AskOptions{Prompt: []string{"q"}, Files: []string{file("a.txt", "hello")}}, prompt: "q", files: []string{"a.txt"}},
		{name: "file alone", o: AskOptions{Files: []string{file("b.txt", "hello")}}, prompt: "", files: []string{"b.txt"}},
		{name: "missing file", o: AskOptions{Prompt: []string{"q"}, Files: []string{filepath.Join(dir, "none")}}, code: core.NotFound, says: "no such file"},
		{name: "folder", o: AskOptions{Prompt: []string{"q"}, Files: []string{dir}}, code: core.BadRequest, says: "it is a folder"},
		{name: "empty file", o: AskOptions{Prompt: []string{"q"}, Files: []string{file("empty", "")}}, code: core.BadRequest, says: "empty is empty"},
		{name: "large file", o: AskOptions{Prompt: []string{"q"}, Files: []string{file("big", strings.Repeat("x", usualAttachment+1))}}, code: core.TooLarge, says: "32 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			app, _, _ := testApp(t, pipe(t, tt.stdin))
			got, err := app.readInput(t.Context(), tt.o)
			if tt.code != "" {
				if core.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
					t.Fatalf("error %v (%s), want %s with %q", err, core.CodeOf(err), tt.code, tt.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, f := range got.files {
				names = append(names, f.Name)
			}
			if got.prompt != tt.prompt || !cmp.Equal(names, tt.files) {
				t.Errorf("prompt %q files %v, want %q %v", got.prompt, names, tt.prompt, tt.files)
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	done := func(stop core.StopReason) core.Event {
		return core.Event{Type: core.EventDone}.With(core.DoneData{StopReason: stop})
	}
	failed := func(code core.Code) core.Event {
		return core.Event{Type: core.EventError}.With(core.ErrorData{Code: code, Message: "it failed", Hint: "jarvis model list"})
	}
	tests := []struct {
		name string
		last core.Event
		want int
	}{
		{"end_turn", done(core.EndTurn), 0},
		{"refused", done(core.Refused), 0},
		{"max_iterations", done(core.MaxIterations), 7},
		{"timeout", done(core.TimedOut), 7},
		{"loop", done(core.Loop), 1},
		{"interrupted", done(core.Interrupted), 1},
		{"stopped", done(core.Stopped), 130},
		{"provider", failed(core.UpstreamUnavailable), 6},
		{"provider's limit", failed(core.RateLimited), 6},
		{"window", failed(core.TooLarge), 7},
		{"no end at all", core.Event{Type: core.EventText}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			app, _, errs := testApp(t, nil)
			if got := app.report(app.ended(tt.last)); got != tt.want {
				t.Errorf("exit %d, want %d (%s)", got, tt.want, errs)
			}
			if tt.last.Type == core.EventError && !strings.Contains(errs.String(), "Try: jarvis model list") {
				t.Errorf("no next command: %q", errs)
			}
		})
	}
}

func TestCommandLineMistakes(t *testing.T) {
	tests := []struct {
		args []string
		want int
		says string
	}{
		{[]string{"sesion"}, 2, "jarvis session"},
		{[]string{"ask", "--nope"}, 2, "jarvis ask --help"},
		{[]string{"session", "show"}, 2, "jarvis session list"},
		{[]string{"session", "list", "-n", "0"}, 2, "number from 1"},
		{[]string{"session", "list", "-o", "xml"}, 2, "table, json or yaml"},
		{[]string{"todo", "done", "first"}, 2, "no number"},
		{[]string{"todo", "list"}, 3, "jarvis daemon start"},
		{[]string{"ask", "-n", "x"}, 3, "jarvis daemon start"},
		{[]string{"daemon", "status"}, 3, ""},
		{[]string{"todo", "list", "--user", "anna"}, 1, "owner"},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			app, _, errs := testApp(t, nil)
			if got := app.Run(t.Context(), tt.args); got != tt.want {
				t.Errorf("exit %d, want %d: %s", got, tt.want, errs)
			}
			if !strings.Contains(errs.String(), tt.says) {
				t.Errorf("stderr %q does not say %q", errs, tt.says)
			}
		})
	}
}

func TestClosedPipeIsQuiet(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	p := printer{app: &App{Out: w, Err: io.Discard}, stream: true, out: w}
	if err := p.event(core.Event{Type: core.EventText, Text: "hello"}); !errors.Is(err, errClosedPipe) {
		t.Fatalf("error %v, want errClosedPipe", err)
	}
}

func TestPrinterFillsWhatAConnectionLost(t *testing.T) {
	var out bytes.Buffer
	p := printer{app: &App{Out: &out, Err: io.Discard}, stream: true, out: &out}
	if err := p.event(core.Event{Type: core.EventText, Text: "Hel"}); err != nil {
		t.Fatal(err)
	}
	if err := p.close(core.Event{Type: core.EventDone, Text: "Hello, \x1b[31mworld"}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "Hello, \x1b[31mworld" {
		t.Errorf("piped output %q: not exactly the model's bytes", got)
	}
}
