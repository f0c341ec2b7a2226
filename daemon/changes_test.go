package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/config"
)

// TestASlowReaderOfChangesGetsTheLast: what was in force in between and is not any more is not told.
func TestASlowReaderOfChangesGetsTheLast(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	live, err := config.Open(file, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_ = live.Reload()
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var got []string
		read := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			for e, err := range (changes{live}).Events(ctx, "") {
				if err != nil {
					t.Error(err)
				}
				if e.Type == "" {
					got = append(got, "idle")
					<-read
					continue
				}
				var d api.StateChange
				if err := e.Detail(&d); err != nil || e.Type != core.EventState || d.State != api.StateSettings || e.Seq == 0 {
					t.Errorf("%+v %v", e, err)
				}
				got = append(got, d.Digest)
			}
		}()
		synctest.Wait()
		for _, text := range []string{"language: de\n", "language: en\n", "colour: red\n", "theme: light\n"} {
			write(text)
		}
		read <- struct{}{}
		synctest.Wait()
		read <- struct{}{}
		synctest.Wait()
		cancel()
		<-done
		want := []string{config.Digest(nil), "idle", config.Digest([]byte("theme: light\n")), "idle"}
		if len(got) != 4 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] || got[3] != want[3] {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestAScreenIsToldOfSettings goes through the daemon: the socket, its stream, the client.
func TestAScreenIsToldOfSettings(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), "")})
	c := d.client(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	digests := make(chan string)
	go func() {
		defer close(digests)
		for s, err := range c.Changes(ctx) {
			if err != nil {
				t.Error(err)
			}
			digests <- s.Digest
		}
	}()
	first := <-digests
	if v := settingsNow(t, d); v.Digest != first {
		t.Errorf("%s is told, %s is so", first, v.Digest)
	}
	if status, code := change(t, d, first, `{"language":"de","theme":"light"}`); status != 200 {
		t.Fatalf("%d %s", status, code)
	}
	if second := <-digests; second != settingsNow(t, d).Digest || second == first {
		t.Errorf("then %s", second)
	}
	st, err := c.Status(ctx)
	if err != nil || st.Language != "de" || st.Theme != "light" {
		t.Errorf("%+v %v", st, err)
	}
	if err := d.stop(); err != nil { // an open stream does not hold it up
		t.Error(err)
	}
	cancel()
	for range digests { //nolint:revive // until it is closed
	}
}

// TestAScreenHearsWhatAnotherAsks goes through the daemon: a chain that is open when the screen comes is told from its question on.
func TestAScreenHearsWhatAnotherAsks(t *testing.T) {
	f := newFakeModel(t)
	d := start(t, Options{Home: newHome(t, f, "")})
	c := d.client(t)
	first, err := ask(t.Context(), c, api.Chat{Content: "say one"})
	if err != nil {
		t.Fatal(err)
	}
	session := first[0].Session
	hold := make(chan struct{})
	f.set(func(f *fakeModel) { f.hold = hold })
	asking := make(chan error, 1)
	begun := make(chan struct{})
	go func() {
		var err error
		for e, failed := range c.Ask(t.Context(), api.Chat{Content: "say two three", Session: session}) {
			if err = failed; e.Type == core.EventText {
				select {
				case <-begun:
				default:
					close(begun)
				}
			}
		}
		asking <- err
	}()
	<-begun
	var heard []core.Event
	for e, err := range newClient(t, d.h, nil).SessionEvents(t.Context(), session) {
		if err != nil {
			t.Fatal(err)
		}
		if heard = append(heard, e); e.Type == core.EventText && len(heard) > 1 && hold != nil {
			close(hold)
			hold = nil
		}
		if e.Type.Terminal() {
			break
		}
	}
	if err := <-asking; err != nil {
		t.Error(err)
	}
	if heard[0].Type != core.EventMessage || heard[0].Text != "say two three" || shown(heard) != "two three" || heard[0].Chain == first[0].Chain {
		t.Errorf("heard %+v", heard)
	}
}
