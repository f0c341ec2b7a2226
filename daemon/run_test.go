package daemon

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
)

func TestAskThroughTheDaemon(t *testing.T) {
	f := newFakeModel(t)
	d := start(t, Options{Home: newHome(t, f, "")})
	c := d.client(t)
	events, err := ask(t.Context(), c, api.Chat{Content: "say one two three", Origin: "cli", Cwd: "/x"})
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(events); got != "one two three" {
		t.Errorf("text %q", got)
	}
	last := events[len(events)-1]
	var done core.DoneData
	if err := last.Detail(&done); err != nil || last.Type != core.EventDone || done.StopReason != core.EndTurn || done.Model != "fake/m" {
		t.Errorf("end %+v %+v %v", last, done, err)
	}
	// What was shown is stored and can be read again.
	list, err := c.Sessions(t.Context(), true, core.Page{})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("sessions %+v %v", list, err)
	}
	m, err := c.Messages(t.Context(), core.Short(string(list.Items[0].ID)), core.Page{})
	if err != nil || len(m.Items) != 2 || m.Items[1].Text != "one two three" {
		t.Errorf("messages %+v %v", m, err)
	}
	// And continued.
	if _, err := ask(t.Context(), c, api.Chat{Content: "say four", Continue: true, Cwd: "/x"}); err != nil {
		t.Fatal(err)
	}
	reqs := f.asked()
	if n := len(reqs[1].Messages); n < 3 {
		t.Errorf("the second request has %d messages", n)
	}
}

func TestStatusAndReadiness(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), "")})
	c := d.client(t)
	s, err := c.Status(t.Context())
	if err != nil || s.State != api.StateReady || s.PID != os.Getpid() || s.Home != d.h.Data || s.Socket != d.h.Socket || s.Listen != "" || len(s.Warnings) > 0 {
		t.Errorf("%+v %v", s, err)
	}
	for deadline := time.Now().Add(5 * time.Second); ; {
		r, err := c.Ready(t.Context())
		if err == nil && r.Ready {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("not ready: %+v %v", r, err)
		}
		time.Sleep(time.Millisecond) //nolint:forbidigo // another goroutine probes the model
	}
	if err := d.stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	s, err = c.Status(t.Context())
	if s.State != api.StateStopped || !errors.Is(err, client.ErrUnreachable) {
		t.Errorf("stopped: %+v %v", s, err)
	}
	for _, gone := range []string{d.h.Socket, d.h.Token} {
		if _, err := os.Lstat(gone); err == nil {
			t.Errorf("%s is left", gone)
		}
	}
}

func TestASecondDaemonIsRefused(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), "")})
	err := Run(t.Context(), Options{Home: d.h, LockWait: time.Millisecond})
	if core.CodeOf(err) != core.Conflict || !strings.Contains(err.Error(), "pid") {
		t.Errorf("got %v", err)
	}
	if _, err := d.client(t).Status(t.Context()); err != nil {
		t.Errorf("the first daemon suffered: %v", err)
	}
}

func TestABusyPort(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	addr := l.Addr().String()
	f := newFakeModel(t)
	h := newHome(t, f, "listen: "+addr+"\n")
	d := start(t, Options{Home: h})
	s, err := d.client(t).Status(t.Context())
	if err != nil || s.State != api.StateDegraded || s.Listen != "" || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], addr) {
		t.Errorf("%+v %v", s, err)
	}
	if err := d.stop(); err != nil {
		t.Fatal(err)
	}
	// In the foreground the address that the file names is meant.
	if err := Run(t.Context(), Options{Home: h, Foreground: true}); core.CodeOf(err) != core.Conflict {
		t.Errorf("foreground: %v", err)
	}
}

func TestWhatAKilledDaemonLeftIsNoObstacle(t *testing.T) {
	h := newHome(t, newFakeModel(t), "")
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: h.Socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	if err := os.WriteFile(h.Token, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := start(t, Options{Home: h})
	if _, err := d.client(t).Status(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAFileInPlaceOfTheSocketStays(t *testing.T) {
	h := newHome(t, newFakeModel(t), "")
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Socket, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), Options{Home: h}); core.CodeOf(err) != core.Conflict {
		t.Errorf("got %v", err)
	}
	if b, err := os.ReadFile(h.Socket); string(b) != "mine" {
		t.Errorf("the file is gone: %v", err)
	}
}

func TestABadConfigurationEndsTheStart(t *testing.T) {
	h := newHome(t, newFakeModel(t), "colour: red\n")
	err := Run(t.Context(), Options{Home: h})
	if err == nil || !strings.Contains(err.Error(), "colour") {
		t.Errorf("got %v", err)
	}
}

func TestAnotherUserIsRefused(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), ""), Peer: func(net.Conn) (int, error) { return os.Getuid() + 7, nil }})
	if _, err := d.client(t).Status(t.Context()); core.CodeOf(err) != core.Unauthorized {
		t.Errorf("got %v", err)
	}
}

func TestSocketAndTokenAreTheOwnersAlone(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), "")})
	for path, want := range map[string]os.FileMode{d.h.Run: 0o700, d.h.Socket: 0o600, d.h.Token: 0o600} {
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	before, err := os.ReadFile(d.h.Token)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.stop(); err != nil {
		t.Fatal(err)
	}
	d = start(t, Options{Home: d.h})
	if after, err := os.ReadFile(d.h.Token); err != nil || string(after) == string(before) {
		t.Errorf("the token stayed: %v", err)
	}
}

func TestShutdownLetsARunningChainFinish(t *testing.T) {
	f := newFakeModel(t)
	hold := make(chan struct{})
	f.hold = hold
	d := start(t, Options{Home: newHome(t, f, "")})
	c := d.client(t)
	stopped := false
	var text string
	var last core.Event
	for e, err := range c.Ask(t.Context(), api.Chat{Content: "say one two"}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == core.EventText {
			text += e.Text
			if !stopped {
				stopped = true
				d.cancel()
				close(hold)
			}
		}
		last = e
	}
	var done core.DoneData
	if err := last.Detail(&done); err != nil || text != "one two" || done.StopReason != core.EndTurn {
		t.Errorf("%q %+v %v", text, done, err)
	}
	if err := d.stop(); err != nil {
		t.Error(err)
	}
}

func TestShutdownInterruptsWhatDoesNotFinish(t *testing.T) {
	f := newFakeModel(t)
	f.hold = make(chan struct{})
	defer close(f.hold)
	d := start(t, Options{Home: newHome(t, f, ""), Grace: 50 * time.Millisecond})
	c := d.client(t)
	var last core.Event
	for e, err := range c.Ask(t.Context(), api.Chat{Content: "say one two"}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == core.EventText {
			d.cancel()
		}
		last = e
	}
	var done core.DoneData
	if err := last.Detail(&done); err != nil || done.StopReason != core.Interrupted || last.Text != "one " {
		t.Errorf("%+v %+v %v", last, done, err)
	}
}

func TestASecondSignalEndsAtOnce(t *testing.T) {
	f := newFakeModel(t)
	f.hold = make(chan struct{})
	defer close(f.hold)
	hurry := make(chan struct{})
	d := start(t, Options{Home: newHome(t, f, ""), Grace: time.Hour, Hurry: hurry})
	var last core.Event
	for e, err := range d.client(t).Ask(t.Context(), api.Chat{Content: "say one two"}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == core.EventText {
			d.cancel()
			close(hurry)
		}
		last = e
	}
	var done core.DoneData
	if err := last.Detail(&done); err != nil || done.StopReason != core.Interrupted {
		t.Errorf("%+v %v", done, err)
	}
}

func TestAQueuedChainRunsInTheNextDaemonAndItsReaderComesBack(t *testing.T) {
	f := newFakeModel(t)
	hold := make(chan struct{})
	f.hold = hold
	h := newHome(t, f, "")
	d := start(t, Options{Home: h, Grace: 10 * time.Millisecond})
	c := d.client(t)
	next := make(chan string, 1)
	for e, err := range c.Ask(t.Context(), api.Chat{Content: "say one two"}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type != core.EventText {
			continue
		}
		queued := make(chan struct{})
		go func() {
			text, once := "", false
			for e, err := range c.Ask(t.Context(), api.Chat{Content: "say three four", Session: e.Session}) {
				if err != nil {
					text = err.Error()
					break
				}
				if e.Type == core.EventState && !once {
					once = true
					close(queued)
				}
				if e.Type == core.EventText {
					text += e.Text
				}
			}
			next <- text
		}()
		<-queued
		d.cancel()
	}
	if err := d.stop(); err != nil {
		t.Fatal(err)
	}
	f.set(func(f *fakeModel) { f.hold = nil })
	start(t, Options{Home: h})
	if text := <-next; text != "three four" {
		t.Errorf("the queued chain answered %q", text)
	}
}

func TestShutdownOverTheAPIWaitsForTheEnd(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), "")})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if was, err := d.client(t).Shutdown(ctx); !was || err != nil {
		t.Fatalf("%v %v", was, err)
	}
	<-d.done
	if was, err := d.client(t).Shutdown(ctx); was || err != nil {
		t.Errorf("without a daemon: %v %v", was, err)
	}
}

func TestAnIdleDaemonEnds(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), "idle_exit: 100ms\n")})
	<-d.done
	if d.err != nil {
		t.Error(d.err)
	}
}

func TestAChangedConfigurationIsTakenUp(t *testing.T) {
	f, g := newFakeModel(t), newFakeModel(t)
	h := newHome(t, f, "")
	d := start(t, Options{Home: h})
	c := d.client(t)
	if _, err := ask(t.Context(), c, api.Chat{Content: "say a"}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(h.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Config, []byte(strings.ReplaceAll(string(b), f.URL, g.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	// The very next request means the new one.
	if _, err := ask(t.Context(), c, api.Chat{Content: "say b"}); err != nil {
		t.Fatal(err)
	}
	if len(g.asked()) == 0 {
		t.Error("the new provider was not asked")
	}
	// A bad edit keeps the last good one, and says so.
	if err := os.WriteFile(h.Config, []byte("colour: red\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t.Context(), c, api.Chat{Content: "say c"}); err != nil {
		t.Fatal(err)
	}
	if s, err := c.Status(t.Context()); err != nil || !strings.Contains(strings.Join(s.Warnings, "\n"), "colour") {
		t.Errorf("%+v %v", s, err)
	}
}
