//go:build unix

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jarvis/core"
)

// fakeRenderer puts a shell script in the renderer's place.
func fakeRenderer(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "jarvis-tui"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("JARVIS_LIBEXEC", dir)
}

func TestADeadRendererLosesNoAnswer(t *testing.T) {
	events := []core.Event{
		{Type: core.EventNotice, Text: "a small model"},
		{Type: core.EventText, Text: "Hello, "},
		{Type: core.EventText, Text: "\x1b[31mworld"},
	}
	done := core.Event{Type: core.EventDone, Text: "Hello, \x1b[31mworld!"}.With(core.DoneData{StopReason: core.EndTurn})
	for _, tt := range []struct {
		name, script string
		wait         bool // until it is dead
	}{
		{"at once", "exit 3", true},
		{"after the first event", "read line; exit 3", false},
		{"at the end", "cat > /dev/null; exit 3", false},
		{"by a signal", "kill -9 $$", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fakeRenderer(t, tt.script)
			app, out, errs := testApp(t, nil)
			app.OutTTY, app.ErrTTY = true, true
			p := app.newPrinter(AskOptions{})
			if p.render == nil {
				t.Fatalf("no renderer: %s", errs)
			}
			if tt.wait {
				for p.render.event(core.Event{Type: core.EventState}) == nil {
				}
			}
			for _, e := range append(events, done) {
				if err := p.event(e); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.close(done); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimPrefix(out.String(), showCursor); got != "Hello, \\x1b[31mworld!\n" {
				t.Errorf("stdout %q", got)
			}
			if !strings.Contains(errs.String(), "the renderer ended") || strings.Count(errs.String(), "a small model") != 1 {
				t.Errorf("stderr %q", errs)
			}
			if app.ended(done) != nil {
				t.Error("the exit code is not the chain's")
			}
		})
	}
}

func TestWarningsWaitForTheRenderer(t *testing.T) {
	fakeRenderer(t, "cat > /dev/null")
	app, out, errs := testApp(t, nil)
	app.OutTTY = true
	p := app.newPrinter(AskOptions{})
	app.talk("the daemon is of another version")
	if errs.Len() != 0 {
		t.Errorf("said while the renderer has the terminal: %q", errs)
	}
	if err := p.close(core.Event{Type: core.EventDone, Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if errs.String() != "the daemon is of another version\n" || out.Len() != 0 {
		t.Errorf("stderr %q, stdout %q", errs, out)
	}
}

func TestAClosedStdoutIsNoDeadRenderer(t *testing.T) {
	if err := pipeError(syscall.EPIPE); !errors.Is(err, errClosedPipe) {
		t.Fatal(err)
	}
	fakeRenderer(t, "exit 3")
	app, _, _ := testApp(t, nil)
	app.OutTTY = true
	p := app.newPrinter(AskOptions{})
	var err error
	for err == nil {
		err = p.render.event(core.Event{Type: core.EventState})
	}
	if errors.Is(err, errClosedPipe) {
		t.Error("a dead renderer ends the answer as a reader that went away")
	}
	_ = p.render.close()
}
