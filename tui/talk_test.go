//go:build unix

package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/tui/view"
)

// stage runs a conversation on an emulated terminal; type_ writes to it, see waits for text.
type stage struct {
	*terminal
	t    *testing.T
	k    *talk
	in   chan []byte
	done chan error
}

func newStage(t *testing.T, d *fakeDaemon, w, h int) *stage {
	t.Helper()
	e := newTerminal(t, w, h)
	getenv := func(name string) string { return map[string]string{"TERM": "xterm"}[name] }
	c := &chat{d: d, getenv: getenv, now: time.Now, opt: view.Options{Width: w, Theme: view.Dark()}}
	in := make(chan []byte)
	k := &talk{
		chat: c, sc: newScreen(e.tty, w, h, false), ed: &editor{folded: foldLabel(c.say)}, in: in, pace: pace{now: c.now},
		size: func() (int, int, error) { return w, h, nil },
	}
	for _, cmd := range commands() {
		k.ed.names = append(k.ed.names, cmd.name)
	}
	return &stage{terminal: e, t: t, k: k, in: in, done: make(chan error, 1)}
}

func (s *stage) start() *stage {
	go func() { s.done <- s.k.run(context.Background()) }()
	return s
}

func (s *stage) write(text string) { s.in <- []byte(text) }

// see waits until the terminal shows text.
func (s *stage) see(text string) {
	s.t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		shown := strings.Join(s.text(), "\n")
		if strings.Contains(shown, text) {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%q is not shown:\n%s", text, shown)
		}
	}
}

// end waits for the end and gives all that was shown.
func (s *stage) end() string {
	s.t.Helper()
	select {
	case err := <-s.done:
		if err != nil {
			s.t.Fatal(err)
		}
	case <-time.After(5 * time.Second):
		s.t.Fatalf("the conversation does not end:\n%s", strings.Join(s.text(), "\n"))
	}
	s.finish()
	if s.CursorHidden() {
		s.t.Error("the cursor stays hidden")
	}
	return strings.Join(s.text(), "\n")
}

func TestOnlyADaemonThatHasNoModelIsGreetedSo(t *testing.T) {
	const lacks = "No language model is connected"
	for _, tc := range []struct {
		model, answers string
		want           bool
	}{{"builtin/offline", "", true}, {"", "", false}, {"test/one", "", false}, {"test/one", "builtin/offline", false}} {
		s := newStage(t, &fakeDaemon{}, 100, 16)
		s.k.answers = tc.answers
		s.k.greet(api.Status{Model: tc.model, Version: "0.1.0"}, nil)
		s.start()
		s.see("Ctrl-D leaves")
		s.write("\x04")
		if got := s.end(); strings.Contains(got, lacks) != tc.want {
			t.Errorf("%+v: %s", tc, got)
		}
	}
}

func TestConversation(t *testing.T) {
	d := &fakeDaemon{script: says("It is **408**.\n\n- one\n- two\n")}
	s := newStage(t, d, 70, 16)
	c := s.k
	c.greet(api.Status{Model: "test/one", Version: "0.1.0"}, nil)
	s.start()
	s.see("test/one answers")
	s.write("What is 17% of 2,400?\r")
	s.see("• two")
	s.write("/sessions\r")
	s.see(`One\x1b[31m`)
	s.write("\x04")
	got := s.end()
	want := `jarvis 0.1.0 · test/one answers
Ctrl-D leaves, Ctrl-C stops an answer, /help shows the rest.

› What is 17% of 2,400?

It is 408.

• one
• two

› /sessions

  * abc123  1970-01-01 00:00  One\x1b[31m
  Open one: jarvis chat ID

Come back with: jarvis chat abc123`
	got = strings.ReplaceAll(got, time.Unix(0, 0).Local().Format("2006-01-02 15:04"), "1970-01-01 00:00")
	if got != want {
		t.Errorf("shown:\n%s\n\nwant:\n%s", got, want)
	}
	if a := d.requests(); len(a) != 1 || a[0].Origin != "tui" || a[0].OnDisconnect != core.Continue || a[0].Content != "What is 17% of 2,400?" {
		t.Errorf("asked: %+v", a)
	}
}

func TestCtrlCStopsTheAnswerAndKeepsWhatCame(t *testing.T) {
	stop := make(chan struct{})
	d := &fakeDaemon{stop: stop}
	d.script = func(ctx context.Context, _ api.Chat, yield func(core.Event) bool) error {
		yield(core.Event{Type: core.EventText, Text: "Half of the ans"})
		select {
		case <-stop:
		case <-ctx.Done():
			return ctx.Err()
		}
		yield(core.Event{Type: core.EventDone, Text: "Half of the ans"}.With(core.DoneData{StopReason: core.Stopped}))
		return nil
	}
	s := newStage(t, d, 60, 16).start()
	s.write("go\r")
	s.see("Half of the ans")
	s.write("\x03")
	s.see("what had come is kept")
	s.write("\x03")
	s.see("Ctrl-C again")
	s.write("\x03")
	if got := s.end(); strings.Contains(got, "Ctrl-C again") || !strings.Contains(got, "Half of the ans\n\n· stopped") {
		t.Errorf("shown:\n%s", got)
	}
	if len(d.stopped) != 1 || d.stopped[0] != "chain-1" {
		t.Errorf("stopped %v", d.stopped)
	}
}

func TestPastedLinesAreOneMessage(t *testing.T) {
	d := &fakeDaemon{script: says("ok")}
	s := newStage(t, d, 60, 16).start()
	s.write("\x1b[200~first\r\nsecond\nthird\x1b[2")
	s.write("01~")
	s.see("third")
	s.write(" and\\\rmore\r")
	s.see("ok")
	s.write("\x04")
	s.end()
	if a := d.requests(); len(a) != 1 || a[0].Content != "first\nsecond\nthird and\nmore" {
		t.Errorf("asked: %+v", a)
	}
}

func TestTypedWhileAnsweringWaits(t *testing.T) {
	next := make(chan struct{})
	d := &fakeDaemon{}
	d.script = func(_ context.Context, req api.Chat, yield func(core.Event) bool) error {
		yield(core.Event{Type: core.EventText, Text: "answer to " + req.Content})
		if req.Content == "one" {
			<-next
		}
		yield(core.Event{Type: core.EventDone}.With(core.DoneData{StopReason: core.EndTurn}))
		return nil
	}
	s := newStage(t, d, 60, 16).start()
	s.write("one\r")
	s.see("answer to one")
	s.write("two")
	s.see("› two")
	s.write("\r")
	s.see("then: two")
	s.write("/exit\r")
	close(next)
	if got := s.end(); !strings.Contains(got, "› one\n\nanswer to one\n\n› two\n\nanswer to two\n") {
		t.Errorf("shown:\n%s", got)
	}
}

func TestReopenedConversationGoesOn(t *testing.T) {
	d := &fakeDaemon{
		session: core.Session{ID: fakeSession}, chain: core.Chain{State: core.Running},
		messages: []core.Message{
			{Chain: "a", Role: core.RoleUser, Type: core.TypeText, Text: "earlier question"},
			{Chain: "a", Role: core.RoleAssistant, Type: core.TypeText, Text: "earlier *answer*"},
			{Chain: "b", Role: core.RoleUser, Type: core.TypeText, Text: "running question"},
			{Chain: "b", Role: core.RoleAssistant, Type: core.TypeText, Text: "half of it", Partial: true},
		},
		script: says("the whole of it"),
	}
	s := newStage(t, d, 60, 20)
	if _, err := s.k.connect(t.Context(), "abc123"); err != nil {
		t.Fatal(err)
	}
	if err := s.k.resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.start()
	s.see("the whole of it")
	s.write("\x1b[A")
	s.see("› running question\n\nthe whole of it\n\n› running question")
	s.write("\x15\x04")
	got := s.end()
	if !strings.Contains(got, "› earlier question\n\nearlier answer\n\n› running question\n\nthe whole of it") || strings.Contains(got, "half") {
		t.Errorf("shown:\n%s", got)
	}
	if _, err := s.k.connect(t.Context(), "fffff1"); api.Exit(err) != api.ExitNotFound {
		t.Errorf("an unknown session: %v", err)
	}
}

func TestErrorsSayTheNextCommand(t *testing.T) {
	d := &fakeDaemon{script: func(_ context.Context, _ api.Chat, yield func(core.Event) bool) error {
		yield(core.Event{Type: core.EventError}.With(core.ErrorData{Code: core.UpstreamUnavailable, Message: "no \x1b[2Jmodel", Hint: "jarvis model test x"}))
		return nil
	}}
	s := newStage(t, d, 60, 16).start()
	s.write("hi\r")
	s.see("Try: jarvis model test x")
	s.write("/exit\r")
	if got := s.end(); !strings.Contains(got, `✗ no \x1b[2Jmodel`) {
		t.Errorf("shown:\n%s", got)
	}
}
