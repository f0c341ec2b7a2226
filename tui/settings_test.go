//go:build unix

package tui

import (
	"context"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/tui/view"
)

// TestChangedSettingsAreSeenByARunningScreen: language and colours are others at once, in one line, and behind an answer that is
// just coming.
func TestChangedSettingsAreSeenByARunningScreen(t *testing.T) {
	next := make(chan struct{})
	d := &fakeDaemon{status: make(chan api.Status)}
	d.script = func(_ context.Context, req api.Chat, yield func(core.Event) bool) error {
		yield(core.Event{Type: core.EventText, Text: "half of "})
		<-next
		yield(core.Event{Type: core.EventText, Text: "the answer to " + req.Content})
		yield(core.Event{Type: core.EventDone}.With(core.DoneData{StopReason: core.EndTurn}))
		return nil
	}
	s := newStage(t, d, 80, 24)
	env := map[string]string{"TERM": "xterm"}
	s.k.getenv = func(name string) string { return env[name] }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.k.states = s.k.watch(ctx)
	s.start()
	d.status <- api.Status{Language: "auto", Theme: "auto"} // what is so already is not worth a word
	d.status <- api.Status{Language: "de", Theme: "auto"}
	s.see("Die Einstellungen wurden geändert: Sprache de, Farben auto.")
	s.write("/new\r")
	s.see("Dieses Gespräch ist schon neu.")
	s.write("eins\r")
	s.see("half of")
	d.status <- api.Status{Language: "en", Theme: "light"}
	close(next)
	s.see("The settings were changed: language en, theme light.")
	s.write("/exit\r")
	got := s.end()
	if strings.Count(got, "settings were changed") != 1 || strings.Count(got, "Einstellungen") != 1 {
		t.Errorf("said more than once:\n%s", got)
	}
	if !strings.Contains(got, "half of the answer to eins\n\n· The settings were changed") {
		t.Errorf("in the middle of an answer:\n%s", got)
	}
	if s.k.opt.Theme != view.Light() {
		t.Errorf("colours: %+v", s.k.opt.Theme)
	}
	if a := d.requests(); len(a) != 1 || a[0].Lang != "de" {
		t.Errorf("asked: %+v", a)
	}
}

// TestColoursThatAUserDoesNotWant: the configuration of the home does not overrule the environment of this terminal.
func TestColoursThatAUserDoesNotWant(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		st   api.Status
		want view.Theme
		lang string
	}{
		{map[string]string{"TERM": "xterm"}, api.Status{}, view.Dark(), ""},
		{map[string]string{"TERM": "xterm", "LANG": "de_DE.UTF-8"}, api.Status{Language: "auto", Theme: "auto"}, view.Dark(), "de"},
		{map[string]string{"TERM": "xterm", "LANG": "de_DE.UTF-8"}, api.Status{Language: "en", Theme: "plain"}, view.Plain(), "en"},
		{map[string]string{"TERM": "xterm", "COLORFGBG": "0;15"}, api.Status{Theme: "dark"}, view.Dark(), ""},
		{map[string]string{"TERM": "xterm", "COLORFGBG": "0;15"}, api.Status{Theme: "auto"}, view.Light(), ""},
		{map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, api.Status{Theme: "light"}, view.Plain(), ""},
		{map[string]string{"TERM": "dumb"}, api.Status{Theme: "light"}, view.Plain(), ""},
		{map[string]string{"TERM": "xterm"}, api.Status{Theme: "what a younger daemon knows"}, view.Dark(), ""},
	} {
		c := &chat{getenv: func(name string) string { return tt.env[name] }}
		c.wear(tt.st)
		if c.opt.Theme != tt.want || c.say.lang != tt.lang {
			t.Errorf("%v %+v: %q %+v", tt.env, tt.st, c.say.lang, c.opt.Theme)
		}
		if c.wear(tt.st) {
			t.Errorf("%v: the same is a change", tt.env)
		}
	}
}
