package tui

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
)

func runLines(t *testing.T, d *fakeDaemon, in string) (out, errs string, code int) {
	t.Helper()
	var o, e strings.Builder
	l := &lines{
		chat: &chat{d: d, getenv: func(string) string { return "" }, now: time.Now},
		in:   strings.NewReader(in), out: &o, err: &e,
		listen: func() (<-chan os.Signal, func()) { return nil, func() {} },
	}
	if err := l.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return o.String(), e.String(), l.code
}

func TestLinesFromAPipeAreAnsweredInOneConversation(t *testing.T) {
	d := &fakeDaemon{script: func(_ context.Context, req api.Chat, yield func(core.Event) bool) error {
		yield(core.Event{Type: core.EventText, Text: "**" + req.Content})
		yield(core.Event{Type: core.EventDone, Text: "**" + req.Content + "**"}.With(core.DoneData{StopReason: core.EndTurn}))
		return nil
	}}
	out, errs, code := runLines(t, d, "one\n\n  two  \r\n/new\nthree\n/exit\nfour\n")
	if out != "**one**\n**two**\nA new conversation. Back to the other one: jarvis chat abc123\n**three**\n" || errs != "" || code != api.ExitOK {
		t.Errorf("%q %q %d", out, errs, code)
	}
	asked := d.requests()
	if len(asked) != 3 || asked[0].Session != "" || asked[1].Session != fakeSession || asked[2].Session != "" {
		t.Errorf("asked %+v", asked)
	}
}

func TestLinesSayWhatFailedOnStderr(t *testing.T) {
	d := &fakeDaemon{script: func(_ context.Context, _ api.Chat, yield func(core.Event) bool) error {
		yield(core.Event{Type: core.EventText, Text: "half"})
		yield(core.Event{Type: core.EventError, Text: "half"}.With(core.ErrorData{Code: core.UpstreamUnavailable, Message: "gone\x07", Hint: "jarvis model test x"}))
		return nil
	}}
	out, errs, code := runLines(t, d, "one")
	if out != "half\n" || errs != "jarvis: gone\\x07\nTry: jarvis model test x\n" || code != api.ExitProvider {
		t.Errorf("%q %q %d", out, errs, code)
	}
}

func TestLinesPassOverALineThatIsTooLong(t *testing.T) {
	d := &fakeDaemon{script: says("yes")}
	out, errs, code := runLines(t, d, strings.Repeat("x", maxLine+1)+"\nshort\n"+strings.Repeat("y", 3*maxLine))
	if out != "yes\n" || strings.Count(errs, "a message of more than 10 MiB") != 2 || code != api.ExitLimit {
		t.Errorf("%q %q %d", out, errs, code)
	}
	if asked := d.requests(); len(asked) != 1 || asked[0].Content != "short" {
		t.Errorf("%d requests", len(asked))
	}
}

func FuzzReadLine(f *testing.F) {
	f.Add("one\ntwo", 3)
	f.Add(strings.Repeat("x", 100)+"\n", 20)
	f.Fuzz(func(t *testing.T, in string, limit int) {
		limit = max(limit%64, 1)
		r := bufio.NewReaderSize(strings.NewReader(in), 16)
		for _, want := range strings.SplitAfter(in, "\n") {
			got, err := readLine(r, limit)
			switch {
			case len(want) > limit:
				if !errors.Is(err, errLongLine) || got != "" {
					t.Fatalf("%d bytes: %q %v", len(want), got, err)
				}
			case got != want:
				t.Fatalf("%q, want %q", got, want)
			}
		}
	})
}

func TestARateLimitOfTheProviderIsItsError(t *testing.T) {
	d := &fakeDaemon{script: func(_ context.Context, _ api.Chat, yield func(core.Event) bool) error {
		yield(core.Event{Type: core.EventError}.With(core.ErrorData{Code: core.RateLimited, Message: "work: 429"}))
		return nil
	}}
	if _, _, code := runLines(t, d, "one"); code != api.ExitProvider {
		t.Errorf("exit %d", code)
	}
}

func TestASecondInterruptLeavesADaemonThatDoesNotAnswer(t *testing.T) {
	signals := make(chan os.Signal, 2)
	d := &hungDaemon{fakeDaemon: fakeDaemon{script: func(ctx context.Context, _ api.Chat, yield func(core.Event) bool) error {
		yield(core.Event{Type: core.EventText, Text: "half"})
		signals <- os.Interrupt
		<-ctx.Done()
		return ctx.Err()
	}}, asked: func() { signals <- os.Interrupt }}
	var o, e strings.Builder
	l := &lines{
		chat: &chat{d: d, getenv: func(string) string { return "" }, now: time.Now},
		in:   strings.NewReader("one\ntwo\n"), out: &o, err: &e,
		listen: func() (<-chan os.Signal, func()) { return signals, func() {} },
	}
	if err := l.run(t.Context()); err != nil || l.code != api.ExitStopped || o.String() != "half\n" || e.String() != "" {
		t.Errorf("%v %d %q %q", err, l.code, o.String(), e.String())
	}
}

// hungDaemon takes a stop and says nothing.
type hungDaemon struct {
	fakeDaemon
	asked func()
}

func (h *hungDaemon) Stop(ctx context.Context, _ api.ChatStop) error {
	h.asked()
	<-ctx.Done()
	return nil
}

func TestChatArgs(t *testing.T) {
	none := func(string) string { return "" }
	for _, c := range []struct {
		args    string
		session string
		offline bool
		bad     bool
	}{
		{"", "", false, false},
		{"abc123", "abc123", false, false},
		{"--no-autostart abc123", "abc123", true, false},
		{"abc123 --no-autostart", "abc123", true, false},
		{"a b", "", false, true},
		{"--what", "", false, true},
		{"--continue --model=a/b", "", false, false},
		{"--continue abc123", "", false, true},
	} {
		o, err := chatArgs(strings.Fields(c.args), none)
		s, off := o.session, o.offline
		if want := strings.HasPrefix(c.args, "--continue"); o.newest != want || (o.model == "a/b") != (want && !c.bad) {
			t.Errorf("%q: %+v", c.args, o)
		}
		if s != c.session && err == nil || off != c.offline || (err != nil) != c.bad {
			t.Errorf("%q: %q %v %v", c.args, s, off, err)
		}
	}
	if o, _ := chatArgs(nil, func(string) string { return "1" }); !o.offline {
		t.Error("JARVIS_NO_AUTOSTART is not read")
	}
}

func TestEverySentenceIsTranslatedWithItsVerbs(t *testing.T) {
	for _, m := range german.Mismatches() {
		t.Error(m)
	}
	de := speech{lang: "de"}
	for _, s := range []core.StopReason{core.Stopped, core.MaxIterations, core.OverBudget, core.TimedOut, core.Loop, core.Interrupted, core.ClientDisconnected, core.Refused} {
		if why := api.WhyStopped(s); why == "" || de.of(why) == why {
			t.Errorf("%s: %q has no German", s, why)
		}
	}
	for _, c := range commands() {
		if de.of(c.help) == c.help {
			t.Errorf("%q has no German", c.help)
		}
	}
}

func TestAnUnknownModelIsSaidAtOnce(t *testing.T) {
	c := &chat{d: &fakeDaemon{}, say: speech{}}
	lines, _ := c.modelCommand(t.Context(), "nope")
	if c.model != "" || !strings.Contains(strings.Join(lines, "\n"), "did you mean test/one") {
		t.Errorf("%q, model %q", lines, c.model)
	}
	c.modelCommand(t.Context(), "test/two")
	if c.model != "test/two" {
		t.Errorf("model %q", c.model)
	}
}

func TestTheNewestConversationGoesOn(t *testing.T) {
	d := &fakeDaemon{session: core.Session{ID: fakeSession, Model: "test/one"}}
	c := &chat{getenv: func(string) string { return "" }, d: d, say: speech{}, newest: true, model: "test/two"}
	if _, err := c.connect(t.Context(), ""); err != nil || c.session != fakeSession || c.answers != "test/two" {
		t.Errorf("%v: session %s, %s answers", err, c.session, c.answers)
	}
	if _, err := (&chat{d: d, getenv: func(string) string { return "" }, say: speech{}, model: "nope"}).connect(t.Context(), ""); core.CodeOf(err) != core.BadRequest {
		t.Errorf("an unknown model: %v", err)
	}
}
